//! Bus of background events. A publisher sends an event after its commit. An event names the
//! changed objects only; each listener reads the data that its user may see.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{broadcast, watch};

use crate::id::{JobId, LibraryId, UserId};
use crate::store::job::{Job, JobStatus};

/// Capacity of the bus, in events. A listener that falls further behind receives [`Received::Lagged`].
const BACKLOG: usize = 256;
/// Limit of listeners per user: several browsers and devices.
const PER_USER: usize = 16;
/// Limit of listeners of the whole server.
const OVERALL: usize = 512;

/// A change that background work has committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A scan of the library was requested, made progress or ended.
    Scan(LibraryId),
    /// Covers of items of the library changed.
    Covers(LibraryId),
    /// The enrichment of the library made progress or ended.
    Enrichment(LibraryId),
    /// The status of a job changed.
    Job(JobChange),
    /// Sessions may have ended.
    Sessions,
}

/// New status of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobChange {
    /// Id of the job.
    pub id: JobId,
    /// Name of the handler that runs the job.
    pub kind: String,
    /// Id of the object that the job works on.
    pub ref_id: Option<i64>,
    /// Status after the change.
    pub status: JobStatus,
}

impl From<Job> for JobChange {
    fn from(job: Job) -> Self {
        Self {
            id: job.id,
            kind: job.kind,
            ref_id: job.ref_id,
            status: JobStatus::of(&job.status),
        }
    }
}

/// The event bus; clones share everything.
#[derive(Debug, Clone)]
pub struct Events {
    sender: broadcast::Sender<Event>,
    closed: watch::Sender<bool>,
    counts: Arc<Mutex<HashMap<UserId, usize>>>,
}

impl Default for Events {
    fn default() -> Self {
        Self {
            sender: broadcast::Sender::new(BACKLOG),
            closed: watch::Sender::new(false),
            counts: Arc::default(),
        }
    }
}

/// Reason why a listener is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Full {
    /// The user has reached the limit of listeners per user.
    User,
    /// The server has reached its overall limit of listeners.
    Server,
}

impl Events {
    /// Sends an event to all listeners. This is cheap while there are none.
    pub fn publish(&self, event: Event) {
        // Sending fails only if there is no listener.
        let _ = self.sender.send(event);
    }

    /// Publishes [`Event::Scan`] for a library.
    pub fn scan(&self, library: LibraryId) {
        self.publish(Event::Scan(library));
    }

    /// Registers a listener for a user.
    ///
    /// # Errors
    ///
    /// Returns [`Full`] if the user or the server has reached its limit of listeners.
    pub fn listen(&self, user: UserId) -> Result<Listener, Full> {
        let mut counts = self.counts();
        if counts.values().sum::<usize>() >= OVERALL {
            return Err(Full::Server);
        }
        let taken = counts.entry(user).or_default();
        if *taken >= PER_USER {
            return Err(Full::User);
        }
        *taken += 1;
        drop(counts);
        Ok(Listener {
            receiver: self.sender.subscribe(),
            closed: self.closed.subscribe(),
            _permit: ListenerPermit {
                events: self.clone(),
                user,
            },
        })
    }

    /// Returns a receiver for a task of the server. It does not count as a listener.
    pub fn subscribe(&self) -> broadcast::Receiver<Event> {
        self.sender.subscribe()
    }

    /// Closes all present and future listeners, because the server is stopping.
    pub fn close(&self) {
        self.closed.send_replace(true);
    }

    fn counts(&self) -> MutexGuard<'_, HashMap<UserId, usize>> {
        // The mutex protects counters only, so a panic cannot leave them inconsistent.
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Result of waiting for an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Received {
    /// An event.
    Event(Event),
    /// Events were lost; the listener must read all data again.
    Lagged,
    /// The server is stopping.
    Closed,
}

/// Registration on the bus. Dropping it releases its seat.
#[derive(Debug)]
pub struct Listener {
    receiver: broadcast::Receiver<Event>,
    closed: watch::Receiver<bool>,
    _permit: ListenerPermit,
}

impl Listener {
    /// Returns `true` if the server is stopping.
    pub fn is_closed(&self) -> bool {
        *self.closed.borrow()
    }

    /// Waits for the next event. Cancelling the future loses no event.
    pub async fn recv(&mut self) -> Received {
        tokio::select! {
            biased;
            _ = self.closed.wait_for(|closed| *closed) => Received::Closed,
            received = self.receiver.recv() => match received {
                Ok(event) => Received::Event(event),
                Err(broadcast::error::RecvError::Lagged(_)) => Received::Lagged,
                Err(broadcast::error::RecvError::Closed) => Received::Closed,
            },
        }
    }
}

#[derive(Debug)]
struct ListenerPermit {
    events: Events,
    user: UserId,
}

impl Drop for ListenerPermit {
    fn drop(&mut self) {
        let mut counts = self.events.counts();
        if let Some(taken) = counts.get_mut(&self.user) {
            *taken -= 1;
            if *taken == 0 {
                counts.remove(&self.user);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(n: i64) -> Event {
        Event::Scan(LibraryId(n))
    }

    #[tokio::test]
    async fn listener_receives_events_published_after_it_began() {
        let events = Events::default();
        events.publish(scan(1));
        let mut listener = events.listen(UserId(1)).expect("a seat");
        events.publish(scan(2));
        assert_eq!(listener.recv().await, Received::Event(scan(2)));
    }

    #[tokio::test]
    async fn lagging_listener_receives_lagged_and_continues() {
        let events = Events::default();
        let mut listener = events.listen(UserId(1)).expect("a seat");
        let far = i64::try_from(BACKLOG).expect("small") * 2;
        for n in 0..=far {
            events.publish(scan(n));
        }
        assert_eq!(listener.recv().await, Received::Lagged);
        assert!(matches!(listener.recv().await, Received::Event(_)));
    }

    #[tokio::test]
    async fn close_is_received_before_pending_events() {
        let events = Events::default();
        let mut listener = events.listen(UserId(1)).expect("a seat");
        events.publish(scan(1));
        events.close();
        assert_eq!(listener.recv().await, Received::Closed);
        let mut late = events.listen(UserId(1)).expect("a seat");
        assert!(late.is_closed());
        assert_eq!(late.recv().await, Received::Closed);
    }

    #[test]
    fn seats_are_limited_and_released_on_drop() {
        let events = Events::default();
        let user = |n: usize| UserId(i64::try_from(n).expect("small"));
        let mut own: Vec<_> = (0..PER_USER)
            .map(|_| events.listen(user(1)).expect("a seat"))
            .collect();
        assert_eq!(events.listen(user(1)).map(drop), Err(Full::User));
        own.pop();
        own.push(events.listen(user(1)).expect("a seat"));
        let others: Vec<_> = (PER_USER..OVERALL)
            .map(|n| events.listen(user(2 + n)).expect("a seat"))
            .collect();
        assert_eq!(events.listen(user(0)).map(drop), Err(Full::Server));
        drop((own, others));
        assert!(events.counts().is_empty());
    }
}
