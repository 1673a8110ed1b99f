//! Compares the condensed tables with tcplib's own.

use std::io::Write as _;
use std::path::Path;

use super::*;

const DRAWS: usize = 1_000_000;

/// Every table with the mean and median of tcplib's draws from it, calculated from its rows: p is a multiple of 1/1000
/// below 1, the row is the first with cdf >= p, and the value is uniform between the previous row and this one.
const TABLES: [(&str, Quantiles, f64, f64); 9] = [
    ("ftp.nitems", tables::FTP_NITEMS, 6.8825, 3.23469),
    ("ftp.ctlsize", tables::FTP_CTLSIZE, 27.9055, 24.5806),
    ("ftp.itemsize", tables::FTP_ITEMSIZE, 26986.0, 508.272),
    ("smtp.itemsize", tables::SMTP_ITEMSIZE, 1409.34, 437.5),
    ("nntp.nitems", tables::NNTP_NITEMS, 377.959, 18.6364),
    ("nntp.itemsize", tables::NNTP_ITEMSIZE, 1981.65, 1503.0),
    ("telnet.duration", tables::TELNET_DURATION, 667547.0, 168947.0),
    ("telnet.interarrival", tables::TELNET_INTERARRIVAL, 1144.5, 232.083),
    ("telnet.pktsize", tables::TELNET_PKTSIZE, 24.4215, 1.0),
];

fn assert_near(value: f64, expected: f64, what: &str) {
    assert!((value / expected - 1.0).abs() < 0.02, "{what}: {value}, expected {expected} within 2 %");
}

#[test]
fn a_million_draws_have_the_tables_means_and_medians() {
    for (name, quantiles, mean, median) in TABLES {
        let mut stream = Stream::named(1, name);
        let mut values: Vec<f64> = (0..DRAWS).map(|_| draw(quantiles, &mut stream)).collect();
        values.sort_by(f64::total_cmp);
        assert_near(values.iter().sum::<f64>() / DRAWS as f64, mean, &format!("{name}: mean"));
        assert_near(values[DRAWS / 2], median, &format!("{name}: median"));
    }
}

#[test]
fn tables_rise_and_are_condensed() {
    for (name, quantiles, ..) in TABLES {
        assert!(quantiles.len() <= 64, "{name}");
        assert_eq!((quantiles[0].0, quantiles[quantiles.len() - 1].0), (0, 1000), "{name}");
        assert!(quantiles.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1), "{name}");
    }
}

/// Compares the numbers above with the full tables, if these lie beside the checkout.
#[test]
fn means_and_medians_are_those_of_the_full_tables() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/tcplib");
    if !folder.is_dir() {
        writeln!(std::io::stderr(), "SKIPPED: tcplib's full tables are not beside the checkout").unwrap();
        return;
    }
    for (name, _, mean, median) in TABLES {
        let mut drawn = full_table(&folder.join(format!("{name}.csv")));
        assert_near(drawn.iter().sum::<f64>() / drawn.len() as f64, mean, &format!("{name}: mean"));
        drawn.sort_by(f64::total_cmp);
        assert_near(drawn[drawn.len() / 2], median, &format!("{name}: median"));
    }
}

/// Makes a million draws from a full table by tcplib's own rule.
fn full_table(path: &Path) -> Vec<f64> {
    let text = std::fs::read_to_string(path).unwrap();
    let row = |line: &str| line.split_once(',').map(|(value, cdf)| (value.parse().unwrap(), cdf.parse().unwrap()));
    let rows: Vec<(f64, f64)> = text.lines().skip(1).filter_map(row).collect();
    let mut stream = Stream::named(2, "full");
    let mut one = || {
        let p = (stream.unit() * 1000.0).ceil() / 1000.0 - 0.001;
        let at = rows.iter().position(|(_, cdf)| *cdf >= p - 1e-9).unwrap();
        let before = rows[at.saturating_sub(1)].0;
        before + (rows[at].0 - before) * stream.unit()
    };
    (0..DRAWS).map(|_| one()).collect()
}

/// The shares are 3798 : 612 : 216 : 56 of 4682.
#[test]
fn the_mix_is_tcplibs() {
    let mut stream = Stream::named(1, "mix");
    let drawn: Vec<Application> = (0..100_000).map(|_| Application::draw(&mut stream)).collect();
    let share = |application| drawn.iter().filter(|drawn| **drawn == application).count();
    assert!((80_600..81_600).contains(&share(Application::Smtp)));
    assert!((12_700..13_450).contains(&share(Application::Telnet)));
    assert!((4_400..4_830).contains(&share(Application::Ftp)));
    assert!((1_070..1_330).contains(&share(Application::Nntp)));
}

/// The means of an item are those of its tables, 27.9 + 26986 and 1982 bytes.
#[test]
fn given_items_replace_the_table_of_their_number() {
    let mean = |application: Application, items| {
        let mut stream = Stream::named(1, "items");
        let drawn = (0..100_000).map(|_| application.size(items, &mut stream).unwrap().get());
        drawn.sum::<u64>() as f64 / 100_000.0
    };
    for (application, item) in [(Application::Ftp, 27_014.0), (Application::Nntp, 1_982.0)] {
        let (one, three) = (mean(application, Some(1)) / item, mean(application, Some(3)) / item);
        assert!(
            (0.95..1.05).contains(&one) && (2.85..3.15).contains(&three),
            "{application:?}: {one} and {three} items"
        );
        assert!(mean(application, None) > 6.0 * item);
    }
    assert_eq!(mean(Application::Smtp, Some(3)).to_bits(), mean(Application::Smtp, None).to_bits(), "one item always");
}

#[test]
fn telnet_is_typed_over_time_and_cut_to_segments() {
    let run_end = Time::from_nanos(60_000_000_000);
    let mut stream = Stream::named(1, "telnet");
    for _ in 0..200 {
        let Writes::Timed { times, ends } = telnet(Time::from_nanos(5), run_end, 100, &mut stream) else {
            panic!("a user writes over time")
        };
        assert_eq!(times.len(), ends.len());
        assert_eq!(times[0], Time::from_nanos(5));
        assert!(times.is_sorted());
        assert!(ends.windows(2).all(|pair| pair[0] < pair[1] && pair[1] - pair[0] <= 100));
        assert!(times.iter().rev().skip_while(|time| *time == &times[times.len() - 1]).all(|time| *time <= run_end));
    }
}
