//! The queue of requests that wait for a hash. The lane of the best rank goes first; lanes of the
//! same rank take turns.

use std::collections::{HashMap, VecDeque};

use ledge_core::id::UserId;
use tokio::sync::oneshot;

use crate::session::ClientNetwork;

/// Requests in the queue.
const CAPACITY: usize = 512;
/// Requests of one lane in the queue.
const PER_LANE: usize = 32;

/// The requests that share turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Lane {
    /// A signed-in user.
    User(UserId),
    /// Usernames that have signed in from this network before.
    Familiar(ClientNetwork),
    /// Other usernames from this network.
    Unfamiliar(ClientNetwork),
}

/// Precedence of a lane; the least goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank(u32);

impl Rank {
    /// Signed-in users, and usernames that have signed in from the same network before.
    pub(crate) const TRUSTED: Self = Self(0);

    /// Rank of a network with this many recent failures. Each doubling is one rank, so that a few
    /// wrong passwords do not matter much and a flood goes last.
    pub(crate) fn of_failures(failures: u32) -> Self {
        Self(1 + (u32::BITS - failures.leading_zeros()))
    }
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
    /// Requests so far; also the number of the last one.
    numbers: u64,
    /// Turns so far.
    turns: u64,
}

struct Requests {
    rank: Rank,
    /// When the lane had its last turn. Zero, the best, until it has had one.
    last_turn: u64,
    waiting: VecDeque<Request>,
}

struct Request {
    number: u64,
    grant: oneshot::Sender<()>,
}

impl Queue {
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds a request; returns its number and the receiver of its turn. A full queue drops the
    /// newest request of the worst lane.
    pub(super) fn add(
        &mut self,
        lane: Lane,
        rank: Rank,
    ) -> Result<(u64, oneshot::Receiver<()>), Full> {
        let length = self.lanes.get(&lane).map_or(0, |lane| lane.waiting.len());
        if length >= PER_LANE {
            return Err(Full::Lane);
        }
        if self.count >= CAPACITY {
            self.drop_worse_than(rank, length + 1)?;
        }
        let (grant, granted) = oneshot::channel();
        self.numbers += 1;
        let number = self.numbers;
        let entry = self.lanes.entry(lane).or_insert_with(|| Requests {
            rank,
            last_turn: 0,
            waiting: VecDeque::new(),
        });
        entry.rank = rank;
        entry.waiting.push_back(Request { number, grant });
        self.count += 1;
        Ok((number, granted))
    }

    /// Takes the request that is next.
    pub(super) fn take(&mut self) -> Option<oneshot::Sender<()>> {
        let order = |requests: &Requests| {
            let first = requests.waiting.front().map(|request| request.number);
            (requests.rank, requests.last_turn, first)
        };
        let next = self.lanes.iter().min_by_key(|(_, lane)| order(lane));
        let lane = *next?.0;
        self.turns += 1;
        let requests = self.lanes.get_mut(&lane)?;
        requests.last_turn = self.turns;
        let request = requests.waiting.pop_front()?;
        self.record_removal(lane);
        Some(request.grant)
    }

    /// Removes a request that nobody waits for any more.
    pub(super) fn remove(&mut self, lane: Lane, number: u64) {
        let requests = self.lanes.get_mut(&lane).map(|lane| &mut lane.waiting);
        let Some(requests) = requests else { return };
        let Some(index) = requests.iter().position(|other| other.number == number) else {
            return;
        };
        requests.remove(index);
        self.record_removal(lane);
    }

    /// Drops the newest request of the worst lane: that of the worst rank or, among equal ranks,
    /// of the most requests.
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
mod tests {
    use super::*;

    fn lane(n: u8) -> Lane {
        let address = std::net::IpAddr::from([192, 0, 2, n]);
        Lane::Unfamiliar(ClientNetwork::from(address))
    }

    const CLEAN: Rank = Rank(1);

    /// Adds requests and returns their receivers.
    fn add(queue: &mut Queue, lane: Lane, rank: Rank, count: usize) -> Vec<oneshot::Receiver<()>> {
        let one = |_| queue.add(lane, rank).expect("room").1;
        (0..count).map(one).collect()
    }

