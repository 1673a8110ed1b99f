//! The committed schema and the tables of `docs/scenario.md` are those of the code and its comments:
//! `UPDATE_PAGES=1 cargo test -p vegas-sim --test it schema` writes them again.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use vegas_sim::scenario::{json_schema, schema_with_links};

const UPDATES: &str = "UPDATE_PAGES";

fn docs(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name)
}

#[test]
fn the_committed_schema_is_current() {
    let path = docs("scenario.schema.json");
    if std::env::var_os(UPDATES).is_some() {
        fs::write(&path, json_schema()).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == json_schema(), "docs/scenario.schema.json is not as the code: {UPDATES}=1 writes it again");
}

/// The tables of the schema, and the headings in docs/scenario.md above theirs.
const HEADINGS: [(&str, &str); 22] = [
    ("File", "## The file"),
    ("Topology", "## `[topology]`"),
    ("Link", "## Links"),
    ("Backward", "### `backward`"),
    ("GraphLink", "### `[[topology.link]]`"),
    ("BurstLoss", "### `loss`"),
    ("DelaySchedule", "### `delay_schedule`"),
    ("Policer", "### `policer`"),
    ("ModelledJitter", "### `jitter`"),
    ("TraceDelay", "### `delay`"),
    ("TraceRate", "### `rate`"),
    ("Change", "## `[[change]]`"),
    ("ManagedQueue", "### `queue`"),
    ("Reorder", "### `reorder`"),
    ("Flow", "## `[[flow]]`"),
    ("ApplicationPhase", "### `application`"),
    ("MediaLayer", "### `layers`"),
    ("Traffic", "## `[[traffic]]`"),
    ("Receiver", "### `receiver`"),
    ("Host", "## `[flow.host]`"),
    ("LinuxWindow", "### `receive_window`"),
    ("Parts", "## A table of parts"),
];

/// Tables that have keys of links: the page has those that say something else there.
const LINKS: [&str; 2] = ["Backward", "GraphLink"];

#[test]
fn the_tables_of_the_page_are_those_of_the_code() {
    let path = docs("scenario.md");
    let page = fs::read_to_string(&path).unwrap();
    let schema = schema_with_links().to_value();
    let tables = schema["$defs"].as_object().unwrap();
    let known = tables.iter().filter(|(_, table)| table.get("properties").is_some()).count();
    assert_eq!(known + 1, HEADINGS.len(), "a new table needs a heading in docs/scenario.md, and a line in HEADINGS");
    let mut expected = page.clone();
    for (name, heading) in HEADINGS {
        let mut rows = rows(if name == "File" { &schema } else { &tables[name] }, &schema);
        if LINKS.contains(&name) {
            let of_links = self::rows(&tables["Link"], &schema);
            rows.retain(|row| !of_links.contains(row));
        }
        expected = with_rows(&expected, heading, &rows);
    }
    if std::env::var_os(UPDATES).is_some() {
        fs::write(&path, &expected).unwrap();
    }
    let current = page == expected || std::env::var_os(UPDATES).is_some();
    assert!(current, "docs/scenario.md is not as the code: {UPDATES}=1 writes its tables again");
}

const HEAD: &str = "| key | type | default | meaning |\n|---|---|---|---|\n";

/// Puts rows in the place of those below the head of the first table after a heading.
fn with_rows(page: &str, heading: &str, rows: &[String]) -> String {
    let section = page.find(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("docs/scenario.md has no {heading}"));
    let begin = section + page[section..].find(HEAD).expect("a table") + HEAD.len();
    let old: usize = page[begin..].split_inclusive('\n').take_while(|line| line.starts_with('|')).map(str::len).sum();
    format!("{}{}{}", &page[..begin], rows.concat(), &page[begin + old..])
}

fn rows(table: &Value, schema: &Value) -> Vec<String> {
    let required = table["required"].as_array().map(Vec::as_slice).unwrap_or_default();
    let row = |(key, property): (&String, &Value)| {
        let text = property["description"].as_str().unwrap_or_else(|| panic!("{key} has no comment"));
        let is_required = required.iter().any(|required| required == key);
        let (meaning, default) = meaning_and_default(text, is_required);
        format!("| `{key}` | {} | {default} | {meaning} |\n", words_for(key, property, schema))
    };
    table["properties"].as_object().unwrap().iter().map(row).collect()
}

/// The last sentence of a comment says what holds where a key is left out: `Default: ...`, or that it is required
/// where.
fn meaning_and_default(text: &str, is_required: bool) -> (&str, String) {
    if let Some((meaning, default)) = text.rsplit_once(" Default: ") {
        return (meaning, default.trim_end_matches('.').to_owned());
    }
    match text.rsplit_once(". Required ") {
        Some((meaning, place)) => (&text[..=meaning.len()], format!("required {}", place.trim_end_matches('.'))),
        None => (text, if is_required { "required" } else { "none" }.to_owned()),
    }
}

