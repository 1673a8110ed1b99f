//! The configuration of a reference run, from its name: `S<n>_<algorithm>[_vs_<algorithm>][_<variant>]...`, as the
//! README beside the traces explains. So a trace that is added later needs no line here.

/// A run of the reference: a path, and its flows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Case {
    pub(crate) rate: &'static str,
    /// The propagation delay of both ways together.
    pub(crate) rtt_ms: u32,
    /// The limit of the queue, packets; the packet in the transmitter counts.
    pub(crate) queue: u32,
    pub(crate) duration_s: u32,
    /// The payload of a transfer that ends.
    pub(crate) size: Option<&'static str>,
    /// Of this number of packets offered to the bottleneck one is lost.
    pub(crate) drop_every: Option<u32>,
    pub(crate) initial_window: u32,
    /// The size of the headers, bytes: 40, and 12 more with timestamps.
    pub(crate) header: u32,
    /// The keys of both flows' hosts other than `kind`.
    pub(crate) host: &'static str,
    pub(crate) first: Sender,
    /// The second flow, and the time at which it connects, ms.
    pub(crate) second: Option<(Sender, u32)>,
}

/// An algorithm of the kernel.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Sender {
    Vegas {
        alpha: u32,
        beta: u32,
        gamma: u32,
    },
    Reno,
    Cubic,
    /// CUBIC with the kernel's module parameter `hystart=0`.
    CubicNoHystart,
    /// The preset of a kernel module.
    Standalone(&'static str),
}

/// The presets, by the names of the kernel's modules.
const STANDALONE: [(&str, &str); 10] = [
    ("bbr", "bbr1"),
    ("bbr3", "bbr3-linux"),
    ("cdg", "cdg"),
    ("htcp", "htcp"),
    ("illinois", "illinois"),
    // the kernel's LP never detects early congestion, and is otherwise Reno (docs/algorithms/lp.md)
    ("lp", "reno-linux"),
    ("nv", "nv"),
    ("veno", "veno"),
    ("westwood", "westwood"),
    ("yeah", "yeah"),
];

/// Runs with these words in their names are not compared, for these reasons.
const ABSENT: [(&str, &str); 2] = [
    ("applim", "an application that writes only while nothing waits"),
    ("ratechange", "netem, where what waits leaves at the rate before the change"),
];

/// Returns the path of a scenario in the README's list.
fn path(number: &str) -> Option<Case> {
    let (rate, rtt_ms, queue, duration_s) = match number {
        "S1" => ("50mbit", 100, 100, 60),
        "S2" => ("50mbit", 100, 30, 60),
        "S3" => ("10mbit", 100, 50, 40),
        "S4" => ("5mbit", 20, 20, 20),
        "S5" => ("10mbit", 100, 50, 60),
        "S6" => ("5mbit", 40, 40, 60),
        "S7" => ("10mbit", 50, 50, 60),
        "S8" => ("1600kbit", 100, 10, 40),
        _ => return None,
    };
    Some(Case {
        rate,
        rtt_ms,
        queue,
        duration_s,
        size: (number == "S8").then_some("1000000b"),
        drop_every: None,
        initial_window: 2,
        header: 40,
        // the buffers are larger than any window
        // the traces' kernel has CONFIG_HZ=1000
        host: ", receive_window = 1048576, ticks_per_second = 1000",
        first: Sender::Reno,
        second: None,
    })
}

impl Case {
    /// Returns the configuration of a run's name.
    ///
    /// # Errors
    /// The reason why the run cannot be simulated.
    ///
    /// # Panics
    /// The name has a word that neither the README nor this file explains.
    pub(crate) fn of(run: &str) -> Result<Case, &'static str> {
        let mut words: Vec<&str> = run.split('_').rev().collect();
        let number = words.pop().unwrap_or_default();
        let mut case = path(number).unwrap_or_else(|| panic!("{run}: {number} is no scenario of the README"));
        if let Some((_, why)) = ABSENT.iter().find(|(name, _)| run.split('_').any(|word| word == *name)) {
            return Err(why);
        }
        case.first = sender(&mut words).unwrap_or_else(|| panic!("{run}: the algorithm is unknown"));
        if number == "S5" {
            case.second = Some((case.first.clone(), 10_000));
        }
        while let Some(word) = words.pop() {
            case.vary(word, &mut words).unwrap_or_else(|| panic!("{run}: {word} is unknown"));
        }
        Ok(case)
    }

    fn vary(&mut self, word: &str, words: &mut Vec<&str>) -> Option<()> {
        let number = |prefix: &str| word.strip_prefix(prefix)?.parse().ok();
        if word == "vs" {
            self.second = Some((sender(words)?, 1));
        } else if let Some(queue) = number("q") {
            self.queue = queue;
        } else if let Some(window) = number("iw") {
            self.initial_window = window;
        } else if let Some(every) = number("drop1per") {
            self.drop_every = Some(every);
        } else if let Some(start_s) = number("start") {
            self.second.as_mut()?.1 = 1000 * start_s;
        } else {
            match word {
                "long" => self.duration_s = 120,
                "ts1" => self.header = 52,
                // the queue in bandwidth-delay products
                "rerun" | "half" | "8bdp" | "bdp" => {}
                "nosack" => self.host = ", sack = false, receive_window = 1048576",
                // a receive window of 400 kB, as the README says
                "delack" => self.host = r#", delayed_ack = "linux", receive_window = 400"#,
                // after delack
                "autotune" => self.host = r#", delayed_ack = "linux", receive_window = "linux""#,
                _ => return None,
            }
        }
        Some(())
    }
}

