//! Work on bytes that nobody vouches for, in a process of its own: one that can be ended at any
//! moment, and gets no more memory than it is given.
//!
//! For readers that cannot be told to stop. Such a piece of work is a function from bytes to bytes
//! that registers itself; the process is this program once more, started with [`COMMAND`] and the
//! work's name. It reads its standard input, writes its standard output, and may do nothing else.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Resource, Rlimit, Signal, setrlimit};

use crate::outside::{self, Bounds, Failure};
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

/// Exit status after a panic, as Rust programs have it.
const CRASHED: u8 = 101;
/// Most characters of a panic's message.
const LONGEST_MESSAGE: usize = 300;

/// How the last words of a program without memory begin.
const OUT_OF_MEMORY: &str = "memory allocation of ";

/// A piece of work.
#[derive(Debug, Clone, Copy)]
pub struct Work {
    /// Identifier on the command line: `pdf-cover`.
    pub name: &'static str,
    /// What it does, with the part of the file that it reads, for messages: "rendering page 1".
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

/// Has a file worked on; `None` where this program cannot be started anew. A process that crashes, or
/// that is ended at one of its limits, is logged with the file's path.
///
/// # Errors
/// [`ReadError::Crashed`] after a panic or a signal, [`ReadError::Limit`] at a limit of time, memory or
/// size, [`ReadError::Damaged`] where the work refuses its input.
pub fn output(
    work: &Work,
    path: &Path,
    file: File,
    time: Duration,
) -> Result<Option<Vec<u8>>, ReadError> {
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
    let failure = match outside::output(command, Stdio::from(file), bounds) {
        Ok(answer) => return Ok(Some(answer)),
        Err(failure) => failure,
    };
    let error = explained(work.task, failure);
    if matches!(error, ReadError::Crashed(_) | ReadError::Limit(_)) {
        tracing::warn!(file = %path.display(), work = work.name, %error, "a worker process failed");
    }
    Err(error)
}

/// The error of a process that gave no answer, by the way in which it ended.
fn explained(task: &str, failure: Failure) -> ReadError {
    let (status, message) = match failure {
        Failure::Stopped(error) => return error,
        Failure::Ended { status, message } => (status, message),
    };
    if message.starts_with(OUT_OF_MEMORY) {
        return ReadError::Limit(format!("{task} takes too much memory"));
    }
    match (status.code(), status.signal()) {
        (Some(code), _) if code == i32::from(CRASHED) => {
            ReadError::Crashed(format!("{task} crashed: {message}"))
        }
        // The kernel's answer to too much processor time, and to too little memory for all.
        (_, Some(signal))
            if [Signal::KILL, Signal::XCPU]
                .map(Signal::as_raw)
                .contains(&signal) =>
        {
            ReadError::Limit(format!("{task} takes too much time or memory"))
        }
        // It left no message of its own.
        (_, Some(_)) if message.starts_with(task) => {
            ReadError::Crashed(format!("{task} crashed: {status}"))
        }
        (_, Some(_)) => ReadError::Crashed(format!("{task} crashed: {message} ({status})")),
        _ => ReadError::Damaged(message),
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
            match error {
                ReadError::Crashed(_) => ExitCode::from(CRASHED),
                _ => ExitCode::FAILURE,
            }
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

/// The answer. A panic becomes an error that names its message and its place in the code.
fn crash_free(work: &Work, input: Vec<u8>) -> Result<Vec<u8>, ReadError> {
    static PANIC: Mutex<String> = Mutex::new(String::new());
    panic::set_hook(Box::new(|panic| {
        *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = described(panic);
    }));
    let answer = panic::catch_unwind(AssertUnwindSafe(|| (work.run)(input)));
    answer.unwrap_or_else(|_| {
        let panic = PANIC.lock().unwrap_or_else(PoisonError::into_inner);
        Err(ReadError::Crashed(panic.clone()))
    })
}

/// A panic in one line: `index out of bounds: … (pdf-1.2.3/src/page.rs:7)`.
fn described(panic: &PanicHookInfo<'_>) -> String {
    let message = panic
        .payload_as_str()
        .unwrap_or("a panic without a message");
    let message: String = message
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(LONGEST_MESSAGE)
        .collect();
    let Some(place) = panic.location() else {
        return message;
    };
    // Folders of the machine that built this program do not matter.
    let parts: Vec<&str> = place.file().rsplit('/').take(3).collect();
    let file = parts.into_iter().rev().collect::<Vec<_>>().join("/");
    format!("{message} ({file}:{})", place.line())
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
