//! The tables of parts in `docs/parts`, and the lists of algorithms in other pages, are those of the code:
//! `UPDATE_PAGES=1 cargo test -p vegas-core --test it pages` writes them again (`make lists`).

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use vegas_core::registry::{PRESETS, Preset};
use vegas_core::{Avoidance, BaseRtt, Cut, Host, Needs, Rivals, SlowStart, Standalone, Thresholds};

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
    let rows: Vec<_> = parts
        .map(|((name, part), summary)| row(name, summary, &looks_at(NO_THRESHOLDS, part.needs()), part.page()))
        .collect();
    compare("loss-response.md", &rows);
}

#[test]
fn what_runs_beside() {
    let base_rtts =
        BaseRtt::NAMES.iter().zip(BaseRtt::SUMMARIES).map(|((name, part), summary)| (*name, *summary, part.page()));
    compare_below(BESIDE, "parts/base-rtt.md", &base_rtts.map(row_beside).collect::<Vec<_>>());
    let rivals =
        Rivals::NAMES.iter().zip(Rivals::SUMMARIES).map(|((name, part), summary)| (*name, *summary, part.page()));
    compare_below(BESIDE, "parts/rivals.md", &rivals.map(row_beside).collect::<Vec<_>>());
}

fn row_beside((name, summary, page): (&str, &str, &str)) -> String {
    format!("| `{name}` | {summary} | [{}](../algorithms/{page}) |\n", title(page))
}

/// Each page of algorithms, in the order of the registry; then those of slow starts alone.
#[test]
fn the_index() {
    let mut pages: Vec<_> = PRESETS.iter().map(page_of).collect();
    let parts = SlowStart::NAMES.iter().map(|(_, part)| part.page().split('#').next().expect("a file").to_owned());
    pages.extend(parts);
    let is_first = |(at, page): &(usize, &String)| pages.iter().position(|other| other == *page) == Some(*at);
    let rows: Vec<_> = pages.iter().enumerate().filter(is_first).map(|(_, page)| index_row(page)).collect();
    compare_below(INDEX, "README.md", &rows);
}

/// The page's title: what it is, and the presets.
fn index_row(page: &str) -> String {
    let whole = whole_title(page);
    let (name, presets) = whole.split_once(':').expect("a title of name and presets");
    format!("- [{name}](algorithms/{page}):{presets}\n")
}

#[test]
fn standalone_algorithms_by_what_they_ask_for() {
    let row = |preset: &Preset, needs: Needs| {
        let needs = match looks_at(NO_THRESHOLDS, needs) {
            none if none == "-" => "nothing beyond the usual".into(),
            needs => needs,
        };
        format!("| [`{}`](algorithms/{}) | {needs} |\n", preset.name, page_of(preset))
    };
    let rows: Vec<_> = standalone().map(|(preset, which)| row(preset, which.needs())).collect();
    compare_below("| preset | asks for |\n|---|---|\n", "contract.md", &rows);
}

#[test]
fn standalone_algorithms_by_the_slow_starts_that_they_accept() {
    let accepts = |which: &Standalone| SlowStart::NAMES.iter().any(|(_, part)| which.takes(*part).is_ok());
    let drains = SlowStart::NAMES.iter().filter(|(_, part)| part.promise().drains).map(|(name, _)| *name);
    let rows = [
        format!("| accept one | {} |\n", names_where(accepts)),
        format!("| do not: their slow start is a part of their rule | {} |\n", names_where(|which| !accepts(which))),
        format!(
            "| parts that cannot be used: they control the recovery of their first loss, to which the algorithm responds \
             itself | {} |\n",
            quoted(drains)
        ),
    ];
    compare_below("| | algorithms, parts |\n|---|---|\n", "contract.md", &rows);
}

#[test]
fn standalone_algorithms_by_the_kernel_that_carries_them() {
    let is_carried = |preset: &Preset| Host::Kernel.carries(preset).is_ok();
    let names = |carried: bool| {
        quoted(standalone().map(|(preset, _)| preset).filter(|preset| is_carried(preset) == carried).map(|it| it.name))
    };
    let rows = [format!("| carries | {} |\n", names(true)), format!("| refuses | {} |\n", names(false))];
    compare_below("| the kernel | standalone algorithms |\n|---|---|\n", "linux.md", &rows);
}

fn standalone() -> impl Iterator<Item = (&'static Preset, Standalone)> {
    PRESETS.iter().filter_map(|preset| Some((preset, preset.standalone?)))
}

fn names_where(holds: impl Fn(&Standalone) -> bool) -> String {
    quoted(standalone().filter(|(_, which)| holds(which)).map(|(preset, _)| preset.name))
}

fn quoted(names: impl Iterator<Item = &'static str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The page with the preset in its title.
fn page_of(preset: &Preset) -> String {
    let folder = fs::read_dir(docs().join("algorithms")).expect("the folder");
    let mut pages = folder.map(|entry| entry.expect("a page").file_name().into_string().expect("a name"));
    let named = format!("`{}`", preset.name);
    let page = pages.find(|page| page.ends_with(".md") && whole_title(page).contains(&named));
    page.unwrap_or_else(|| panic!("{}: docs/algorithms has no page whose title names it", preset.name))
}

const NO_THRESHOLDS: Thresholds = Thresholds { alpha: false, beta: false, gamma: false };

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
        (needs.each_loss, "each segment lost"),
        (needs.spread, "departures spread"),
        (needs.pacing, "pacing"),
        (needs.pace_kept, "its pace kept"),
        (needs.own_recovery, "a window of its own in recovery"),
        (needs.one_way_delay, "one-way delay"),
        (needs.routers, "routers' times"),
        (needs.accurate_ecn, "the number of marks"),
        (needs.ect1, "ECT(1)"),
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
    let whole = whole_title(page.split('#').next().expect("a file"));
    whole.split(':').next().expect("its beginning").into()
}

fn whole_title(page: &str) -> String {
    let page_path = docs().join("algorithms").join(page);
    let text = fs::read_to_string(&page_path).unwrap_or_else(|error| panic!("{}: {error}", page_path.display()));
    text.lines().next().expect("a title").trim_start_matches("# ").into()
}

const INDEX: &str = "Each family of algorithms has a page with its rule, parameters, sources and deviations:\n\n";
const CHOICES: &str = "| choice | what it does | looks at | page |\n|---|---|---|---|\n";
const BESIDE: &str = "| choice | what it does | page |\n|---|---|---|\n";

fn compare(page: &str, rows: &[String]) {
    compare_below(CHOICES, &format!("parts/{page}"), rows);
}

/// Rows of a table, or of a list, below what they begin with. The tests of one page write it one after another.
fn compare_below(begins: &str, page: &str, rows: &[String]) {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock();
    let path = docs().join(page);
    let text = fs::read_to_string(&path).expect("the page is there");
    let (before, rest) = text.split_once(begins).unwrap_or_else(|| panic!("{page} has no {begins:?}"));
    let end: usize = rest.split_inclusive('\n').take_while(|line| line.starts_with(['|', '-'])).map(str::len).sum();
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
