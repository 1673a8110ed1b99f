//! Builds the BPF objects: the congestion control, the routers' option, and the observer of the kernel's own congestion
//! controls. rustc compiles the core to LLVM IR, which is retargeted to BPF; LLVM's tools link it with the C glue of
//! each object.
//!
//! rustc has no stable BPF target; its IR for the host does as well, since the core has neither pointers in its data
//! nor vectors, and both machines are 64 bits wide and little-endian. LLVM reads IR of its own major version or an
//! older one, so the tools are those of rustc's version. docs/linux.md says what was weighed.
//!
//! An algorithm from outside, the file that `VEGASLAB_OWN` names, goes in beside the core: docs/own-algorithm.md.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, exit};

#[path = "build/separate.rs"]
mod separate;

use separate::Separate;
use vegas_core::Standalone;

/// Options of rustc. Panics abort; vectors, overflow checks and jump tables are off, because BPF has none of them.
const RUSTC: &[&str] = &[
    "--edition=2024",
    "-Copt-level=2",
    "-Cpanic=abort",
    "-Coverflow-checks=off",
    "-Cdebug-assertions=off",
    "-Cno-vectorize-loops",
    "-Cno-vectorize-slp",
    "-Ccodegen-units=1",
    "-Cdebuginfo=0",
    "-Cjump-tables=no",
    "--cfg=vegas_kernel",
];
/// The objects; their C glue is in `kernel/`.
const OBJECTS: [Object; 3] = [
    // signed division needs version 4 (Linux 6.6)
    Object { name: "vegas", cpu: "-mcpu=v4" },
    Object { name: "option", cpu: "-mcpu=v4" },
    // older kernels have their own congestion controls too
    Object { name: "observer", cpu: "-mcpu=v3" },
];
const CORE: &str = "../vegas-core/src";
/// Names the file of an algorithm from outside.
const OWN: &str = "VEGASLAB_OWN";

fn main() {
    println!("cargo:rerun-if-changed={CORE}");
    println!("cargo:rerun-if-changed=kernel");
    println!("cargo:rerun-if-changed=build");
    println!("cargo:rerun-if-env-changed={OWN}");
    println!("cargo:rustc-check-cfg=cfg(vegas_own)");
    if let Err(problem) = build() {
        eprintln!("{problem}");
        exit(1);
    }
}

fn build() -> Result<(), String> {
    let out = PathBuf::from(variable("OUT_DIR")?);
    let tools = Tools { version: llvm_version()?, out: out.clone() };
    let own = OwnFile::given(&out)?;
    write_steps(&out)?;
    let glue = |name: &str| out.join(format!("{name}.glue.bc"));
    for Object { name, cpu } in OBJECTS {
        tools.clang(cpu, &format!("kernel/{name}.bpf.c"), &glue(name))?;
    }
    let core_glue = glue(OBJECTS[0].name);
    let core = out.join("core.ll");
    tools.run(
        "llvm-link",
        &["-S".into(), "-o".into(), text(&core)].into_iter().chain(rust_ir(&out, own.as_ref())?).collect::<Vec<_>>(),
    )?;
    let layout = tools.data_layout(&core_glue)?;
    let separate = retarget(&core, &layout).map_err(|problem| blame(own.as_ref(), problem))?;
    tools.glue_of(&separate, OBJECTS[0].cpu, &out, &core_glue)?;
    OBJECTS.iter().try_for_each(|Object { name, cpu }| {
        tools
            .object(cpu, &out.join(format!("{name}.bpf.o")), &glue(name), &core)
            .map_err(|problem| blame(own.as_ref(), problem))
    })
}

/// A BPF object, and the version of BPF's instructions that it may have.
struct Object {
    name: &'static str,
    cpu: &'static str,
}

