//! Which file of a crate imports which, by its `use` declarations and by the paths in its code.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::Peekable;
use std::path::PathBuf;

use proc_macro2::{Delimiter, TokenStream, TokenTree, token_stream};

type Tokens = Peekable<token_stream::IntoIter>;

/// A path of names, as code writes it: `crate::units::Span`. A place in the tree of modules has none of the first
/// words.
type Names = Vec<String>;

/// For each file those that it imports, with the paths by which it does.
pub(crate) type Arrows = BTreeMap<PathBuf, BTreeMap<PathBuf, BTreeSet<String>>>;

/// Files that may import each other: those of a crate, by their places.
pub(crate) struct Modules {
    name: String,
    by_place: BTreeMap<Names, Module>,
}

/// What a file names.
#[derive(Default)]
struct Module {
    file: PathBuf,
    place: Names,
    /// The paths of `use` declarations by the names that they have here; one that ends in `*` stands under its own
    /// text.
    uses: BTreeMap<String, Names>,
    /// Which of them are `pub`.
    handed_on: BTreeSet<String>,
    /// Paths of two names or more, wherever they stand.
    paths: BTreeSet<Names>,
    defined: BTreeSet<String>,
    /// Modules that lie in files of their own.
    children: BTreeSet<String>,
}

impl Modules {
    pub(crate) fn new(name: &str) -> Modules {
        Modules { name: name.replace('-', "_"), by_place: BTreeMap::new() }
    }

    /// Adds a file of the crate. `inside` is its path below `src`, without `.rs`.
    pub(crate) fn add(&mut self, file: PathBuf, inside: &str, tokens: TokenStream) {
        let place: Names =
            inside.split('/').filter(|name| !matches!(*name, "mod" | "lib")).map(str::to_owned).collect();
        let mut module = Module { file, place: place.clone(), ..Module::default() };
        module.read(tokens.into_iter().peekable());
        self.by_place.insert(place, module);
    }

    /// What a `pub use` hands on from a child is no import; every other name of another file is.
    pub(crate) fn arrows(&self) -> Arrows {
        let mut arrows = Arrows::new();
        for (place, module) in &self.by_place {
            let from = arrows.entry(module.file.clone()).or_default();
            for path in module.uses.values().chain(&module.paths) {
                match self.home_of(place, path, 0) {
                    Some(used) if !used.place.starts_with(place) => {
                        from.entry(used.file.clone()).or_default().insert(path.join("::"));
                    }
                    _ => {}
                }
            }
        }
        arrows
    }

    /// Returns the file that defines what a path in the file at `place` names: none if that is a module, or in another
    /// crate. `depth` ends the search where names lead to each other.
    fn home_of(&self, place: &[String], path: &[String], depth: usize) -> Option<&Module> {
        let module = &self.by_place[place];
        let (first, rest) = path.split_first().filter(|_| depth < 10)?;
        match first.as_str() {
            "crate" => self.below(&[], rest, depth),
            name if name == self.name => self.below(&[], rest, depth),
            "self" => self.below(place, rest, depth),
            "super" => self.below(parent(place), rest, depth),
            name => match module.uses.get(name) {
                Some(path) if path[0] != name => self.home_of(place, &[path, rest].concat(), depth + 1),
                _ if module.children.contains(name) => self.below(place, path, depth),
                _ => None,
            },
        }
    }

    /// As `home_of`, for a path that begins in the module at `place`.
    fn below(&self, place: &[String], path: &[String], depth: usize) -> Option<&Module> {
        let (first, rest) = path.split_first()?;
        if first == "super" {
            return self.below(parent(place), rest, depth);
        }
        let (module, child) = (self.by_place.get(place)?, [place, std::slice::from_ref(first)].concat());
        if self.by_place.contains_key(&child) {
            return self.below(&child, rest, depth);
        }
        let all = || module.uses.keys().find(|name| module.handed_on.contains(*name) && name.ends_with('*'));
        match module.uses.get(first) {
            _ if module.children.contains(first) => None, // its file is not below `src`
            Some(path) => self.home_of(place, &[path, rest].concat(), depth + 1),
            None if module.defined.contains(first) => Some(module),
            None => match all() {
                Some(all) => {
                    let beside = module.uses[all].split_last()?.1;
                    self.home_of(place, &[beside, path].concat(), depth + 1)
                }
                None => Some(module),
            },
        }
    }
}

fn parent(place: &[String]) -> &[String] {
    &place[..place.len().saturating_sub(1)]
}

