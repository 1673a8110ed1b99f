//! The commands of the shell by which scripts prepare a host: the few that set something are read, none is carried out.

/// What a command sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// A control of the kernel, such as `net.ipv4.tcp_sack`, and its value; or the path of a parameter below `/sys`.
    Sysctl(String, String),
    /// The queue of the host's interface: its kind with what follows; empty where it is taken away.
    Queue(Vec<String>),
    /// Fields of the route to the peer, such as `initcwnd`, with their values.
    Route(Vec<(String, String)>),
    /// The largest packet of the interface, bytes.
    Mtu(String),
    /// The interface's help with large packets, as `ethtool -K` names it, and whether it is on.
    Offload(String, bool),
    /// A command that is not known: its text.
    Unknown(String),
}

/// Returns the text of the file with this path, which is relative to the script.
pub type Files<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// Returns what the commands set, in their order.
pub fn settings(text: &str, files: &Files<'_>) -> Vec<Setting> {
    let mut reader = Reader { files, open: Vec::new(), settings: Vec::new() };
    reader.read(text);
    reader.settings
}

/// The settings read so far, and the files that are being read.
struct Reader<'a> {
    files: &'a Files<'a>,
    open: Vec<String>,
    settings: Vec<Setting>,
}

/// One command: its words, and the file to which it writes.
#[derive(Debug, Default, PartialEq, Eq)]
struct Command {
    words: Vec<String>,
    output: Option<String>,
    /// Whether it reads what another one writes.
    is_piped: bool,
}

/// Divides a line into commands. What follows `||` is left out: it stands for a command that fails.
fn commands(line: &str) -> Vec<Command> {
    let mut commands = vec![Command::default()];
    let mut words = words(line).into_iter().peekable();
    while let Some(word) = words.next() {
        let command = commands.last_mut().expect("one at least");
        match word.as_str() {
            "||" => break,
            ";" | "&&" => commands.push(Command::default()),
            "|" => command.is_piped = true,
            _ if word.starts_with("2>") || word.starts_with("&>") => {
                if word.ends_with('>') {
                    words.next();
                }
            }
            ">" => command.output = words.next(),
            _ => command.words.push(word),
        }
    }
    commands.retain(|command| !command.words.is_empty());
    commands
}

/// Divides a line into words: quotes keep blanks, `#` begins a comment, and arithmetic is worked out.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut is_word = false;
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        rest = &rest[first.len_utf8()..];
        match first {
            '#' if !is_word => break,
            '"' | '\'' => {
                let (inside, after) = rest.split_once(first).unwrap_or((rest, ""));
                word.push_str(&worked_out(inside));
                (rest, is_word) = (after, true);
            }
            '$' if rest.starts_with("((") => {
                let (inside, after) = rest[2..].split_once("))").unwrap_or((&rest[2..], ""));
                word.push_str(&product(inside));
                (rest, is_word) = (after, true);
            }
            _ if first.is_whitespace() || first == ';' => {
                if is_word {
                    words.push(std::mem::take(&mut word));
                }
                is_word = false;
                if first == ';' {
                    words.push(";".to_owned());
                }
            }
            _ => {
                word.push(first);
                is_word = true;
            }
        }
    }
    words.extend(is_word.then_some(word));
    words
}

/// Works out the products within a quoted text.
fn worked_out(text: &str) -> String {
    let mut parts = text.split("$((");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| match part.split_once("))") {
        Some((inside, after)) => text + &product(inside) + after,
        None => text + "$((" + part,
    })
}

/// The product of numbers, as text; what is no product stays as it is.
fn product(text: &str) -> String {
    let factors: Option<Vec<u64>> = text.split('*').map(|factor| factor.trim().parse().ok()).collect();
    let product =
        factors.and_then(|factors| factors.iter().try_fold(1_u64, |product, factor| product.checked_mul(*factor)));
    product.map_or(format!("$(({text}))"), |product| product.to_string())
}

impl Reader<'_> {
    fn read(&mut self, text: &str) {
        for line in text.replace("\\\n", " ").lines() {
            commands(line).iter().for_each(|command| self.take(command));
        }
    }

    fn take(&mut self, command: &Command) {
        let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
        let name = words[0].rsplit('/').next().unwrap_or_default();
        match (name, &words[1..]) {
            _ if command.is_piped => self.unknown(&words),
            ("sysctl" | "set_sysctls.py", values) => {
                let values = values.iter().filter(|value| !value.starts_with('-'));
                self.settings.extend(values.map(|value| sysctl(value)));
            }
            ("echo", [value]) => match &command.output {
                Some(path) => self.settings.push(Setting::Sysctl(path_of_sysctl(path), (*value).to_owned())),
                None => self.unknown(&words),
            },
            ("ip", ["tcp_metrics", "flush", ..]) | ("true" | ":", _) => {}
            ("ip", ["-6", rest @ ..] | rest) => match route(rest) {
                Some(setting) => self.settings.push(setting),
                None => self.unknown(&words),
            },
            ("tc", ["qdisc", "add" | "replace", "dev", _, "root", queue @ ..]) => {
                self.settings.push(Setting::Queue(queue.iter().map(|word| (*word).to_owned()).collect()));
            }
            ("tc", ["qdisc", "del" | "delete", ..]) => self.settings.push(Setting::Queue(Vec::new())),
            ("ethtool", ["-K", _, pairs @ ..]) => {
                let offload = |pair: &[&str]| Setting::Offload(pair[0].to_owned(), pair[1] == "on");
                self.settings.extend(pairs.chunks_exact(2).map(offload));
            }
            (file, []) if file.ends_with(".sh") => self.read_file(words[0]),
            _ => self.unknown(&words),
        }
    }

    fn read_file(&mut self, path: &str) {
        // what set_sysctls.py has written to restore its values
        if path.starts_with("/tmp/sysctl_restore_") {
            return;
        }
        match (self.files)(path) {
            Some(text) if !self.open.iter().any(|open| open == path) => {
                self.open.push(path.to_owned());
                self.read(&text);
                self.open.pop();
            }
            _ => self.unknown(&[path]),
        }
    }

    fn unknown(&mut self, words: &[&str]) {
        self.settings.push(Setting::Unknown(words.join(" ")));
    }
}

