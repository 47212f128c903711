//! What tells the server to stop.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// `SIGTERM` from a supervisor and `SIGINT` from a keyboard.
pub(crate) struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    /// From now on the signals no longer end the process.
    pub(crate) fn listen() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits for the next one.
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