/// The words of a key's type that its schema does not give.
fn words_for(key: &str, property: &Value, schema: &Value) -> String {
    match key {
        "preset" => "a preset's name".into(),
        "slow_start" | "avoidance" => {
            format!("[one of these](parts/{}.md#the-choices)", key.replace('_', "-"))
        }
        "cut" => "[one of these](parts/loss-response.md#the-choices)".into(),
        "trace" => "file name".into(),
        "enter" | "leave" => "router".into(),
        "group" => "whole number from 1".into(),
        _ => words(property, schema),
    }
}

/// The words for a schema's type.
fn words(of: &Value, schema: &Value) -> String {
    if let Some(name) = of["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/")) {
        return match &schema["$defs"][name] {
            table if table.get("properties").is_none() => format!("{}, or a table", words(&table["anyOf"][0], schema)),
            _ if name == "Link" => "[link](#links)".into(),
            _ => "table".into(),
        };
    }
    if of.get("enum").is_some() {
        return either(names_or_words(of, schema));
    }
    if let Some(value) = of.get("const") {
        return format!("`{value}`");
    }
    if let Some(choices) = of["anyOf"].as_array() {
        let probability = [(1, "probability, 1 included"), (0, "probability")];
        return match choices[0]["type"] == "number" {
            true => probability[usize::from(choices[0].get("exclusiveMaximum").is_some())].1.into(),
            // a choice of names among them has its names in the same row
            false => either(choices.iter().flat_map(|choice| names_or_words(choice, schema)).collect()),
        };
    }
    match of["type"].as_str() {
        Some("boolean") => "true or false".into(),
        Some("integer") => whole(of["minimum"].as_u64().unwrap_or(0), of["maximum"].as_u64().unwrap_or(u64::MAX)),
        Some("number") => format!("number from {} to {}", of["minimum"], of["maximum"]),
        Some("array") if of["minItems"] == 2 && of["maxItems"] == 2 => format!("two {}", many(&of["items"], schema)),
        Some("array") => format!("list of {}", many(&of["items"], schema)),
        _ => text(of["pattern"].as_str().unwrap_or_default()).into(),
    }
}

fn many(items: &Value, schema: &Value) -> String {
    match words(items, schema).as_str() {
        two if two.starts_with("two ") => two.replacen("two", "pairs of", 1),
        number if number.starts_with("whole number") => number.replacen("number", "numbers", 1),
        "[link](#links)" => "[links](#links)".into(),
        word => format!("{word}s"),
    }
}

fn names_or_words(of: &Value, schema: &Value) -> Vec<String> {
    let names = of["enum"].as_array().map(|names| names.iter().map(|name| format!("`{name}`")).collect());
    names.unwrap_or_else(|| vec![words(of, schema)])
}

fn either(choices: Vec<String>) -> String {
    match &choices[..] {
        [one] => one.clone(),
        [some @ .., last] => format!("{} or {last}", some.join(", ")),
        [] => unreachable!("a choice has values"),
    }
}

fn whole(least: u64, most: u64) -> String {
    const SEGMENTS_MAX: u64 = 1 << 20;
    match (least, most) {
        (0, u64::MAX) => "whole number, 64 bits".into(),
        (0, 0xffff_ffff) => "whole number".into(),
        (0, SEGMENTS_MAX) => "segments".into(),
        (_, SEGMENTS_MAX) => format!("segments from {least}"),
        (_, u64::MAX) => format!("whole number from {least}"),
        _ => format!("{least} to {most}"),
    }
}

/// Texts by what their patterns end in.
fn text(pattern: &str) -> &'static str {
    let kinds = [
        ("(ns|us|ms|s|min|h)$", "time"),
        ("(bit|kbit|mbit|gbit|tbit)$", "rate"),
        ("(b|kb|mb|gb|tb|kib|mib|gib|bdp))$", "queue"),
        ("(b|kb|mb|gb|tb|kib|mib|gib))$", "queue"),
        ("(b|kb|mb|gb|tb|kib|mib|gib)$", "size"),
        ("[A-Za-z0-9_.-]{0,99}$", "name"),
        ("[A-Za-z0-9_+-]{0,59}$", "letters, digits, `-` `_` `+`"),
        ("[A-J]{0,10}$", "letters from A to J"),
    ];
    kinds.into_iter().find(|(end, _)| pattern.ends_with(end)).map_or("text", |(_, kind)| kind)
}
