//! The rooms of the source: few entries in each folder, no circles of uses, short functions, small structs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const ENTRIES_MAX: usize = 12;
const FUNCTION_LINES_MAX: usize = 60;
const FIELDS_MAX: usize = 15;
/// The limit without comments: the engine that checks the fast one must be readable in one sitting.
const REFERENCE_LINES_MAX: usize = 500;

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Collects every folder of the source with its number of entries, and every file with its text.
fn walk(folder: &Path, folders: &mut BTreeMap<PathBuf, usize>, files: &mut BTreeMap<PathBuf, String>) {
    let entries: Vec<PathBuf> = fs::read_dir(folder).expect("a folder").map(|entry| entry.unwrap().path()).collect();
    folders.insert(folder.to_path_buf(), entries.len());
    for entry in entries {
        match entry.is_dir() {
            true => walk(&entry, folders, files),
            false => {
                files.insert(entry.clone(), fs::read_to_string(&entry).expect("text"));
            }
        }
    }
}

fn files() -> BTreeMap<PathBuf, String> {
    let (mut folders, mut files) = (BTreeMap::new(), BTreeMap::new());
    walk(&source(), &mut folders, &mut files);
    files
}

#[test]
fn few_entries_lie_side_by_side() {
    let (mut folders, mut files) = (BTreeMap::new(), BTreeMap::new());
    walk(&source(), &mut folders, &mut files);
    let crowded: Vec<_> = folders.iter().filter(|(_, entries)| **entries > ENTRIES_MAX).collect();
    assert!(crowded.is_empty(), "more than {ENTRIES_MAX} entries: {crowded:?}");
}

/// Returns the room of a file or of a path below `crate`, which is its first name.
fn room_of(path: &Path) -> String {
    let inside = path.strip_prefix(source()).expect("a file of the source");
    let first = inside.components().next().expect("a name").as_os_str().to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

/// Returns the rooms that a file uses, its tests included: `crate::ROOM`.
fn named_in(text: &str) -> BTreeSet<String> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let named = |line: &str| {
        let rooms = line.split("crate::").skip(1);
        rooms
            .map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    code.flat_map(named).filter(|name| !name.is_empty()).collect()
}

/// Returns for each room the rooms that it uses.
fn arrows(files: &BTreeMap<PathBuf, String>) -> BTreeMap<String, BTreeSet<String>> {
    let rooms: BTreeSet<String> = files.keys().map(|path| room_of(path)).filter(|room| room != "lib").collect();
    let mut arrows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, text) in files.iter().filter(|(path, _)| room_of(path) != "lib") {
        let room = room_of(path);
        let used = named_in(text).into_iter().filter(|used| *used != room && rooms.contains(used));
        arrows.entry(room.clone()).or_default().extend(used);
    }
    arrows
}

/// Returns the rooms that lie in a circle: rooms that use no others are removed, and so on; those that remain lie in
/// one.
fn in_a_circle(mut arrows: BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    while let Some(free) = arrows.iter().find(|(_, used)| used.is_empty()).map(|(room, _)| room.clone()) {
        arrows.remove(&free);
        for used in arrows.values_mut() {
            used.remove(&free);
        }
    }
    arrows.into_iter().map(|(room, used)| format!("{room} -> {used:?}")).collect()
}

#[test]
fn arrows_go_one_way() {
    let arrows = arrows(&files());
    assert!(arrows["engine"].contains("network") && arrows["network"].contains("scenario"), "nothing was found");
    assert_eq!(in_a_circle(arrows), Vec::<String>::new());
    let circle = [("a", vec!["b"]), ("b", vec!["c"]), ("c", vec!["b"])];
    let circle = circle.map(|(room, used)| (room.to_owned(), used.into_iter().map(str::to_owned).collect()));
    assert_eq!(in_a_circle(circle.into()).len(), 3);
}

/// Returns the lines from each one that `begins` to its closing brace, with the line's number.
fn blocks(text: &str, begins: impl Fn(&str) -> bool) -> Vec<(usize, Vec<&str>)> {
    let lines: Vec<&str> = text.lines().collect();
    let block = |(at, line): (usize, &&str)| {
        let indent = &line[..line.len() - line.trim_start().len()];
        let rest = lines[at..].iter().position(|line| line.starts_with(&format!("{indent}}}")));
        (at + 1, lines[at..at + rest.unwrap_or(0)].to_vec())
    };
    lines.iter().enumerate().filter(|(_, line)| begins(line)).map(block).collect()
}

fn declares(line: &str, keyword: &str) -> bool {
    let mut words = line
        .split_whitespace()
        .skip_while(|word| word.starts_with("pub") || matches!(*word, "const" | "unsafe" | "in" | "super)"));
    words.next() == Some(keyword)
}

#[test]
fn functions_are_short() {
    for (path, text) in files() {
        for (line, block) in blocks(&text, |line| declares(line, "fn") && !line.ends_with(';')) {
            let lines = block.len() + 1;
            assert!(lines <= FUNCTION_LINES_MAX, "{}:{line}: a function of {lines} lines", path.display());
        }
    }
}

/// Structs with more fields: those of a file's tables, in which each field is a key.
const LARGE: &[&str] = &["scenario/document/flow.rs", "scenario/document/traffic.rs"];

#[test]
fn structs_are_small() {
    for (path, text) in files() {
        if LARGE.iter().any(|large| path.ends_with(large)) {
            continue;
        }
        for (line, block) in blocks(&text, |line| declares(line, "struct") && line.ends_with('{')) {
            let is_field = |line: &&&str| {
                let name = line.trim_start().rsplit_once("pub").map_or(**line, |(_, name)| name);
                !line.trim_start().starts_with("//")
                    && name.split_once(": ").is_some_and(|(_, kind)| kind.ends_with(','))
            };
            let fields = block.iter().filter(is_field).count();
            assert!(fields <= FIELDS_MAX, "{}:{line}: a struct of {fields} fields", path.display());
        }
    }
}

#[test]
fn the_reference_engine_is_small() {
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with("//");
    let folder = source().join("network/reference");
    let of_reference = files().into_iter().filter(|(path, _)| path.starts_with(&folder));
    let lines: usize = of_reference.map(|(_, text)| text.lines().filter(is_code).count()).sum();
    assert!((1..=REFERENCE_LINES_MAX).contains(&lines), "{lines} lines");
}
