//! Writes the copies: `vegas-core`'s sources of bbr3, each with one wrong line, as modules of this crate.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

include!("src/table.rs");

/// The files of bbr3.
const FILES: [&str; 9] = [
    "bbr/shared.rs",
    "bbr/bbr3.rs",
    "bbr/bbr3/bounds.rs",
    "bbr/bbr3/control.rs",
    "bbr/bbr3/cycle.rs",
    "bbr/bbr3/probe_rtt.rs",
    "bbr/bbr3/signals.rs",
    "bbr/bbr3/startup.rs",
    "random.rs",
];

fn main() {
    let core = Path::new("../../vegas-core/src/standalone");
    println!("cargo::rerun-if-changed={}", core.display());
    println!("cargo::rerun-if-changed=src/table.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo says where"));
    let mut modules = copy(core, &out, "as_it_is", None);
    for (place, mutant) in MUTANTS.iter().enumerate() {
        modules += &copy(core, &out, &format!("mutant_{place}"), Some(mutant));
    }
    let mut starts = String::from("pub(crate) const STARTS: &[Start] = &[\n    as_it_is::start,\n");
    for place in 0..MUTANTS.len() {
        let _ = writeln!(starts, "    mutant_{place}::start,");
    }
    fs::write(out.join("copies.rs"), modules + &starts + "];\n").expect("the folder is Cargo's");
}

/// Writes a copy into a folder of its own; returns the module that contains it.
fn copy(core: &Path, out: &Path, name: &str, mutant: Option<&Mutant>) -> String {
    for file in FILES {
        let text = fs::read_to_string(core.join(file)).expect("a source of vegas-core").replace("\r\n", "\n");
        let text = match mutant.filter(|mutant| mutant.file == file) {
            Some(mutant) => {
                assert_eq!(text.matches(mutant.right).count(), 1, "{file} has {:?} once", mutant.right);
                text.replace(mutant.right, mutant.wrong)
            }
            None => text,
        };
        let text = without_tests(&without_preset(&text)).replace("crate::standalone::", &format!("crate::{name}::"));
        // inner documentation would stand after other items
        let text: String =
            text.lines().filter(|line| !line.starts_with("//!")).map(|line| format!("{line}\n")).collect();
        // a module with a path has its own modules beside it
        let path = out.join(name).join(Path::new(file).file_name().expect("a file"));
        fs::create_dir_all(path.parent().expect("a folder")).expect("the folder is Cargo's");
        fs::write(path, text).expect("the folder is Cargo's");
    }
    let module = |file: &str| {
        format!("    #[path = {:?}]\n    pub(super) mod {file};\n", out.join(name).join(file).with_extension("rs"))
    };
    let bbr = module("shared") + &module("bbr3");
    let random = module("random");
    format!(
        "mod {name} {{\n    use crate::reno;\n    use vegas_core::BaseRttHeld;\n    use vegas_core::registry::Preset;\n    mod bbr {{\n{bbr}    }}\n{random}    use bbr::bbr3;\n    \
         crate::starts!();\n}}\n"
    )
}

/// Leaves out the registry's entry, which vegas-core keeps.
fn without_preset(text: &str) -> String {
    let Some(begin) = text.find("pub(crate) const PRESET") else { return text.to_owned() };
    let end = begin + text[begin..].find("};\n").expect("the constant ends") + 3;
    format!("{}{}", &text[..begin], &text[end..])
}

/// Leaves out unit tests, which end a file.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]").next().unwrap_or(text)
}
