//! The rooms of all crates and of the playground: few entries in each folder, no circles of imports, short functions,
//! small structs.

mod imports;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use imports::{Arrows, Modules};

/// `foo.rs` and the folder `foo` beside it are one entry.
const ENTRIES_MAX: usize = 12;
const FUNCTION_LINES_MAX: usize = 60;
const FIELDS_MAX: usize = 15;
/// The limit without comments: the engine that checks the fast one must be readable in one sitting.
const REFERENCE_LINES_MAX: usize = 500;

/// The sources by their paths from the repository's root: `crates/vegas-core/src/lib.rs`.
static RUST: LazyLock<BTreeMap<PathBuf, String>> = LazyLock::new(|| {
    let crates = fs::read_dir(root().join("crates")).expect("the crates");
    crates.flat_map(|entry| files(&entry.expect("a crate").path().join("src"), "rs")).collect()
});
static WEB: LazyLock<BTreeMap<PathBuf, String>> = LazyLock::new(|| files(&root().join("web/src"), "ts"));

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("crates/vegas-core").to_path_buf()
}

/// Returns the files with this ending in a folder and in those below it.
fn files(folder: &Path, ending: &str) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let entry = entry.expect("an entry").path();
        if entry.is_dir() {
            found.extend(files(&entry, ending));
        } else if entry.extension().is_some_and(|found| found == ending) {
            let place = entry.strip_prefix(root()).expect("below the root").to_path_buf();
            found.insert(place, fs::read_to_string(&entry).expect("text"));
        }
    }
    found
}

fn folders(files: &BTreeMap<PathBuf, String>) -> BTreeSet<&Path> {
    files.keys().flat_map(|file| file.ancestors().skip(1)).collect()
}

/// Returns the entry of `folder` in which a file lies.
fn entry_of<'a>(file: &'a Path, folder: &Path) -> Option<&'a str> {
    let first = file.strip_prefix(folder).ok()?.components().next()?;
    first.as_os_str().to_str().map(|name| name.trim_end_matches(".rs").trim_end_matches(".ts"))
}

#[test]
fn few_entries_lie_side_by_side() {
    for files in [&RUST, &WEB] {
        let crowded = folders(files).into_iter().filter(|folder| *folder != Path::new("crates")).filter(|folder| {
            let entries: BTreeSet<&str> = files.keys().filter_map(|file| entry_of(file, folder)).collect();
            entries.len() > ENTRIES_MAX
        });
        assert_eq!(crowded.collect::<Vec<_>>(), Vec::<&Path>::new(), "more than {ENTRIES_MAX} entries");
    }
}

