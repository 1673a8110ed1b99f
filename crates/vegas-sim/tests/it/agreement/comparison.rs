//! Comparison of a reference's figures with the simulator's: a table, and a verdict on each.

use std::fmt::Write as _;

/// One figure of the reference and of the simulator.
pub(crate) struct Row {
    what: String,
    theirs: f64,
    ours: f64,
    agrees: bool,
}

/// Adds a figure, which agrees if it differs from the reference's by at most `within`.
pub(crate) fn push(rows: &mut Vec<Row>, what: impl Into<String>, theirs: f64, ours: f64, within: f64) {
    rows.push(Row { what: what.into(), theirs, ours, agrees: (ours - theirs).abs() <= within });
}

/// The trace, the figure, and the section of docs/deviations.md with the reason why it differs.
pub(crate) type Explained = (&'static str, &'static str, &'static str);

/// The comparison of all traces of one reference.
pub(crate) struct Agreement {
    reference: &'static str,
    explained: &'static [Explained],
    needed: Vec<&'static Explained>,
    table: String,
    wrong: Vec<String>,
}

impl Agreement {
    pub(crate) fn with(reference: &'static str, explained: &'static [Explained]) -> Self {
        let table = format!("| trace | figure | {reference} | ours | |\n|---|---|---|---|---|\n");
        Agreement { reference, explained, needed: Vec::new(), table, wrong: Vec::new() }
    }

    pub(crate) fn add(&mut self, trace: &str, rows: Vec<Row>) {
        for row in rows {
            let verdict = self.judge(trace, &row);
            let Row { what, theirs, ours, .. } = row;
            let _ = writeln!(self.table, "| {trace} | {what} | {theirs:.3} | {ours:.3} | {verdict} |");
        }
    }

    fn judge(&mut self, trace: &str, row: &Row) -> String {
        if row.agrees {
            return "agrees".into();
        }
        let Row { what, theirs, ours, .. } = row;
        match self.explained.iter().find(|(name, figure, _)| *name == trace && figure == what) {
            Some(explanation) => {
                self.needed.push(explanation);
                format!("differs: {}", explanation.2)
            }
            None => {
                self.wrong.push(format!("{trace}: {what}: {} {theirs}, ours {ours}", self.reference));
                "DIFFERS".into()
            }
        }
    }

    /// Prints the table. Fails for a difference without an explanation, and for an explanation without a difference.
    pub(crate) fn finish(mut self) {
        println!("{}", self.table);
        for explanation in self.explained {
            if !self.needed.contains(&explanation) {
                let (trace, what, section) = explanation;
                self.wrong.push(format!("{trace}: {what}: agrees now; take it out of EXPLAINED and of \"{section}\""));
            }
        }
        assert!(self.wrong.is_empty(), "\n{}", self.wrong.join("\n"));
    }
}