/// Takes the next algorithm; a second one's numbers are not in the name.
fn sender(words: &mut Vec<&str>) -> Option<Sender> {
    match words.pop()? {
        "reno" => Some(Sender::Reno),
        "cubic" => {
            let hystart = words.pop_if(|word| ["hystart", "nohystart"].contains(word));
            Some(if hystart == Some("nohystart") { Sender::CubicNoHystart } else { Sender::Cubic })
        }
        "vegas" => {
            let numbers = words.pop_if(|word| word.starts_with('a')).unwrap_or("a2b4g1");
            let (alpha, rest) = numbers.strip_prefix('a')?.split_once('b')?;
            let (beta, gamma) = rest.split_once('g')?;
            Some(Sender::Vegas { alpha: alpha.parse().ok()?, beta: beta.parse().ok()?, gamma: gamma.parse().ok()? })
        }
        word => STANDALONE.iter().find(|(module, _)| *module == word).map(|(_, preset)| Sender::Standalone(preset)),
    }
}

impl Sender {
    /// Returns whether it steers by delay, so that its window is steady instead of a saw-tooth.
    pub(crate) fn holds_its_window(&self) -> bool {
        matches!(self, Sender::Vegas { .. } | Sender::Standalone("nv" | "cdg" | "bbr1" | "bbr3-linux"))
    }

    /// The greatest difference of the steady window from the kernel's.
    pub(crate) fn steady_within(&self, theirs: f64) -> f64 {
        if self.is_bbr() { 0.05 * theirs } else { 1.0 }
    }

    pub(crate) fn is_bbr(&self) -> bool {
        matches!(self, Sender::Standalone("bbr1" | "bbr3-linux"))
    }

    /// Returns its keys in a flow's table.
    pub(crate) fn keys(&self) -> String {
        match self {
            Sender::Vegas { alpha, beta, gamma } => {
                format!("algorithm = \"vegas-linux\"\nalpha = {alpha}\nbeta = {beta}\ngamma = {gamma}")
            }
            Sender::Reno => "algorithm = \"reno-linux\"".into(),
            Sender::Cubic => "algorithm = \"cubic-linux\"".into(),
            Sender::CubicNoHystart => "algorithm = { preset = \"cubic-linux\", slow_start = \"reno\" }".into(),
            Sender::Standalone(name) => format!("algorithm = \"{name}\""),
        }
    }
}

#[test]
fn names_say_what_was_run() {
    let case = Case::of("S3_vegas_a1b3g1_q2000_long_rerun").expect("a run");
    assert_eq!((case.rate, case.queue, case.duration_s), ("10mbit", 2000, 120));
    assert_eq!(case.first, Sender::Vegas { alpha: 1, beta: 3, gamma: 1 });
    let case = Case::of("S6_vegas_a2b4g1_vs_cubic_start10").expect("a run");
    assert_eq!(case.second, Some((Sender::Cubic, 10_000)));
    let case = Case::of("S5_reno_start20_ts1").expect("a run");
    assert_eq!((case.second, case.header), (Some((Sender::Reno, 20_000)), 52));
    let case = Case::of("S7_cubic_nohystart_drop1per500_iw10").expect("a run");
    assert_eq!((case.first, case.drop_every, case.initial_window), (Sender::CubicNoHystart, Some(500), 10));
    assert!(Case::of("S3_reno_delack_autotune").expect("a run").host.ends_with(r#""linux""#));
    assert_eq!(Case::of("S3_lp_ts1").map(|case| (case.first, case.header)), Ok((Sender::Standalone("reno-linux"), 52)));
    assert!(Case::of("S3_bbr_applim_nobacklog").is_err());
    assert_eq!(Case::of("S3_reno_nosack").expect("a run").host, ", sack = false, receive_window = 1048576");
    assert!(Case::of("S3_bbr3_ratechange_netem").is_err());
    assert_eq!(Case::of("S3_bbr3_q60_half_bdp").map(|case| case.first), Ok(Sender::Standalone("bbr3-linux")));
    assert_eq!(Case::of("S3_nv").map(|case| case.first), Ok(Sender::Standalone("nv")));
    for unknown in ["S9_reno", "S3_tahoe", "S3_reno_blue", "S3_vegas_a2"] {
        assert!(std::panic::catch_unwind(|| Case::of(unknown)).is_err(), "{unknown}");
    }
}