    /// Takes turns until the first of these requests has its own; returns how many.
    fn turns_until(queue: &mut Queue, granted: &mut [oneshot::Receiver<()>]) -> usize {
        let first = granted.first_mut().expect("a request");
        let mut is_granted = || {
            let next = queue.take().expect("a request");
            next.send(()).expect("a receiver");
            first.try_recv().is_ok()
        };
        (1..=CAPACITY).find(|_| is_granted()).expect("a turn")
    }

    #[test]
    fn newcomer_does_not_wait_for_the_requests_of_a_flood() {
        let mut queue = Queue::default();
        let _flood = add(&mut queue, lane(1), CLEAN, PER_LANE);
        let mut user = add(&mut queue, lane(2), CLEAN, 1);
        assert_eq!(turns_until(&mut queue, &mut user), 2);
    }

    #[test]
    fn lanes_of_the_same_rank_take_turns() {
        let mut queue = Queue::default();
        let mut all: Vec<_> = (1..=3)
            .map(|n| add(&mut queue, lane(n), CLEAN, 5))
            .collect();
        for _ in 0..6 {
            queue
                .take()
                .expect("a request")
                .send(())
                .expect("a receiver");
        }
        for lane in &mut all {
            let granted = lane.iter_mut().filter_map(|turn| turn.try_recv().ok());
            assert_eq!(granted.count(), 2);
        }
    }

    #[test]
    fn addresses_with_failures_go_after_those_without() {
        let mut queue = Queue::default();
        let flood: Vec<_> = (1..=250)
            .map(|n| add(&mut queue, lane(n), Rank::of_failures(1), 2))
            .collect();
        let mut user = add(&mut queue, lane(251), Rank::of_failures(0), 1);
        assert_eq!(turns_until(&mut queue, &mut user), 1);
        let mut signed_in = add(&mut queue, Lane::User(UserId(1)), Rank::TRUSTED, 1);
        assert_eq!(turns_until(&mut queue, &mut signed_in), 1);
        drop(flood);
    }

    #[test]
    fn a_lane_has_a_limit() {
        let mut queue = Queue::default();
        let _flood = add(&mut queue, lane(1), CLEAN, PER_LANE);
        assert_eq!(queue.add(lane(1), CLEAN).err(), Some(Full::Lane));
        assert!(queue.add(lane(2), CLEAN).is_ok());
    }

    #[test]
    fn a_full_queue_drops_the_newest_request_of_the_worst_lane() {
        let mut queue = Queue::default();
        let mut flood: Vec<_> = (1..=16)
            .map(|n| add(&mut queue, lane(n), CLEAN, PER_LANE))
            .collect();
        assert_eq!(queue.count, CAPACITY);
        let mut user = add(&mut queue, lane(200), CLEAN, 1);
        assert_eq!(queue.count, CAPACITY);
        let mut dropped = Vec::new();
        for (n, request) in flood.iter_mut().flatten().enumerate() {
            if request.try_recv() == Err(oneshot::error::TryRecvError::Closed) {
                dropped.push(n % PER_LANE);
            }
        }
        assert_eq!(dropped, [PER_LANE - 1]);
        let worse = Rank::of_failures(100);
        assert_eq!(queue.add(lane(201), worse).err(), Some(Full::Queue));
        assert!(turns_until(&mut queue, &mut user) <= 17);
    }

    #[test]
    fn removed_requests_leave_nothing_behind() {
        let mut queue = Queue::default();
        let (number, _granted) = queue.add(lane(1), CLEAN).expect("room");
        queue.remove(lane(1), number);
        queue.remove(lane(1), number);
        assert!(queue.is_empty() && queue.lanes.is_empty() && queue.take().is_none());
    }

    #[test]
    fn ranks_grow_with_the_doublings_of_failures() {
        let rank = Rank::of_failures;
        assert!(Rank::TRUSTED < rank(0));
        assert!(rank(0) < rank(1) && rank(1) < rank(2));
        assert_eq!(rank(2), rank(3));
        assert!(rank(3) < rank(4) && rank(4) < rank(100));
    }
}