impl Module {
    fn read(&mut self, mut tokens: Tokens) {
        let mut public = false;
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Ident(word) => match word.to_string().as_str() {
                    "use" => self.bring_all(&mut tokens, &[], public),
                    "mod" => self.declare(&mut tokens),
                    "pub" => {
                        public = true;
                        continue;
                    }
                    "struct" | "enum" | "union" | "trait" | "type" | "fn" | "const" | "static" => {
                        self.defined.extend(tokens.peek().map(ToString::to_string));
                    }
                    first => {
                        let path = path(first, &mut tokens);
                        self.paths.extend((path.len() > 1).then_some(path));
                    }
                },
                TokenTree::Group(group) => {
                    self.read(group.stream().into_iter().peekable());
                    if group.delimiter() == Delimiter::Parenthesis {
                        continue; // `pub(crate)`
                    }
                }
                _ => {}
            }
            public = false;
        }
    }

    /// Reads `mod name;`, or `mod name { ... }`, in which `super` is this file.
    fn declare(&mut self, tokens: &mut Tokens) {
        let Some(TokenTree::Ident(name)) = tokens.next() else { return };
        let Some(TokenTree::Group(inside)) = tokens.next() else {
            self.children.insert(name.to_string());
            return;
        };
        let mut module = Module::default();
        module.read(inside.stream().into_iter().peekable());
        let from_here = |path: Names| match &path[..] {
            [first, second, ..] if first == "super" && second != "super" => [&["self".to_owned()], &path[1..]].concat(),
            [first, ..] if first == "super" => path[1..].to_vec(),
            _ => path,
        };
        self.paths.extend(module.paths.into_iter().map(from_here));
        for (name, path) in module.uses {
            self.paths.insert(from_here(path.clone()));
            self.uses.entry(name).or_insert_with(|| from_here(path));
        }
        self.defined.insert(name.to_string());
    }

    /// Reads the paths of a `use` declaration, or of the braces in one, that begin with `before`.
    fn bring_all(&mut self, tokens: &mut Tokens, before: &[String], public: bool) {
        let (mut path, mut name) = (before.to_vec(), None);
        for token in tokens.by_ref() {
            match token {
                TokenTree::Ident(word) if word == "as" => name = Some(String::new()),
                TokenTree::Ident(word) if name.is_some() => name = Some(word.to_string()),
                TokenTree::Ident(word) => path.push(word.to_string()),
                TokenTree::Punct(mark) if mark.as_char() == '*' => path.push("*".to_owned()),
                TokenTree::Punct(mark) if mark.as_char() == ':' => {}
                TokenTree::Group(group) => {
                    let mut inside = group.stream().into_iter().peekable();
                    while inside.peek().is_some() {
                        self.bring_all(&mut inside, &path, public);
                    }
                    path.clear();
                }
                _ => break, // a comma, or a semicolon
            }
        }
        path.truncate(path.len() - usize::from(path.last().is_some_and(|last| last == "self")));
        let Some(last) = path.last() else { return };
        let name = name.unwrap_or_else(|| if last == "*" { path.join("::") } else { last.clone() });
        self.handed_on.extend(public.then(|| name.clone()));
        self.uses.insert(name, path);
    }
}

/// Returns `first` and the names that follow it, each after `::`.
fn path(first: &str, tokens: &mut Tokens) -> Names {
    let mut path = vec![first.to_owned()];
    loop {
        let mut ahead = tokens.clone();
        let is_colon = |token| matches!(token, Some(TokenTree::Punct(mark)) if mark.as_char() == ':');
        match (is_colon(ahead.next()) && is_colon(ahead.next())).then(|| ahead.next()) {
            Some(Some(TokenTree::Ident(name))) => path.push(name.to_string()),
            _ => return path,
        }
        *tokens = ahead;
    }
}

#[test]
fn a_path_leads_to_the_file_that_defines_its_name() {
    let mut modules = Modules::new("a-crate");
    for (inside, text) in [
        ("lib", "pub mod high; mod low; pub use low::deep::Name;"),
        ("low/mod", "pub mod deep; pub use deep::*; pub fn own() {}"),
        ("low/deep", "pub struct Name; pub use std::fmt::Debug; fn f() { super::own() }"),
        ("high", "use crate::{Name as Other, low::{self, Debug}}; fn f() { low::Name::new(); g::<low::own>() }"),
        ("main", "fn main() { a_crate::high::f() } mod tests { use super::super::low; fn f() { low::own() } }"),
    ] {
        modules.add(PathBuf::from(inside), inside, text.parse().expect("tokens"));
    }
    let found: Vec<(String, Vec<String>)> = modules
        .arrows()
        .into_iter()
        .map(|(file, used)| (file.display().to_string(), used.keys().map(|file| file.display().to_string()).collect()))
        .collect();
    let expected = [("high", vec!["low/deep", "low/mod"]), ("lib", vec![]), ("low/deep", vec!["low/mod"])];
    let expected = expected.into_iter().chain([("low/mod", vec![]), ("main", vec!["high", "low/mod"])]);
    let expected: Vec<(String, Vec<String>)> =
        expected.map(|(file, used)| (file.into(), used.into_iter().map(String::from).collect())).collect();
    assert_eq!(found, expected);
}