/// Writes the numbers of the steps, for the core's side and for C's: one for the compositions, one for each standalone
/// algorithm, and one for the algorithm from outside.
fn write_steps(out: &Path) -> Result<(), String> {
    let numbers = 0..Standalone::ALL.len() + 2;
    let exported: String = numbers.clone().map(|number| format!("{number} vegas_core_step_{number}, ")).collect();
    let called: String = numbers.map(|number| format!(" DO({number})")).collect();
    for (name, text) in
        [("steps.rs", format!("steps! {{ {exported}}}\n")), ("steps.h", format!("#define EACH_STEP(DO){called}\n"))]
    {
        fs::write(out.join(name), text).map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(())
}

/// An algorithm from outside.
struct OwnFile {
    file: String,
}

impl OwnFile {
    /// Writes `own.rs`, which `kernel/object.rs` and `src/outside.rs` include, if the build is given an algorithm.
    fn given(out: &Path) -> Result<Option<Self>, String> {
        let Some(given) = env::var_os(OWN).filter(|given| !given.is_empty()) else { return Ok(None) };
        let failed = |problem| format!("{}: {problem}", Path::new(&given).display());
        let file = fs::canonicalize(&given).map_err(|error| failed(error.to_string()))?;
        println!("cargo:rerun-if-changed={}", file.display());
        println!("cargo:rustc-cfg=vegas_own");
        let source = fs::read_to_string(&file).map_err(|error| failed(error.to_string()))?;
        let name = own_type(&source).map_err(|problem| failed(problem.into()))?;
        let own = OwnFile { file: text(&file) };
        let module = format!("#[allow(warnings, clippy::all)]\n#[path = {:?}]\nmod algorithm;\n", own.file);
        let names =
            format!("use algorithm::{name} as Given;\nconst GIVEN_SOURCE: &str = include_str!({:?});\n", own.file);
        fs::write(out.join("own.rs"), module + &names).map_err(|error| format!("own.rs: {error}"))?;
        Ok(Some(own))
    }
}

/// The type that is an `OwnAlgorithm`, of a file that holds all of it.
fn own_type(source: &str) -> Result<&str, &'static str> {
    let is_module = |line: &str| line.trim_start_matches("pub ").starts_with("mod ") && line.ends_with(';');
    if source.lines().any(|line| is_module(line.trim())) {
        return Err("has modules in other files; what goes into the kernel is one file");
    }
    let mut types = source.lines().filter_map(|line| {
        let (name, of) = line.trim().strip_prefix("impl ")?.split_once(" for ")?;
        name.ends_with("OwnAlgorithm").then(|| of.trim_end_matches('{').trim())
    });
    match (types.next(), types.next()) {
        (Some(name), None) if name.chars().all(|c| c.is_alphanumeric() || c == '_') => Ok(name),
        _ => Err("needs one `impl OwnAlgorithm for TYPE` on a line, of a type without parameters"),
    }
}

/// Names the file before what rustc or LLVM say of it.
fn blame(own: Option<&OwnFile>, problem: String) -> String {
    match own {
        Some(OwnFile { file }) => format!(
            "{file}: does not go into the kernel, where there are core and vegas_core only \
             (docs/own-algorithm.md, \"In the kernel\"):\n{problem}"
        ),
        None => problem,
    }
}

/// The core and what exports it, one file of IR each. What is from outside goes with the exports.
fn rust_ir(out: &Path, own: Option<&OwnFile>) -> Result<Vec<String>, String> {
    let library = out.join("libvegas_core.rlib");
    let compile = |name: &str, kind: &str, source: &str, more: &[String]| {
        let mut arguments: Vec<String> = RUSTC.iter().map(ToString::to_string).collect();
        let ir = out.join(format!("{name}.bc"));
        arguments.extend([format!("--crate-name={name}"), format!("--crate-type={kind}"), source.into()]);
        arguments.extend([format!("--emit=link,metadata,llvm-bc={}", text(&ir)), format!("--out-dir={}", text(out))]);
        arguments.extend_from_slice(more);
        // cargo's own flags (coverage, sanitizers) do not apply to code for the kernel
        run(Command::new(variable("RUSTC")?).env_remove("CARGO_ENCODED_RUSTFLAGS").args(arguments))?;
        Ok::<_, String>(text(&ir))
    };
    let core = compile("vegas_core", "rlib", &format!("{CORE}/lib.rs"), &[])?;
    let mut more = vec![format!("--extern=vegas_core={}", text(&library))];
    more.extend(own.map(|_| "--cfg=vegas_own".into()));
    let exports = compile("vegas_object", "rlib", "kernel/object.rs", &more).map_err(|problem| blame(own, problem))?;
    Ok(vec![core, exports])
}

/// Turns IR for the host into IR for BPF: the target is replaced, the host's attributes are removed, every function is
/// inlined into its caller but those that are examined separately, which are returned, and a call of a panic becomes
/// unreachable.
///
/// The core does not panic; its conformance suite and fuzz target check that. In BPF it could not panic either: a
/// division by zero gives zero, and the verifier has proven every access.
fn retarget(ir: &Path, data_layout: &str) -> Result<Vec<Separate>, String> {
    let failed = |error| format!("{}: {error}", ir.display());
    let read = fs::read_to_string(ir).map_err(failed)?;
    let separate = Separate::all_in(&read)?;
    let mut written = String::with_capacity(read.len());
    for (number, line) in read.lines().enumerate() {
        let of_separate = separate.iter().find_map(|function| function.retarget(line, number));
        written.push_str(&retarget_line(of_separate.as_deref().unwrap_or(line), data_layout));
        written.push('\n');
    }
    separate.iter().for_each(|function| written.push_str(&function.declaration()));
    fs::write(ir, written).map_err(failed)?;
    Ok(separate)
}

fn retarget_line(line: &str, data_layout: &str) -> String {
    if line.starts_with("target datalayout") {
        return data_layout.into();
    }
    if line.starts_with("target triple") {
        return "target triple = \"bpf\"".into();
    }
    if line.starts_with("attributes #") {
        return inlined(line);
    }
    let line = line.replace(" personality ptr @rust_eh_personality", "");
    match line.strip_prefix("declare ").filter(|_| line.contains("9panicking")) {
        Some(panics) => {
            let head = panics.rfind(" unnamed_addr").map_or(panics, |end| &panics[..end]);
            format!("define internal {head} alwaysinline {{ unreachable }}")
        }
        None => line,
    }
}

