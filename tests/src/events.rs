//! Client of server-sent events: a reader thread and a queue.

use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;

/// Maximum wait for an event.
const MAX_WAIT: Duration = Duration::from_mins(1);

/// Open event stream.
#[derive(Debug)]
pub struct Events {
    queue: Receiver<(String, Value)>,
    last_id: Arc<Mutex<String>>,
}

impl Events {
    /// Reads events from a body until it ends.
    ///
    /// # Panics
    ///
    /// Panics if the thread cannot be started.
    pub fn read(body: impl Read + Send + 'static) -> Self {
        let (sender, queue) = channel();
        let last_id = Arc::<Mutex<String>>::default();
        let last = last_id.clone();
        std::thread::spawn(move || {
            let mut name = String::new();
            for line in BufReader::new(body).lines() {
                // An aborted stream counts as ended.
                let Ok(line) = line else { return };
                if let Some(event) = line.strip_prefix("event: ") {
                    event.clone_into(&mut name);
                } else if let Some(id) = line.strip_prefix("id: ") {
                    id.clone_into(&mut last.lock().expect("no panic"));
                } else if let Some(data) = line.strip_prefix("data: ") {
                    let data = serde_json::from_str(data).expect("JSON");
                    if sender.send((std::mem::take(&mut name), data)).is_err() {
                        return;
                    }
                }
            }
        });
        Self { queue, last_id }
    }

    /// Returns the event id with which a browser would reconnect.
    ///
    /// # Panics
    ///
    /// Panics if the reader thread has panicked.
    pub fn last_id(&self) -> String {
        self.last_id.lock().expect("no panic").clone()
    }

    /// Returns the next event, or `None` at the end of the stream.
    ///
    /// # Panics
    ///
    /// Panics if neither arrives in time.
    #[track_caller]
    pub fn next(&self) -> Option<(String, Value)> {
        match self.queue.recv_timeout(MAX_WAIT) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("neither an event nor the end"),
        }
    }

    /// Returns all events up to and including the first one for which `is_last` returns `true`.
    ///
    /// # Panics
    ///
    /// Panics if the stream ends before.
    #[track_caller]
    pub fn until(&self, is_last: impl Fn(&str, &Value) -> bool) -> Vec<(String, Value)> {
        let mut events = Vec::new();
        loop {
            let Some((name, data)) = self.next() else {
                panic!("the stream ended after {events:?}");
            };
            let last = is_last(&name, &data);
            events.push((name, data));
            if last {
                return events;
            }
        }
    }
}
