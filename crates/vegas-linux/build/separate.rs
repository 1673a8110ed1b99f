//! Functions that the kernel's verifier examines separately. What is `#[inline(never)]` in the core, or in an algorithm
//! from outside, becomes a global function of the BPF object: the verifier examines it once, with arguments of which it
//! knows the types alone, and does not follow its callers into it. All other functions are inlined, and followed on
//! each way that leads to them.
//!
//! The verifier takes types from BTF, and refuses the names in Rust's debug information. So each of these functions
//! gets a C function around it, written here from its signature in the IR: it checks each reference for null and
//! answers with an integer, as the verifier demands of global functions.

use std::fmt::Write;

/// What BPF passes in registers.
const ARGUMENTS_MAX: usize = 5;
/// Functions of these crates count; libraries have reasons of their own not to inline.
const CRATES: [&str; 2] = ["vegas_core", "vegas_object"];
/// Integer types of the IR and of C.
const INTEGERS: [(&str, &str); 5] = [
    ("i1", "_Bool"),
    ("i8", "unsigned char"),
    ("i16", "unsigned short"),
    ("i32", "unsigned int"),
    ("i64", "unsigned long long"),
];
const NOTHING: &str = "void";

/// A function that is examined separately.
pub(crate) struct Separate {
    symbol: String,
    /// The name of the C function.
    name: String,
    /// In the IR, without the names.
    answer_and_arguments: (String, String),
    answer: &'static str,
    arguments: Vec<Argument>,
}

enum Argument {
    /// Of this type in C.
    Integer(&'static str),
    /// To a value of this many bytes.
    Reference(u32),
}

impl Separate {
    /// Finds them in the IR of core and exports.
    pub(crate) fn all_in(ir: &str) -> Result<Vec<Separate>, String> {
        let groups: Vec<_> = ir.lines().filter_map(group_not_inlined).collect();
        let is_separate = |line: &&str| line.starts_with("define ") && groups.iter().any(|group| line.contains(group));
        let named = ir.lines().filter(is_separate).filter_map(|line| Some((line, symbol_of(line)?)));
        let ours = named.filter(|(_, symbol)| CRATES.iter().any(|name| symbol.contains(name)));
        ours.enumerate().map(|(number, (line, symbol))| Separate::of(number, line, symbol)).collect()
    }

    fn of(number: usize, definition: &str, symbol: &str) -> Result<Separate, String> {
        let last = last_name(symbol);
        let (before, after) = definition.split_once(symbol).ok_or("a definition without its symbol")?;
        let before = callable(before).replace("define ", "");
        let list = within_parentheses(after.trim_start_matches('"'));
        let answer = outside_parentheses(&before).split_whitespace().find_map(answer);
        let arguments = split_at_commas(list).into_iter().map(argument).collect::<Option<Vec<_>>>();
        match (answer, arguments) {
            (Some(answer), Some(arguments)) if arguments.len() <= ARGUMENTS_MAX && !before.contains('{') => {
                Ok(Separate {
                    symbol: symbol.into(),
                    name: format!("separate_{number}_{last}"),
                    answer_and_arguments: (before.trim_end_matches(['@', '"']).into(), list.into()),
                    answer,
                    arguments,
                })
            }
            _ => Err(format!(
                "{last}: what is #[inline(never)] in the kernel's copy takes {ARGUMENTS_MAX} arguments at most, integers and \
                 references to values of one size, and returns an integer, a bool or nothing"
            )),
        }
    }

    /// The line of the IR as it is to be, if it defines or calls the function: C reaches it, and its callers call the C
    /// function. `number` is that of the line.
    pub(crate) fn retarget(&self, line: &str, number: usize) -> Option<String> {
        let (before, after) = line.split_once(&self.symbol)?;
        let before = callable(before);
        if before.starts_with("define ") {
            return Some(format!("{before}{}{after}", self.symbol));
        }
        let after = after.trim_start_matches('"');
        if !before.contains("call ") || !after.starts_with('(') {
            return None;
        }
        // the attributes of the call would ask for inlining
        let arguments = after.find(") #").map_or(after, |end| &after[..=end]);
        let before = before.trim_end_matches(['@', '"']);
        Some(match before.trim_start().strip_suffix("void ") {
            Some(call) => format!("  %separate.{number} = {call}i64 @{}{arguments}", self.name),
            None => format!("{before}@{}{arguments}", self.name),
        })
    }

    /// Declares the C function in the IR.
    pub(crate) fn declaration(&self) -> String {
        let (answer, arguments) = &self.answer_and_arguments;
        format!("declare {}@{}({arguments})\n", answer.replace(NOTHING, "i64"), self.name)
    }

