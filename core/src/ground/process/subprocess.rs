//! Runs subprocesses with limits of time and output.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::error::ReadError;

/// Limit of the messages in bytes; only the last message is shown.
const MESSAGE_LIMIT: u64 = 16 << 10;
/// Time to wait for messages of a subprocess that has ended.
const MESSAGE_PATIENCE: Duration = Duration::from_millis(200);
const POLL: Duration = Duration::from_millis(1);

/// Limits of a subprocess.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// Action for messages, such as "probing".
    pub(crate) task: &'static str,
    /// Timeout of the subprocess.
    pub(crate) time: Duration,
    /// Limit of its output, in bytes.
    pub(crate) output: u64,
}

/// Reason for missing output.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The subprocess could not be started, or was stopped at a limit.
    Stopped(ReadError),
    /// The subprocess ended with an error.
    Ended {
        status: ExitStatus,
        /// Its last message, or its exit status if it left none.
        message: String,
    },
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Stopped(error.into())
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        Self::Stopped(error)
    }
}

impl From<Failure> for ReadError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Stopped(error) => error,
            Failure::Ended { message, .. } => Self::Damaged(message),
        }
    }
}

/// Returns the standard output of the subprocess, or the reason for missing output.
pub(crate) fn output(
    mut command: Command,
    input: Stdio,
    bounds: Bounds,
) -> Result<Vec<u8>, Failure> {
    let deadline = Instant::now() + bounds.time;
    command
        .stdin(input)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // A process group of its own, so that its children end with it.
        .process_group(0);
    let mut running = Running(Some(command.spawn()?));
    let output = running.take(|child| child.stdout.take(), bounds.output)?;
    let messages = running.take(|child| child.stderr.take(), MESSAGE_LIMIT)?;

    let written = match output.recv_timeout(left(deadline)) {
        Ok(written) => written?,
        Err(RecvTimeoutError::Timeout) => return Err(too_slow(bounds).into()),
        Err(RecvTimeoutError::Disconnected) => Vec::new(),
    };
    if written.len() as u64 > bounds.output {
        let message = format!("the answer of {} is too long", bounds.task);
        return Err(ReadError::Limit(message).into());
    }
    let status = running.wait(deadline)?.ok_or_else(|| too_slow(bounds))?;
    if status.success() {
        return Ok(written);
    }
    let text = messages.recv_timeout(MESSAGE_PATIENCE);
    let text = text.ok().and_then(Result::ok).unwrap_or_default();
    Err(Failure::Ended {
        status,
        message: last_message(&text, bounds.task, status),
    })
}

/// Returns the error without the name of the input, because callers show that name themselves.
pub(crate) fn without_input(error: ReadError, input: &OsStr) -> ReadError {
    let ReadError::Damaged(text) = error else {
        return error;
    };
    let input = printable(&input.to_string_lossy());
    let shorter = text
        .replace(&format!("{input}: "), "")
        .replace(&input, "the file");
    ReadError::Damaged(shorter)
}

/// Child process that does not outlive its owner.
struct Running(Option<Child>);

impl Running {
    /// Reads a pipe of the child on a thread: the first `limit` bytes and one more.
    fn take<R: Read + Send + 'static>(
        &mut self,
        pipe: impl FnOnce(&mut Child) -> Option<R>,
        limit: u64,
    ) -> Result<Receiver<io::Result<Vec<u8>>>, ReadError> {
        let (sender, receiver) = mpsc::channel();
        let pipe = self.0.as_mut().and_then(pipe);
        thread::Builder::new()
            .name("outside-pipe".to_owned())
            .spawn(move || {
                // After the timeout, the receiver is gone.
                let _ = sender.send(pipe.map_or(Ok(Vec::new()), |pipe| start_of(pipe, limit)));
            })?;
        Ok(receiver)
    }

    /// Waits until the child has ended. Returns `None` at the deadline.
    fn wait(&mut self, deadline: Instant) -> io::Result<Option<ExitStatus>> {
        while let Some(child) = &mut self.0 {
            if let Some(status) = child.try_wait()? {
                self.0 = None;
                return Ok(Some(status));
            }
            if left(deadline).is_zero() {
                break;
            }
            thread::sleep(POLL);
        }
        Ok(None)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            // Both calls fail only if the child has ended already.
            let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
            let _ = child.wait();
        }
    }
}

/// Returns at most `limit` + 1 bytes. Further messages are read and dropped, because a full pipe
/// would block the program. Further output ends the program.
fn start_of(mut pipe: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    pipe.by_ref().take(limit + 1).read_to_end(&mut bytes)?;
    if limit == MESSAGE_LIMIT {
        io::copy(&mut pipe, &mut io::sink())?;
    }
    Ok(bytes)
}

fn left(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}

fn too_slow(bounds: Bounds) -> ReadError {
    let seconds = bounds.time.as_secs_f64();
    ReadError::Limit(format!("{} took longer than {seconds} s", bounds.task))
}

fn last_message(stderr: &[u8], task: &str, status: ExitStatus) -> String {
    let text = String::from_utf8_lossy(stderr);
    text.lines()
        .map(str::trim)
        // The last line of a Rust program is a hint for its developers.
        .rfind(|line| !line.is_empty() && !line.starts_with("note: "))
        .map_or_else(|| format!("{task} ended with {status}"), printable)
}

/// Removes control characters, which would garble a log, and limits the length.
fn printable(text: &str) -> String {
    text.chars()
        .take(4096)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}
