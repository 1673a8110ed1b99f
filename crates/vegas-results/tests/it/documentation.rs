//! `docs/results.md` describes every column and every file.

use std::fs;
use std::path::Path;

use vegas_results::columns::TABLES;
use vegas_results::columns::media::MEDIA_TOTALS;
use vegas_results::columns::queues::QUEUE_TOTALS;

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/results.md");
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_column_is_documented_with_its_unit() {
    let page = page();
    let tables = TABLES.map(|table| (format!("\n## `{}`", table.name), table));
    let totals =
        [("\n## Totals of media".to_owned(), MEDIA_TOTALS), ("\n## Totals of queues".to_owned(), QUEUE_TOTALS)];
    for (heading, table) in tables.into_iter().chain(totals) {
        let start = page.find(&heading).unwrap_or_else(|| panic!("docs/results.md has no section{heading}"));
        let rest = &page[start + heading.len()..];
        let section = &rest[..rest.find("\n## ").unwrap_or(rest.len())];
        let rows: Vec<&str> = section.lines().filter(|line| line.starts_with("| `")).collect();
        let expected: Vec<String> =
            table.columns.iter().map(|column| format!("| `{}` | {} |", column.name, column.unit)).collect();
        assert_eq!(rows.len(), expected.len(), "docs/results.md, section {}: one row a column", table.name);
        for (row, expected) in rows.iter().zip(&expected) {
            assert!(row.starts_with(expected), "docs/results.md, section {}: {row:?} is not {expected:?}", table.name);
        }
    }
}

#[test]
fn every_file_is_documented() {
    let page = page();
    let tables = TABLES.iter().map(|table| format!("{}.parquet", table.name));
    let others = ["manifest.json", "capture.pcapng", "capture-receiver.pcapng"].map(str::to_owned);
    for file in tables.chain(others) {
        assert!(page.contains(&format!("`{file}`")), "docs/results.md does not name {file}");
    }
}
