//! Work on bytes that nobody vouches for, in a process of its own: one that can be ended at any
//! moment, and gets no more memory than it is given.
//!
//! For readers that cannot be told to stop. Such a piece of work is a function from bytes to bytes
//! that registers itself; the process is this program once more, started with [`COMMAND`] and the
//! work's name. It reads its standard input, writes its standard output, and may do nothing else.

use std::fs::File;
use std::io::{self, Read, Write};
use std::panic::{self, AssertUnwindSafe};
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::process::{Resource, Rlimit, setrlimit};

use crate::outside::{self, Bounds};
use crate::registry::reading::ReadError;

/// The command that starts such a process.
pub const COMMAND: &str = "aside";

/// Most seconds of a processor.
const SECONDS: u64 = 5;
/// Most memory for data, and for everything that is mapped.
const MEMORY: u64 = 192 << 20;
const ADDRESSES: u64 = 1 << 30;
/// Largest input, which is kept in memory, and largest answer.
const LARGEST_INPUT: u64 = 128 << 20;
const LARGEST_ANSWER: u64 = 32 << 20;

/// How the last words of a program without memory begin.
const OUT_OF_MEMORY: &str = "memory allocation of ";

/// A piece of work.
#[derive(Debug, Clone, Copy)]
pub struct Work {
    /// Identifier on the command line: `pdf-cover`.
    pub name: &'static str,
    /// What it does, for messages: "rendering the first page".
    pub task: &'static str,
    /// The answer, or what is wrong with the input.
    pub run: fn(Vec<u8>) -> Result<Vec<u8>, ReadError>,
}

inventory::collect!(Work);

/// Whether this program, started anew, knows [`COMMAND`].
static IS_KNOWN: AtomicBool = AtomicBool::new(false);

/// Says that this program knows [`COMMAND`] and passes it on to [`main`].
pub fn enable() {
    IS_KNOWN.store(true, Ordering::Relaxed);
}

/// Has a file worked on; `None` where this program cannot be started anew.
pub fn output(work: &Work, file: File, time: Duration) -> Result<Option<Vec<u8>>, ReadError> {
    if !IS_KNOWN.load(Ordering::Relaxed) {
        return Ok(None);
    }
    if file.metadata()?.len() > LARGEST_INPUT {
        return Err(too_large(work.task));
    }
    let mut command = Command::new(program()?);
    command.args([COMMAND, work.name]).env_clear();
    let bounds = Bounds {
        task: work.task,
        time,
        output: LARGEST_ANSWER,
    };
    match outside::output(command, Stdio::from(file), bounds) {
        Err(ReadError::Damaged(text)) if text.starts_with(OUT_OF_MEMORY) => Err(ReadError::Limit(
            format!("{} takes too much memory", work.task),
        )),
        answer => answer.map(Some),
    }
}

/// This program: where there is a way to name it, also after its file was replaced.
fn program() -> io::Result<std::path::PathBuf> {
    if cfg!(target_os = "linux") {
        return Ok("/proc/self/exe".into());
    }
    std::env::current_exe()
}

/// The whole of such a process.
pub fn main(name: &str) -> ExitCode {
    match work(name) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // With nowhere to say it, the exit status still tells.
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn work(name: &str) -> Result<(), ReadError> {
    let mut known = inventory::iter::<Work>();
    let work = known
        .find(|work| work.name == name)
        .ok_or_else(|| ReadError::Damaged(format!("there is no work named {name}")))?;
    confine().map_err(io::Error::from)?;
    let mut input = Vec::new();
    let length = io::stdin()
        .lock()
        .take(LARGEST_INPUT + 1)
        .read_to_end(&mut input)?;
    if length as u64 > LARGEST_INPUT {
        return Err(too_large(work.task));
    }
    let answer = crash_free(work, input)?;
    io::stdout().lock().write_all(&answer)?;
    Ok(())
}

/// The answer; a crash is one, too.
fn crash_free(work: &Work, input: Vec<u8>) -> Result<Vec<u8>, ReadError> {
    panic::set_hook(Box::new(|_| {}));
    let answer = panic::catch_unwind(AssertUnwindSafe(|| (work.run)(input)));
    answer.unwrap_or_else(|_| Err(ReadError::Damaged(format!("{} failed", work.task))))
}

/// From here on there is little memory and time, and no file can be made.
fn confine() -> rustix::io::Result<()> {
    let limits = [
        (Resource::Data, MEMORY),
        (Resource::As, ADDRESSES),
        (Resource::Cpu, SECONDS),
        (Resource::Fsize, 0),
        (Resource::Core, 0),
    ];
    limits.into_iter().try_for_each(|(resource, limit)| {
        let limit = Rlimit {
            current: Some(limit),
            maximum: Some(limit),
        };
        setrlimit(resource, limit)
    })
}

fn too_large(task: &str) -> ReadError {
    ReadError::Limit(format!("too large for {task}"))
}
