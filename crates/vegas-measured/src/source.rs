//! The file that is read: its bytes as a stream that tells how far it is and can be stopped, and its lines.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read as _};
use std::path::Path;
use std::rc::Rc;

use crate::error::{MeasuredError, Read};

/// The bytes at the beginning of a file by which its kind is recognised.
pub(crate) const HEAD_BYTES: usize = 1 << 16;
/// The longest line of a text; `ss` writes some hundred bytes for a connection, qlog some thousand for an event.
pub(crate) const LINE_BYTES_MAX: usize = 1 << 20;
/// The longest part of a document, such as an event of qlog.
const PART_BYTES_MAX: u64 = 1 << 24;
const BUFFER_BYTES: usize = 1 << 18;
/// Times beyond this, ns since 1970 (2116), are those of a damaged file; they count as this, so that none overflows.
pub(crate) const TIME_MAX: i64 = 1 << 62;

/// Is called with the number of bytes read so far; returns whether the work is to stop.
pub type Attend<'a> = &'a mut (dyn FnMut(u64) -> bool + 'a);

/// A file of a measurement.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// The name in messages.
    pub(crate) name: String,
    file: Rc<File>,
    stopped: Rc<Cell<bool>>,
}

impl Source {
    pub(crate) fn open(path: &Path) -> Read<Self> {
        let file = File::open(path).map_err(MeasuredError::io(path))?;
        let is_file = file.metadata().map_err(MeasuredError::io(path))?.is_file();
        if !is_file {
            return Err(MeasuredError::Input(format!("{}: is no file; give a capture or a log", path.display())));
        }
        Ok(Source { name: path.display().to_string(), file: Rc::new(file), stopped: Rc::default() })
    }

    /// Returns the first bytes of the file.
    pub(crate) fn head(&self) -> Read<Vec<u8>> {
        let mut head = Vec::with_capacity(HEAD_BYTES);
        let mut file = self.reopened()?;
        let read = file.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut head);
        read.map_err(|error| MeasuredError::Io(format!("{}: {error}", self.name)))?;
        Ok(head)
    }

    fn reopened(&self) -> Read<File> {
        let again = || {
            let mut file = self.file.try_clone()?;
            io::Seek::rewind(&mut file)?;
            Ok(file)
        };
        again().map_err(|error: io::Error| MeasuredError::Io(format!("{}: {error}", self.name)))
    }

    /// Returns the bytes from the file's start.
    pub(crate) fn bytes<'a>(&self, attend: Attend<'a>) -> Read<Bytes<'a>> {
        Ok(Bytes {
            file: self.reopened()?,
            read: 0,
            attend,
            stopped: Rc::clone(&self.stopped),
            quota: Quota::default(),
        })
    }

    /// Returns the bytes of a document from the file's start, without a byte-order mark; its parts take memory one by
    /// one.
    pub(crate) fn parts<'a>(&self, attend: Attend<'a>) -> Read<(BufReader<Bytes<'a>>, Quota)> {
        let bytes = self.bytes(attend)?;
        bytes.quota.begin();
        let quota = bytes.quota.clone();
        let mut reader = BufReader::with_capacity(BUFFER_BYTES, bytes);
        if reader.fill_buf().map_err(|error| self.failed(error))?.starts_with("\u{feff}".as_bytes()) {
            reader.consume("\u{feff}".len());
        }
        Ok((reader, quota))
    }

    /// Returns the lines from the file's start.
    pub(crate) fn lines<'a>(&self, attend: Attend<'a>) -> Read<Lines<'a>> {
        let reader = BufReader::with_capacity(BUFFER_BYTES, self.bytes(attend)?);
        Ok(Lines { source: self.clone(), reader, line: Vec::new(), number: 0 })
    }

    /// Returns the error of a failed read: that of the system, unless the caller has stopped the work.
    pub(crate) fn failed(&self, error: impl std::fmt::Display) -> MeasuredError {
        match self.stopped.get() {
            true => MeasuredError::Stopped,
            false => MeasuredError::Io(format!("{}: {error}", self.name)),
        }
    }

    /// Whether the caller has stopped the work.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.get()
    }
}

/// The bytes of a file. Each read tells the caller how far it is; a read fails once the caller has stopped the work.
pub(crate) struct Bytes<'a> {
    file: File,
    read: u64,
    attend: Attend<'a>,
    stopped: Rc<Cell<bool>>,
    quota: Quota,
}

/// The bytes that may be read before the next part of a document begins; without a document there is no end to them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Quota(Rc<Cell<Option<u64>>>);

impl Quota {
    /// Begins a part.
    pub(crate) fn begin(&self) {
        self.0.set(Some(PART_BYTES_MAX));
    }

    fn take(&self, bytes: u64) -> io::Result<()> {
        let Some(left) = self.0.get() else { return Ok(()) };
        let left = left.checked_sub(bytes);
        self.0.set(Some(left.unwrap_or(0)));
        left.map(drop).ok_or_else(|| {
            io::Error::other(format!("a part of it is longer than {PART_BYTES_MAX} bytes; this is no log"))
        })
    }
}

impl io::Read for Bytes<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if (self.attend)(self.read) {
            self.stopped.set(true);
            return Err(io::Error::other("interrupted"));
        }
        loop {
            match self.file.read(into) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Ok(bytes) => {
                    self.read += bytes as u64;
                    self.quota.take(bytes as u64)?;
                    return Ok(bytes);
                }
                failed => return failed,
            }
        }
    }
}

/// The lines of a text, without their ends and without a byte-order mark; bytes that are no UTF-8 are replaced.
pub(crate) struct Lines<'a> {
    source: Source,
    reader: BufReader<Bytes<'a>>,
    line: Vec<u8>,
    number: u64,
}

impl Lines<'_> {
    /// Returns the next line with its number, counted from 1; none at the end.
    pub(crate) fn next(&mut self) -> Read<Option<(u64, String)>> {
        self.line.clear();
        let most = LINE_BYTES_MAX as u64 + 1;
        let read = self.reader.by_ref().take(most).read_until(b'\n', &mut self.line);
        let bytes = read.map_err(|error| self.source.failed(error))?;
        self.number += 1;
        if bytes == 0 {
            return Ok(None);
        }
        if self.line.len() > LINE_BYTES_MAX {
            let what = format!("is longer than {LINE_BYTES_MAX} bytes; this is no log");
            return Err(MeasuredError::at_line(&self.source.name, self.number, what));
        }
        let text = String::from_utf8_lossy(&self.line);
        let text = if self.number == 1 { text.trim_start_matches('\u{feff}') } else { &text };
        Ok(Some((self.number, text.trim_end_matches(['\n', '\r']).to_owned())))
    }

    /// Returns the error of the line of this number.
    pub(crate) fn wrong(&self, number: u64, what: impl std::fmt::Display) -> MeasuredError {
        MeasuredError::at_line(&self.source.name, number, what)
    }
}