    /// The C function around it.
    fn in_c(&self) -> String {
        let Separate { symbol, name, answer, arguments, .. } = self;
        let each = |write: fn(usize, &Argument) -> Option<String>| {
            (0..).zip(arguments).filter_map(move |(at, it)| write(at, it)).collect::<Vec<_>>()
        };
        let types = each(|at, it| Some(format!("{} a{at}", it.in_c()))).join(", ");
        let names = each(|at, _| Some(format!("a{at}"))).join(", ");
        let checks: String = each(|at, it| it.bytes().map(|_| format!("\tif (!a{at})\n\t\treturn 0;\n"))).concat();
        let (outer, call) = match *answer {
            NOTHING => ("unsigned long long", format!("core_{name}({names});\n\treturn 0;")),
            answer => (answer, format!("return core_{name}({names});")),
        };
        format!(
            "{answer} core_{name}({types}) __asm__(\"{symbol}\");\n\
             __attribute__((noinline)) {outer} {name}({types})\n{{\n{checks}\t{call}\n}}\n"
        )
    }
}

/// The C functions around all of them.
pub(crate) fn c_source(functions: &[Separate]) -> String {
    let mut sizes: Vec<_> =
        functions.iter().flat_map(|function| &function.arguments).filter_map(Argument::bytes).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let mut source = String::new();
    for bytes in sizes {
        writeln!(source, "struct bytes_{bytes} {{ unsigned char bytes[{bytes}]; }};").expect("a string takes all");
    }
    functions.iter().for_each(|function| source.push_str(&function.in_c()));
    source
}

impl Argument {
    fn bytes(&self) -> Option<u32> {
        match self {
            Argument::Integer(_) => None,
            Argument::Reference(bytes) => Some(*bytes),
        }
    }

    fn in_c(&self) -> String {
        match self {
            Argument::Integer(name) => (*name).into(),
            Argument::Reference(bytes) => format!("struct bytes_{bytes} *"),
        }
    }
}

fn integer(word: &str) -> Option<&'static str> {
    INTEGERS.iter().find(|(ir, _)| *ir == word).map(|(_, c)| *c)
}

fn answer(word: &str) -> Option<&'static str> {
    if word == NOTHING { Some(NOTHING) } else { integer(word) }
}

fn argument(text: &str) -> Option<Argument> {
    let kind = text.split_whitespace().next()?;
    if kind != "ptr" {
        return integer(kind).map(Argument::Integer);
    }
    let is_answers_place = text.contains(" sret(");
    let (_, bytes) = text.split_once("dereferenceable(").filter(|_| !is_answers_place)?;
    bytes.split(')').next()?.parse().ok().map(Argument::Reference)
}

/// The number of an attribute group that forbids inlining, as definitions have it: ` #16 `. What is cold is so for
/// hosts alone.
fn group_not_inlined(line: &str) -> Option<String> {
    let (number, attributes) = line.strip_prefix("attributes ")?.split_once(" = ")?;
    let has = |word| attributes.split(' ').any(|it| it == word);
    (has("noinline") && !has("cold") && !has("noreturn")).then(|| format!(" {number} "))
}

fn symbol_of(definition: &str) -> Option<&str> {
    let (_, after) = definition.split_once('@')?;
    match after.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => after.split('(').next(),
    }
}

/// Without what only Rust's own callers know of.
fn callable(before: &str) -> String {
    before.replace("internal ", "").replace("fastcc ", "")
}

/// The last name of a mangled path, without the hash: `root` of `_ZN10vegas_core4root17h0123456789abcdefE`.
fn last_name(symbol: &str) -> &str {
    let path = symbol.rfind("17h").map_or(symbol, |hash| &symbol[..hash]);
    path.rfind(|c: char| !c.is_ascii_alphabetic() && c != '_').map_or(path, |before| &path[before + 1..])
}

/// What is in the parentheses with which the text begins.
fn within_parentheses(text: &str) -> &str {
    let end = text.char_indices().zip(depths(text)).find(|(_, depth)| *depth == 0);
    end.map_or("", |((end, _), _)| &text[1..end])
}

fn outside_parentheses(text: &str) -> String {
    text.chars().zip(depths(text)).filter(|(c, depth)| *depth == 0 && *c != ')').map(|(c, _)| c).collect()
}

/// Splits at the commas outside of parentheses.
fn split_at_commas(list: &str) -> Vec<&str> {
    let commas = list.char_indices().zip(depths(list)).filter(|((_, c), depth)| *c == ',' && *depth == 0);
    let mut parts = Vec::new();
    let mut begin = 0;
    for ((comma, _), _) in commas {
        parts.push(list[begin..comma].trim());
        begin = comma + 1;
    }
    parts.push(list[begin..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// How many parentheses are open after each character.
fn depths(text: &str) -> impl Iterator<Item = i32> {
    text.chars().scan(0, |depth, c| {
        *depth += i32::from(c == '(') - i32::from(c == ')');
        Some(*depth)
    })
}