fn sysctl(assignment: &str) -> Setting {
    match assignment.split_once('=') {
        Some((name, value)) => Setting::Sysctl(path_of_sysctl(name), value.trim().to_owned()),
        None => Setting::Unknown(format!("sysctl {assignment}")),
    }
}

/// `net.ipv4.x` for any spelling of it.
fn path_of_sysctl(name: &str) -> String {
    match name.strip_prefix("/proc/sys/") {
        None if name.starts_with('/') => name.to_owned(),
        stripped => stripped.unwrap_or(name).replace('/', "."),
    }
}

fn route(words: &[&str]) -> Option<Setting> {
    match words {
        ["route", "change" | "replace" | "add" | "append", _, fields @ ..] => {
            let fields: Vec<&str> = fields.iter().copied().filter(|word| *word != "lock").collect();
            let pairs = fields.chunks_exact(2).map(|pair| (pair[0].to_owned(), pair[1].to_owned()));
            Some(Setting::Route(pairs.filter(|(name, _)| name != "via" && name != "dev").collect()))
        }
        ["link", "set", "dev", _, "mtu", mtu] | ["link", "set", _, "mtu", mtu] => Some(Setting::Mtu((*mtu).to_owned())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sysctls(pairs: &[(&str, &str)]) -> Vec<Setting> {
        pairs.iter().map(|(name, value)| Setting::Sysctl((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn every_spelling_of_a_sysctl_is_read() {
        let text = "sysctl -q net.ipv4.tcp_sack=0 net/ipv4/tcp_dsack=0 # both\n../common/set_sysctls.py \\\n \
                    /proc/sys/net/ipv4/tcp_rmem=\"4096 $((128*1024)) 5\"\necho 3 > /sys/module/tcp_cubic/parameters/x\n\
                    sysctl -w net.ipv4.a=$((15*1024))";
        let expected = sysctls(&[
            ("net.ipv4.tcp_sack", "0"),
            ("net.ipv4.tcp_dsack", "0"),
            ("net.ipv4.tcp_rmem", "4096 131072 5"),
            ("/sys/module/tcp_cubic/parameters/x", "3"),
            ("net.ipv4.a", "15360"),
        ]);
        assert_eq!(settings(text, &|_| None), expected);
    }

    #[test]
    fn files_of_commands_are_read_and_what_is_unknown_is_named() {
        let files = |path: &str| {
            (path == "../a.sh").then(|| "sysctl -q a=1\nip tcp_metrics flush all > /dev/null 2>&1".to_owned())
        };
        let text = "../a.sh\nnstat -n | grep x\n/tmp/sysctl_restore_7.sh\n./b.sh";
        let unknown = |text: &str| Setting::Unknown(text.to_owned());
        let expected = [sysctls(&[("a", "1")]), vec![unknown("nstat -n grep x"), unknown("./b.sh")]].concat();
        assert_eq!(settings(text, &files), expected);
    }

    #[test]
    fn a_file_that_names_itself_is_unknown_there() {
        let read = settings("./a.sh", &|_| Some("./a.sh".to_owned()));
        assert_eq!(read, [Setting::Unknown("./a.sh".to_owned())]);
    }

    #[test]
    fn interface_and_route_are_read() {
        let text = "tc qdisc delete dev tun0 root 2>/dev/null ; tc qdisc add dev tun0 root pfifo limit 0\n\
                    ip route change 192.0.2.1 via 192.168.0.2 dev tun0 mtu lock 640 initcwnd 11\n\
                    ethtool -K tun0 tso off gso on\nip link set dev tun0 mtu 9000";
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let expected = [
            Setting::Queue(Vec::new()),
            Setting::Queue(owned(&["pfifo", "limit", "0"])),
            Setting::Route(vec![pair("mtu", "640"), pair("initcwnd", "11")]),
            Setting::Offload("tso".to_owned(), false),
            Setting::Offload("gso".to_owned(), true),
            Setting::Mtu("9000".to_owned()),
        ];
        assert_eq!(settings(text, &|_| None), expected);
    }
}