/// Returns an attribute group with inlining forced, without the host's attributes and those that prevent inlining.
fn inlined(group: &str) -> String {
    const HOSTS: [&str; 4] = ["\"target-cpu\"", "\"target-features\"", "\"tune-cpu\"", "\"probe-stack\""];
    const AGAINST: [&str; 5] = ["noinline", "cold", "nonlazybind", "uwtable", "optnone"];
    let keeps = |word: &&str| {
        !HOSTS.iter().any(|host| word.starts_with(host)) && !AGAINST.contains(word) && !word.starts_with("uwtable(")
    };
    let words: Vec<_> = group.split(' ').filter(keeps).collect();
    words.join(" ").replacen('{', "{ alwaysinline", 1)
}

/// LLVM's tools of one major version.
struct Tools {
    version: String,
    /// What the build writes.
    out: PathBuf,
}

impl Tools {
    fn clang(&self, cpu: &str, source: &str, glue: &Path) -> Result<(), String> {
        // bpf_helpers.h comes with the loader's own library
        let headers = PathBuf::from(variable("DEP_BPF_INCLUDE")?);
        let mut arguments: Vec<String> = [
            "-O2",
            "-g",
            "-Wall",
            "-Werror",
            "-target",
            "bpf",
            cpu,
            "-fno-jump-tables",
            "-D__TARGET_ARCH_x86",
            "-emit-llvm",
            "-c",
        ]
        .map(Into::into)
        .into();
        arguments.extend([&headers, &self.out].map(|folder| format!("-I{}", text(folder))));
        arguments.extend([source.into(), "-o".into(), text(glue)]);
        self.run("clang", &arguments).map(drop)
    }

    /// Adds the C functions around those that are examined separately to an object's glue.
    fn glue_of(&self, separate: &[Separate], cpu: &str, out: &Path, glue: &Path) -> Result<(), String> {
        let (source, compiled) = (out.join("separate.c"), out.join("separate.bc"));
        fs::write(&source, separate::c_source(separate)).map_err(|error| format!("{}: {error}", source.display()))?;
        self.clang(cpu, &text(&source), &compiled)?;
        self.run("llvm-link", &[text(glue), text(&compiled), "-o".into(), text(glue)]).map(drop)
    }

    fn data_layout(&self, glue: &Path) -> Result<String, String> {
        let ir = self.run("llvm-dis", &[text(glue), "-o".into(), "-".into()])?;
        let layout = ir.lines().find(|line| line.starts_with("target datalayout"));
        layout.map(Into::into).ok_or_else(|| format!("{}: no data layout", glue.display()))
    }

    /// Links, optimises and compiles an object; only the symbols that the glue defines stay visible.
    fn object(&self, cpu: &str, object: &Path, glue: &Path, core: &Path) -> Result<(), String> {
        let beside = |kind: &str| text(&object.with_extension(kind));
        let (linked, optimised) = (beside("linked.bc"), beside("optimised.bc"));
        let symbols = self.run("llvm-nm", &["--defined-only".into(), "--format=just-symbols".into(), text(glue)])?;
        let public = symbols.lines().collect::<Vec<_>>().join(",");
        self.run("llvm-link", &[text(glue), text(core), "-o".into(), linked.clone()])?;
        let passes = ["-passes=internalize,default<O2>".into(), format!("-internalize-public-api-list={public}")];
        self.run("opt", &[&passes[..], &[linked, "-o".into(), optimised.clone()]].concat())?;
        let llc = ["-march=bpf", cpu, "-filetype=obj"].map(Into::into);
        self.run("llc", &[&llc[..], &[optimised, "-o".into(), text(object)]].concat())?;
        self.check_whole(object)
    }

    /// What is called has to be there: the loader knows no panics of Rust's but those that [`retarget_line`] takes
    /// away.
    fn check_whole(&self, object: &Path) -> Result<(), String> {
        let missing = self.run(
            "llvm-nm",
            &["--undefined-only".into(), "--format=just-symbols".into(), "--demangle".into(), text(object)],
        )?;
        match missing.trim() {
            "" => Ok(()),
            missing => Err(format!("calls what BPF does not have: {}", missing.replace('\n', ", "))),
        }
    }

    fn run(&self, tool: &str, arguments: &[String]) -> Result<String, String> {
        let name = format!("{tool}-{}", self.version);
        run(Command::new(&name).args(arguments)).map_err(|problem| {
            format!("{problem}\n(vegas-linux needs Debian's clang-{0} and llvm-{0}: make linux-packages)", self.version)
        })
    }
}

/// Returns the major version of rustc's LLVM, such as `22`.
fn llvm_version() -> Result<String, String> {
    let about = run(Command::new(variable("RUSTC")?).arg("--version").arg("--verbose"))?;
    let version = about.lines().find_map(|line| line.strip_prefix("LLVM version: "));
    let major = version.and_then(|version| version.split('.').next());
    major.map(Into::into).ok_or_else(|| "rustc does not say which LLVM it has".into())
}

fn run(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{name}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn variable(name: &str) -> Result<String, String> {
    env::var(name).map_err(|error| format!("{name}: {error}"))
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