fn tokens(file: &Path, text: &str) -> TokenStream {
    text.parse().unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn arrows_of_crates() -> Arrows {
    let mut crates: BTreeMap<&str, Modules> = BTreeMap::new();
    for (file, text) in RUST.iter() {
        let (name, inside) = file.to_str().and_then(|file| file.split_once("/src/")).expect("a source");
        let name = name.trim_start_matches("crates/");
        let modules = crates.entry(name).or_insert_with(|| Modules::new(name));
        modules.add(file.clone(), inside.trim_end_matches(".rs"), tokens(file, text));
    }
    // what tests use is not what they test
    crates.values().flat_map(Modules::arrows).filter(|(file, _)| !file.ends_with("tests.rs")).collect()
}

fn arrows_of_playground() -> Arrows {
    let imports = |(file, text): (&PathBuf, &String)| {
        let beside = |path: &str| {
            let path = path.split('"').next()?.strip_prefix("./").map_or_else(|| path.split('"').next(), Some)?;
            let (up, inside) = path.strip_prefix("../").map_or((1, path), |inside| (2, inside));
            let file = file.ancestors().nth(up)?.join(inside).with_extension("ts");
            WEB.contains_key(&file).then(|| (file, BTreeSet::from([path.to_owned()])))
        };
        (file.clone(), text.split(" from \"").skip(1).filter_map(beside).collect())
    };
    WEB.iter().map(imports).collect()
}

/// Returns the arrows that are part of a circle: the end of each leads back to its beginning.
fn in_a_circle<T: Ord + Clone + Debug>(arrows: impl IntoIterator<Item = (T, T)>) -> Vec<(T, T)> {
    let arrows: BTreeSet<(T, T)> = arrows.into_iter().collect();
    let mut ways: BTreeMap<&T, Vec<&T>> = BTreeMap::new();
    for (from, to) in &arrows {
        ways.entry(from).or_default().push(to);
    }
    let leads_back = |(from, to): &&(T, T)| {
        let (mut seen, mut ahead) = (BTreeSet::from([to]), vec![to]);
        while let Some(place) = ahead.pop() {
            ahead.extend(ways.get(place).into_iter().flatten().filter(|next| seen.insert(next)));
        }
        seen.contains(from)
    };
    arrows.iter().filter(leads_back).cloned().collect()
}

/// Says which files tie the arrows of a circle, and by which names.
fn ties(arrows: &Arrows, is_of: impl Fn(&Path, &Path) -> bool) -> String {
    let ends = arrows.iter().flat_map(|(from, used)| used.iter().map(move |(to, names)| (from, to, names)));
    let ties = ends.filter(|(from, to, _)| is_of(from, to));
    ties.map(|(from, to, names)| format!("\n{} -> {}: {names:?}", from.display(), to.display())).collect()
}

fn assert_no_circle_of_files(arrows: &Arrows) {
    let pairs = arrows.iter().flat_map(|(from, used)| used.keys().map(move |to| (from.as_path(), to.as_path())));
    let circles = in_a_circle(pairs);
    assert!(circles.is_empty(), "{}", ties(arrows, |from, to| circles.contains(&(from, to))));
}

#[test]
fn no_files_import_each_other() {
    let (crates, playground) = (arrows_of_crates(), arrows_of_playground());
    assert!(
        playground[Path::new("web/src/engine/worker.ts")].contains_key(Path::new("web/src/protocol.ts")),
        "nothing was found"
    );
    assert_no_circle_of_files(&crates);
    assert_no_circle_of_files(&playground);
    assert_eq!(in_a_circle([("a", "b"), ("b", "c"), ("c", "b"), ("c", "d")]), [("b", "c"), ("c", "b")]);
}

/// In each folder, seen as a row of rooms: no room uses one that uses it, even if other files do.
#[test]
fn arrows_between_rooms_go_one_way() {
    let found = arrows_between(&RUST, &arrows_of_crates());
    assert!(found.contains(&("engine", "network")) && found.contains(&("network", "scenario")), "nothing was found");
    let found = arrows_between(&WEB, &arrows_of_playground());
    assert!(found.contains(&("run", "engine")), "nothing was found");
}

/// Returns the arrows between the entries of all folders, none of which are part of a circle.
fn arrows_between(
    files: &'static BTreeMap<PathBuf, String>,
    arrows: &Arrows,
) -> BTreeSet<(&'static str, &'static str)> {
    let mut found = BTreeSet::new();
    for folder in folders(files) {
        let room = |file: &Path| {
            let (file, _) = files.get_key_value(file)?;
            entry_of(file, folder)
        };
        let ends = arrows.iter().flat_map(|(from, used)| used.keys().map(move |to| (from.as_path(), to.as_path())));
        let pairs = ends.filter_map(|(from, to)| Some((room(from)?, room(to)?)).filter(|(from, to)| from != to));
        let pairs: BTreeSet<(&str, &str)> = pairs.collect();
        found.extend(pairs.iter().copied());
        let circles = in_a_circle(pairs);
        let is_of = |from: &Path, to: &Path| room(from).zip(room(to)).is_some_and(|ends| circles.contains(&ends));
        assert!(circles.is_empty(), "{}: {circles:?}{}", folder.display(), ties(arrows, is_of));
    }
    found
}

/// Calls `judge` with each block that follows `keyword` and a name: its name, its braces and its number of lines.
fn blocks(tokens: TokenStream, keyword: &str, judge: &mut impl FnMut(&str, &Group, usize)) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(word) if word == keyword && matches!(tokens.peek(), Some(TokenTree::Ident(_))) => {
                let name = tokens.next().map(|name| name.to_string()).unwrap_or_default();
                // the arguments, and what is said of generic ones; a semicolon ends what has no block
                for token in tokens.by_ref() {
                    match token {
                        TokenTree::Group(block) if block.delimiter() == Delimiter::Brace => {
                            let lines = block.span_close().end().line - word.span().start().line + 1;
                            judge(&name, &block, lines);
                            blocks(block.stream(), keyword, judge);
                            break;
                        }
                        TokenTree::Punct(mark) if mark.as_char() == ';' => break,
                        _ => {}
                    }
                }
            }
            TokenTree::Group(group) => blocks(group.stream(), keyword, judge),
            _ => {}
        }
    }
}

