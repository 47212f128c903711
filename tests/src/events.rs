//! A client of server-sent events: a thread that reads, and a queue that it fills.

use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;

/// An event that never comes fails the test after this.
const PATIENCE: Duration = Duration::from_mins(1);

/// An open stream.
#[derive(Debug)]
pub struct Events {
    queue: Receiver<(String, Value)>,
    last_id: Arc<Mutex<String>>,
}

impl Events {
    /// Reads events from a body until it ends.
    ///
    /// # Panics
    /// If there is no thread to be had.
    pub fn read(body: impl Read + Send + 'static) -> Self {
        let (sender, queue) = channel();
        let last_id = Arc::<Mutex<String>>::default();
        let last = last_id.clone();
        std::thread::spawn(move || {
            let mut name = String::new();
            for line in BufReader::new(body).lines() {
                // A stream that breaks off has ended, too.
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

    /// The id that a browser would come back with.
    ///
    /// # Panics
    /// If the reading thread did.
    pub fn last_id(&self) -> String {
        self.last_id.lock().expect("no panic").clone()
    }

    /// The next event; `None` at the end of the stream.
    ///
    /// # Panics
    /// If neither comes.
    #[track_caller]
    pub fn next(&self) -> Option<(String, Value)> {
        match self.queue.recv_timeout(PATIENCE) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("neither an event nor the end"),
        }
    }

    /// All events up to the first for which `is_last` holds, that one included.
    ///
    /// # Panics
    /// If the stream ends before.
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
