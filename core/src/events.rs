//! What happens in the background, told to those who listen. Whoever publishes does so after the
//! commit; an event names what changed, and the listener reads for itself what it may see of it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{broadcast, watch};

use crate::id::{JobId, LibraryId, UserId};
use crate::store::job::{Job, JobStatus};

/// Events that wait for a listener; one that lags further behind is told so.
const BACKLOG: usize = 256;
/// Listeners of one user at once: several browsers and devices.
const PER_USER: usize = 16;
/// Listeners at once.
const OVERALL: usize = 512;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A library's scan was asked for, got on or ended.
    Scan(LibraryId),
    /// Items of a library got other covers.
    Covers(LibraryId),
    /// The enrichment of a library got on or ended.
    Enrichment(LibraryId),
    /// A job changed its status.
    Job(JobChange),
    /// Sessions may have ended.
    Sessions,
}

/// A job that changed its status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobChange {
    /// The job.
    pub id: JobId,
    /// Which handler does it.
    pub kind: String,
    /// Id of what it works on.
    pub ref_id: Option<i64>,
    /// Where it stands now.
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

/// The bus; clones share everything.
#[derive(Debug, Clone)]
pub struct Events {
    sender: broadcast::Sender<Event>,
    closed: watch::Sender<bool>,
    seats: Arc<Mutex<HashMap<UserId, usize>>>,
}

impl Default for Events {
    fn default() -> Self {
        Self {
            sender: broadcast::Sender::new(BACKLOG),
            closed: watch::Sender::new(false),
            seats: Arc::default(),
        }
    }
}

/// Why nobody more can listen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Full {
    /// The user listens often enough.
    User,
    /// The server has listeners enough.
    Server,
}

impl Events {
    /// Tells of an event; costs next to nothing while nobody listens.
    pub fn publish(&self, event: Event) {
        // Refused only where nobody listens.
        let _ = self.sender.send(event);
    }

    /// Tells that a library's scan got on.
    pub fn scan(&self, library: LibraryId) {
        self.publish(Event::Scan(library));
    }

    /// Begins to listen, for a user.
    pub fn listen(&self, user: UserId) -> Result<Listener, Full> {
        let mut seats = self.seats();
        if seats.values().sum::<usize>() >= OVERALL {
            return Err(Full::Server);
        }
        let taken = seats.entry(user).or_default();
        if *taken >= PER_USER {
            return Err(Full::User);
        }
        *taken += 1;
        drop(seats);
        Ok(Listener {
            receiver: self.sender.subscribe(),
            closed: self.closed.subscribe(),
            _seat: Seat {
                events: self.clone(),
                user,
            },
        })
    }

    /// Ends what every listener hears, now and later: the server is stopping.
    pub fn close(&self) {
        self.closed.send_replace(true);
    }

    fn seats(&self) -> MutexGuard<'_, HashMap<UserId, usize>> {
        // Counters: no panic can leave them half written.
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a listener hears.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// An event.
    Event(Event),
    /// Events were lost: look at everything anew.
    Lagged,
    /// The server is stopping.
    Closed,
}

/// One who listens; the seat is free again when it is dropped.
#[derive(Debug)]
pub struct Listener {
    receiver: broadcast::Receiver<Event>,
    closed: watch::Receiver<bool>,
    _seat: Seat,
}

impl Listener {
    /// Whether the server is stopping.
    pub fn is_closed(&self) -> bool {
        *self.closed.borrow()
    }

    /// Waits for what comes next. Nothing is lost where it is not waited for to the end.
    pub async fn hear(&mut self) -> Heard {
        tokio::select! {
            biased;
            _ = self.closed.wait_for(|closed| *closed) => Heard::Closed,
            received = self.receiver.recv() => match received {
                Ok(event) => Heard::Event(event),
                Err(broadcast::error::RecvError::Lagged(_)) => Heard::Lagged,
                Err(broadcast::error::RecvError::Closed) => Heard::Closed,
            },
        }
    }
}

#[derive(Debug)]
struct Seat {
    events: Events,
    user: UserId,
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut seats = self.events.seats();
        if let Some(taken) = seats.get_mut(&self.user) {
            *taken -= 1;
            if *taken == 0 {
                seats.remove(&self.user);
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
    async fn a_listener_hears_what_comes_after_it_began() {
        let events = Events::default();
        events.publish(scan(1));
        let mut listener = events.listen(UserId(1)).expect("a seat");
        events.publish(scan(2));
        assert_eq!(listener.hear().await, Heard::Event(scan(2)));
    }

    #[tokio::test]
    async fn one_who_does_not_listen_in_time_is_told_so_and_goes_on() {
        let events = Events::default();
        let mut listener = events.listen(UserId(1)).expect("a seat");
        let far = i64::try_from(BACKLOG).expect("small") * 2;
        for n in 0..=far {
            events.publish(scan(n));
        }
        assert_eq!(listener.hear().await, Heard::Lagged);
        assert!(matches!(listener.hear().await, Heard::Event(_)));
    }

    #[tokio::test]
    async fn closing_is_heard_before_anything_that_waits() {
        let events = Events::default();
        let mut listener = events.listen(UserId(1)).expect("a seat");
        events.publish(scan(1));
        events.close();
        assert_eq!(listener.hear().await, Heard::Closed);
        let mut late = events.listen(UserId(1)).expect("a seat");
        assert!(late.is_closed());
        assert_eq!(late.hear().await, Heard::Closed);
    }

    #[test]
    fn seats_are_limited_and_free_again_once_left() {
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
        assert!(events.seats().is_empty());
    }
}
