//! The tables of parts in `docs/parts` are those of the code: `UPDATE_PAGES=1 cargo test -p vegas-core --test it pages`
//! writes them again.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use vegas_core::{Avoidance, BaseRtt, Cut, Needs, Rivals, SlowStart, Thresholds};

const UPDATES: &str = "UPDATE_PAGES";

#[test]
fn slow_starts() {
    let parts = SlowStart::NAMES.iter().zip(SlowStart::SUMMARIES);
    let rows: Vec<_> = parts
        .map(|((name, part), summary)| row(name, summary, &looks_at(part.thresholds(), part.needs()), part.page()))
        .collect();
    compare("slow-start.md", &rows);
}

#[test]
fn avoidances() {
    let parts = Avoidance::NAMES.iter().zip(Avoidance::SUMMARIES);
    let rows: Vec<_> = parts
        .map(|((name, part), summary)| row(name, summary, &looks_at(part.thresholds(), part.needs()), part.page()))
        .collect();
    compare("avoidance.md", &rows);
}

#[test]
fn cuts() {
    let parts = Cut::NAMES.iter().zip(Cut::SUMMARIES);
    let rows: Vec<_> = parts.map(|((name, part), summary)| row(name, summary, "-", part.page())).collect();
    compare("loss-response.md", &rows);
}

#[test]
fn what_runs_beside() {
    let base_rtts =
        BaseRtt::NAMES.iter().zip(BaseRtt::SUMMARIES).map(|((name, part), summary)| (*name, *summary, part.page()));
    compare_below(BESIDE, "base-rtt.md", &base_rtts.map(row_beside).collect::<Vec<_>>());
    let rivals =
        Rivals::NAMES.iter().zip(Rivals::SUMMARIES).map(|((name, part), summary)| (*name, *summary, part.page()));
    compare_below(BESIDE, "rivals.md", &rivals.map(row_beside).collect::<Vec<_>>());
}

fn row_beside((name, summary, page): (&str, &str, &str)) -> String {
    format!("| `{name}` | {summary} | [{}](../algorithms/{page}) |\n", title(page))
}

/// Thresholds of the backlog, and what the host must give.
fn looks_at(thresholds: Thresholds, needs: Needs) -> String {
    let words = [
        (thresholds.alpha, "alpha"),
        (thresholds.beta, "beta"),
        (thresholds.gamma, "gamma"),
        (needs.rate, "delivery rate"),
        (needs.every_ack, "every acknowledgement"),
        (needs.window_limited, "what limits the sender"),
        (needs.sent, "each segment sent"),
        (needs.spread, "departures spread"),
        (needs.pacing, "pacing"),
        (needs.one_way_delay, "one-way delay"),
        (needs.routers, "routers' times"),
    ];
    match words.into_iter().filter(|(is_there, _)| *is_there).map(|(_, word)| word).collect::<Vec<_>>() {
        none if none.is_empty() => "-".into(),
        words => words.join(", "),
    }
}

fn row(name: &str, summary: &str, looks_at: &str, page: &str) -> String {
    format!("| `{name}` | {summary} | {looks_at} | [{}](../algorithms/{page}) |\n", title(page))
}

/// The beginning of a page's title.
fn title(page: &str) -> String {
    let file = page.split('#').next().expect("a file");
    let page_path = docs().join("algorithms").join(file);
    let text = fs::read_to_string(&page_path).unwrap_or_else(|error| panic!("{}: {error}", page_path.display()));
    let title = text.lines().next().expect("a title").trim_start_matches("# ");
    title.split(':').next().expect("its beginning").into()
}

const CHOICES: &str = "| choice | what it does | looks at | page |\n|---|---|---|---|\n";
const BESIDE: &str = "| choice | what it does | page |\n|---|---|---|\n";

fn compare(page: &str, rows: &[String]) {
    compare_below(CHOICES, page, rows);
}

/// The rows below the table's head.
fn compare_below(begins: &str, page: &str, rows: &[String]) {
    let path = docs().join("parts").join(page);
    let text = fs::read_to_string(&path).expect("the page is there");
    let (before, rest) = text.split_once(begins).expect("the page has the table's head");
    let end: usize = rest.split_inclusive('\n').take_while(|line| line.starts_with('|')).map(str::len).sum();
    let expected = format!("{before}{begins}{}{}", rows.concat(), &rest[end..]);
    if env::var_os(UPDATES).is_some() {
        fs::write(&path, &expected).expect("the page can be written");
    }
    assert!(
        text == expected || env::var_os(UPDATES).is_some(),
        "{page} is not as the code: {UPDATES}=1 writes it again"
    );
}

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}
