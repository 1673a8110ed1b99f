//! Scripts that are damaged in any way: the rules of the fuzz target `script`, on the project's own scripts.

use proptest::prelude::*;

use crate::support;

const SCRIPTS: [&str; 4] = [
    include_str!("../../scripts/linux/recovery/three-blocks-begin-recovery.pkt"),
    include_str!("../../scripts/linux/ecn/the-receiver-echoes.pkt"),
    include_str!("../../scripts/linux/handshake/syn-is-repeated.pkt"),
    include_str!("../../scripts/linux/limits/peer-holds-back.pkt"),
];

/// Words that change the meaning of a script.
const WORDS: [&str; 24] = [
    "`",
    "%{",
    "}%",
    "...",
    "<",
    ">",
    "S",
    "F.",
    "R",
    "-",
    "0",
    "1",
    "4294967295",
    "65535",
    "99999.5",
    "+",
    "*",
    "~",
    "win",
    "ack",
    "close(4) = 0",
    "\n",
    "write(4, ..., 999999999) = 5",
    "<sack 1:4294967295>",
];

/// One damage: the place, how many bytes go, and which word comes.
type Damage = (prop::sample::Index, usize, usize);

fn damaged(text: &str, damages: &[Damage]) -> String {
    damages.iter().fold(text.to_owned(), |text, (place, goes, word)| {
        let at = place.index(text.len().max(1));
        let (head, tail) = (text.get(..at).unwrap_or_default(), text.get(at + goes..).unwrap_or_default());
        format!("{head}{}{tail}", WORDS[*word])
    })
}

proptest! {
    #[test]
    fn damaged_scripts_do_no_harm(
        script in 0..SCRIPTS.len(),
        damages in prop::collection::vec((any::<prop::sample::Index>(), 0..40usize, 0..WORDS.len()), 1..6),
    ) {
        support::check(&damaged(SCRIPTS[script], &damages));
    }
}