#[test]
fn functions_are_short() {
    for (file, text) in RUST.iter() {
        blocks(tokens(file, text), "fn", &mut |name, _, lines| {
            assert!(lines <= FUNCTION_LINES_MAX, "{}: {name} has {lines} lines", file.display());
        });
    }
}

/// Structs with more fields: the tables of a file, in which each field is a key, and the state of rules with that many
/// variables.
const LARGE: [(&str, &str); 13] = [
    ("crates/vegas-sim/src/scenario/document/flow.rs", "Flow"),
    ("crates/vegas-sim/src/scenario/document/flow.rs", "Host"),
    ("crates/vegas-sim/src/scenario/document/flow.rs", "Parts"),
    ("crates/vegas-sim/src/scenario/document/traffic.rs", "Traffic"),
    ("crates/vegas-core/src/standalone/bbr/bbr3.rs", "Bbr"),
    ("crates/vegas-core/src/standalone/delay/nv.rs", "Nv"),
    ("crates/vegas-core/src/standalone/vegas_next.rs", "VegasNext"),
    ("crates/vegas-measured/src/logs/flows.rs", "Reading"),
    ("crates/vegas-measured/src/tables/rows.rs", "Flow"),
    ("crates/vegas-measured/src/tables/rows.rs", "FlowSample"),
    ("crates/vegas-py/src/own/events.rs", "Ack"),
    ("crates/vegas-quic/src/path.rs", "Path"),
    ("crates/vegas-web/src/steered.rs", "Steered"),
];

/// Returns the number of fields: each is a name before a colon.
fn fields(block: &Group) -> usize {
    let alone = |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ':');
    let tokens: Vec<TokenTree> = block.stream().into_iter().collect();
    tokens.windows(3).filter(|three| !alone(&three[0]) && alone(&three[1]) && !alone(&three[2])).count()
}

#[test]
fn structs_are_small() {
    let mut large = Vec::new();
    for (file, text) in RUST.iter() {
        blocks(tokens(file, text), "struct", &mut |name, block, _| {
            if fields(block) > FIELDS_MAX {
                large.push((file.to_str().expect("a name").to_owned(), name.to_owned()));
            }
        });
    }
    large.retain(|(file, name)| !LARGE.contains(&(file, name)));
    assert_eq!(large, [], "more than {FIELDS_MAX} fields");
}

#[test]
fn the_reference_engine_is_small() {
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with("//");
    let folder = Path::new("crates/vegas-sim/src/network/reference");
    let of_reference = RUST.iter().filter(|(file, _)| file.starts_with(folder));
    let lines: usize = of_reference.map(|(_, text)| text.lines().filter(is_code).count()).sum();
    assert!((1..=REFERENCE_LINES_MAX).contains(&lines), "{lines} lines");
}
