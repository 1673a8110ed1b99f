//! The program as the first process of a guest: a virtual machine with a clock that counts instructions
//! (docs/kernel-world.md). It prepares the machine and stops it, to be saved; a copy then reads the request, carries it
//! out as a command of its own, writes the answer, and switches the machine off.

mod boot;
mod exchange;
mod parcel;
mod watchdog;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{self, Command};

use nix::sys::reboot::{RebootMode, reboot};
use serde_json::{Value, json};

use crate::{Error, sys};
use exchange::Exchange;
use parcel::Parcel;

/// The program's path in the guest, which the kernel runs first.
const INIT: &str = "/init";
/// The folder in which a request's files are, and that in which what it writes is returned.
const ASKED: &str = "/asked";
const ANSWERED: &str = "/answered";

/// Returns whether this process is the first of a guest.
pub fn is_here() -> bool {
    process::id() == 1 && std::env::args_os().next().is_some_and(|name| name == INIT)
}

/// Lets the machine be saved, serves one request in each copy, and ends it.
pub fn main() {
    if let Err(error) = serve() {
        // the console needs nothing that can have failed
        eprintln!("vegaslab: {error}");
    }
    // returns only if the machine cannot be switched off
    let _ = reboot(RebootMode::RB_POWER_OFF);
}

fn serve() -> Result<(), Error> {
    boot::get_ready()?;
    let mut exchange = Exchange::open()?;
    watchdog::stop_machine()?;
    let request = Parcel::from_bytes(exchange.request()?)?;
    let answer = carry_out(&request)?;
    exchange.answer(&answer.to_bytes())
}

/// Runs this program, or the one that the request names, with the request's arguments. The answer has its exit code,
/// what it printed, and what it wrote.
fn carry_out(request: &Parcel) -> Result<Parcel, Error> {
    let failed = |what: &str, error| Error::new(what, error);
    let seed = request.head["seed"].as_u64().unwrap_or_default();
    sys::seed_kernel(seed).map_err(|error| failed("/dev/urandom", error))?;
    fs::create_dir_all(ANSWERED).map_err(|error| failed(ANSWERED, error))?;
    for (name, bytes) in &request.files {
        let path = Path::new(ASKED).join(name);
        let above = path.parent().unwrap_or(Path::new(ASKED));
        fs::create_dir_all(above).and_then(|()| fs::write(&path, bytes)).map_err(|error| failed(name, error))?;
    }
    let folder = Path::new(ASKED).join(request.head["folder"].as_str().unwrap_or_default());
    let arguments = request.head["arguments"].as_array().map(Vec::as_slice).unwrap_or_default();
    let printed = |name: &str| File::create(Path::new(ANSWERED).join(name)).map_err(|error| failed(name, error));
    let program = request.head["program"].as_str().unwrap_or(INIT);
    let status = Command::new(program)
        .args(arguments.iter().filter_map(Value::as_str))
        .current_dir(folder)
        .stdout(printed("stdout")?)
        .stderr(printed("stderr")?)
        .status()
        .map_err(|error| failed(program, error))?;
    Ok(Parcel { head: json!({ "code": status.code() }), files: files_in(Path::new(ANSWERED))? })
}

/// Returns the files of a folder and of those in it, by their path from there, in order.
fn files_in(folder: &Path) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let (mut files, mut folders) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(inner) = folders.pop() {
        let place = folder.join(&inner);
        let failed = |error| Error::new(place.display(), error);
        for entry in fs::read_dir(&place).map_err(failed)? {
            let name = inner.join(entry.map_err(failed)?.file_name());
            if folder.join(&name).is_dir() {
                folders.push(name);
            } else {
                files.push((name.display().to_string(), fs::read(folder.join(&name)).map_err(failed)?));
            }
        }
    }
    files.sort();
    Ok(files)
}
