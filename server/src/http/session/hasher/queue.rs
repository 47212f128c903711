//! Queue of requests that wait for a hash.
//!
//! | turn | lane |
//! |---|---|
//! | first, third, ... | best rank; lanes with equal ranks take turns |
//! | second, fourth, ... | longest wait, whatever its rank |
//!
//! The ranks keep users ahead of a flood. The second kind of turn bounds the wait of every lane,
//! even if a lane of the best rank always has requests. While other lanes wait, a lane has at most
//! one running hash.

use std::collections::{HashMap, VecDeque};

use ledge_core::id::UserId;
use tokio::sync::oneshot;

use crate::http::session::ClientNetwork;

/// Limit of waiting requests.
const CAPACITY: usize = 512;
/// Limit of waiting requests per lane and network. No single network can fill the lane of an
/// account.
const PER_NETWORK: usize = 32;
/// Limit of waiting requests per lane.
const PER_LANE: usize = 2 * PER_NETWORK;

/// Group of requests that share their turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Lane {
    /// A signed-in user.
    User(UserId),
    /// A username, as a keyed hash, from networks from which it has logged in before. It has one
    /// lane for all these networks: a user of many networks has no more turns than others.
    Account(u64),
    /// Other usernames from this network.
    Unfamiliar(ClientNetwork),
}

/// Precedence of a lane; the least goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank(u32);

impl Rank {
    /// Rank of signed-in users, and of usernames that have logged in from the same network before.
    pub(crate) const TRUSTED: Self = Self(0);

    /// Returns the rank of a network with this many recent failures. Each doubling adds one rank. A
    /// few wrong passwords therefore matter little, and a flood comes last.
    pub(crate) fn of_failures(failures: u32) -> Self {
        Self(1 + (u32::BITS - failures.leading_zeros()))
    }
}

/// Request for the permit to hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HashRequest {
    pub lane: Lane,
    pub rank: Rank,
    /// Network of the client; `None` if the requests of a lane need no distinction.
    pub network: Option<ClientNetwork>,
}

/// The reason why a request cannot wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Full {
    /// Its lane has too many requests.
    Lane,
    /// The queue is full, and no lane is worse.
    Queue,
}

/// The waiting requests.
#[derive(Default)]
pub(super) struct Queue {
    lanes: HashMap<Lane, Requests>,
    count: usize,
    /// Number of the last request or turn. It orders both.
    numbers: u64,
    /// Number of turns so far.
    turns: u64,
}

struct Requests {
    rank: Rank,
    /// Number of the lane's last turn; zero, the best value, before the first one.
    last_turn: u64,
    /// Network of the lane's last turn.
    last_network: Option<ClientNetwork>,
    waiting: VecDeque<Request>,
}

struct Request {
    number: u64,
    network: Option<ClientNetwork>,
    grant: oneshot::Sender<()>,
}

impl Requests {
    fn new(rank: Rank) -> Self {
        Self {
            rank,
            last_turn: 0,
            last_network: None,
            waiting: VecDeque::new(),
        }
    }

    fn is_full_for(&self, network: Option<ClientNetwork>) -> bool {
        let same = self.waiting.iter().filter(|other| other.network == network);
        self.waiting.len() >= PER_LANE || same.count() >= PER_NETWORK
    }

    /// Returns the number of the oldest request.
    fn first(&self) -> u64 {
        self.waiting.front().map_or(u64::MAX, |first| first.number)
    }

    /// Returns the number of the event since which the lane has waited: its oldest request or, if
    /// later, its last turn.
    fn waiting_since(&self) -> u64 {
        self.first().max(self.last_turn)
    }

    /// Removes the oldest request of another network than the last one or, without one, the oldest.
    fn pop(&mut self) -> Option<Request> {
        let is_other = |request: &Request| request.network != self.last_network;
        let index = self.waiting.iter().position(is_other).unwrap_or(0);
        let request = self.waiting.remove(index)?;
        self.last_network = request.network;
        Some(request)
    }
}

impl Queue {
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds a request and returns its number and the receiver of its permit. A full queue drops the
    /// newest request of the worst lane.
    pub(super) fn add(
        &mut self,
        request: HashRequest,
    ) -> Result<(u64, oneshot::Receiver<()>), Full> {
        let HashRequest {
            lane,
            rank,
            network,
        } = request;
        let existing = self.lanes.get(&lane);
        if existing.is_some_and(|lane| lane.is_full_for(network)) {
            return Err(Full::Lane);
        }
        let length = existing.map_or(0, |lane| lane.waiting.len());
        if self.count >= CAPACITY {
            self.drop_worse_than(rank, length + 1)?;
        }
        let (grant, granted) = oneshot::channel();
        self.numbers += 1;
        let number = self.numbers;
        let entry = self
            .lanes
            .entry(lane)
            .or_insert_with(|| Requests::new(rank));
        entry.rank = rank;
        entry.waiting.push_back(Request {
            number,
            network,
            grant,
        });
        self.count += 1;
        Ok((number, granted))
    }

    /// Removes the next request, and returns its lane and its permit. Lanes with a running hash are
    /// skipped while others wait.
    pub(super) fn take(&mut self, running: &[Lane]) -> Option<(Lane, oneshot::Sender<()>)> {
        let lane = self.next(running)?;
        self.turns += 1;
        self.numbers += 1;
        let requests = self.lanes.get_mut(&lane)?;
        requests.last_turn = self.numbers;
        let request = requests.pop()?;
        self.record_removal(lane);
        Some((lane, request.grant))
    }

    /// Returns the lane that has the next turn.
    fn next(&self, running: &[Lane]) -> Option<Lane> {
        let is_fair = self.turns % 2 == 1;
        let order = |lane: &Lane, requests: &Requests| {
            let (rank, last_turn) = if is_fair {
                (Rank::TRUSTED, requests.waiting_since())
            } else {
                (requests.rank, requests.last_turn)
            };
            (running.contains(lane), rank, last_turn, requests.first())
        };
        let next = self
            .lanes
            .iter()
            .min_by_key(|(lane, requests)| order(lane, requests));
        next.map(|(lane, _)| *lane)
    }

    /// Removes a request whose caller was dropped.
    pub(super) fn remove(&mut self, lane: Lane, number: u64) {
        let requests = self.lanes.get_mut(&lane).map(|lane| &mut lane.waiting);
        let Some(requests) = requests else { return };
        let Some(index) = requests.iter().position(|other| other.number == number) else {
            return;
        };
        requests.remove(index);
        self.record_removal(lane);
    }

    /// Drops the newest request of the worst lane: the lane with the worst rank or, among equal
    /// ranks, with the most requests.
    fn drop_worse_than(&mut self, rank: Rank, length: usize) -> Result<(), Full> {
        let order = |lane: &Requests| (lane.rank, lane.waiting.len());
        let worst = self.lanes.iter().max_by_key(|(_, lane)| order(lane));
        let (lane, requests) = worst.ok_or(Full::Queue)?;
        if order(requests) <= (rank, length) {
            return Err(Full::Queue);
        }
        let lane = *lane;
        if let Some(requests) = self.lanes.get_mut(&lane) {
            requests.waiting.pop_back();
            self.record_removal(lane);
        }
        Ok(())
    }

    fn record_removal(&mut self, lane: Lane) {
        self.count -= 1;
        let is_over = |lane: &Requests| lane.waiting.is_empty();
        if self.lanes.get(&lane).is_some_and(is_over) {
            self.lanes.remove(&lane);
        }
    }
}

#[cfg(test)]
mod tests;
