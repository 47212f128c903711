//! Runs readers of untrusted input in a subprocess with limits of time and memory.
//!
//! The subprocess serves readers that cannot be interrupted. Such a reader is a function from bytes
//! to bytes that registers itself. The subprocess is this executable, started with [`COMMAND`] and
//! the name of the reader. It reads its standard input, writes its standard output, and may do
//! nothing else.

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

use crate::error::ReadError;

use super::subprocess::{self, Bounds, Failure};

/// Command that starts the subprocess.
pub const COMMAND: &str = "worker";

/// Limit of processor time, in seconds.
const SECONDS: u64 = 5;
/// Limits of memory in bytes: for data, and for all mappings.
const MEMORY: u64 = 192 << 20;
const ADDRESSES: u64 = 1 << 30;
/// Limits in bytes of the input, which is kept in memory, and of the output.
const LARGEST_INPUT: u64 = 128 << 20;
const LARGEST_ANSWER: u64 = 32 << 20;

/// Exit status after a panic, as Rust programs have it.
const CRASHED: u8 = 101;
/// Maximum length of a panic message, in characters.
const LONGEST_MESSAGE: usize = 300;

/// First words of the last message of a program that is out of memory.
const OUT_OF_MEMORY: &str = "memory allocation of ";

/// Reader that runs in the subprocess.
#[derive(Debug, Clone, Copy)]
pub struct Work {
    /// Identifier on the command line, such as `pdf-cover`.
    pub name: &'static str,
    /// Action and part of the file for messages, such as "rendering page 1".
    pub task: &'static str,
    /// Returns the output, or the error in the input.
    pub run: fn(Vec<u8>) -> Result<Vec<u8>, ReadError>,
}

inventory::collect!(Work);

/// `true` if this executable accepts [`COMMAND`].
static IS_KNOWN: AtomicBool = AtomicBool::new(false);

/// Declares that this executable accepts [`COMMAND`] and passes it to [`main`].
pub fn enable() {
    IS_KNOWN.store(true, Ordering::Relaxed);
}

/// Reads a file in the subprocess. Returns `None` if this executable cannot be started again. A
/// subprocess that crashes or reaches a limit is logged with the path of the file.
///
/// # Errors
/// [`ReadError::Crashed`] after a panic or a signal, [`ReadError::Limit`] at a limit of time,
/// memory or size, [`ReadError::Damaged`] if the reader rejects its input.
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
    let failure = match subprocess::output(command, Stdio::from(file), bounds) {
        Ok(answer) => return Ok(Some(answer)),
        Err(failure) => failure,
    };
    let error = explained(work.task, failure);
    if matches!(error, ReadError::Crashed(_) | ReadError::Limit(_)) {
        tracing::warn!(file = %path.display(), work = work.name, %error, "a worker process failed");
    }
    Err(error)
}

/// Returns the error for a subprocess without output, based on its exit status.
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
        // The kernel sends these signals at the limit of processor time and when memory runs out.
        (_, Some(signal))
            if [Signal::KILL, Signal::XCPU]
                .map(Signal::as_raw)
                .contains(&signal) =>
        {
            ReadError::Limit(format!("{task} takes too much time or memory"))
        }
        // The subprocess left no message.
        (_, Some(_)) if message.starts_with(task) => {
            ReadError::Crashed(format!("{task} crashed: {status}"))
        }
        (_, Some(_)) => ReadError::Crashed(format!("{task} crashed: {message} ({status})")),
        _ => ReadError::Damaged(message),
    }
}

/// Returns the path of this executable. The path also works after the file was replaced.
fn program() -> io::Result<std::path::PathBuf> {
    if cfg!(target_os = "linux") {
        return Ok("/proc/self/exe".into());
    }
    std::env::current_exe()
}

/// Runs the subprocess from start to end.
pub fn main(name: &str) -> ExitCode {
    match work(name) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing can be written here, but the exit status reports the failure.
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

/// Returns the output. A panic becomes an error with its message and its location in the code.
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

/// Formats a panic in one line: `index out of bounds: … (pdf-1.2.3/src/page.rs:7)`.
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
    // Omits the folders of the build machine.
    let parts: Vec<&str> = place.file().rsplit('/').take(3).collect();
    let file = parts.into_iter().rev().collect::<Vec<_>>().join("/");
    format!("{message} ({file}:{})", place.line())
}

/// Applies the limits of memory and time, and forbids the creation of files.
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
