//! Tests of the order of turns and of the limits.

use super::*;

fn lane(n: u8) -> Lane {
    let address = std::net::IpAddr::from([192, 0, 2, n]);
    Lane::Unfamiliar(ClientNetwork::from(address))
}

const CLEAN: Rank = Rank(1);

fn request(lane: Lane, rank: Rank) -> HashRequest {
    HashRequest {
        lane,
        rank,
        network: None,
    }
}

/// Adds requests and returns their receivers.
fn add(queue: &mut Queue, lane: Lane, rank: Rank, count: usize) -> Vec<oneshot::Receiver<()>> {
    let one = |_| queue.add(request(lane, rank)).expect("room").1;
    (0..count).map(one).collect()
}

/// Takes requests until the first of `granted` has its permit, and returns their number.
fn turns_until(queue: &mut Queue, granted: &mut [oneshot::Receiver<()>]) -> usize {
    let first = granted.first_mut().expect("a request");
    let mut is_granted = || {
        let next = queue.take(&[]).expect("a request").1;
        next.send(()).expect("a receiver");
        first.try_recv().is_ok()
    };
    (1..=CAPACITY).find(|_| is_granted()).expect("a turn")
}

#[test]
fn new_client_does_not_wait_for_a_flood() {
    let mut queue = Queue::default();
    let _flood = add(&mut queue, lane(1), CLEAN, PER_NETWORK);
    let mut user = add(&mut queue, lane(2), CLEAN, 1);
    assert_eq!(turns_until(&mut queue, &mut user), 2);
}

#[test]
fn lanes_of_equal_rank_take_turns() {
    let mut queue = Queue::default();
    let mut all: Vec<_> = (1..=3)
        .map(|n| add(&mut queue, lane(n), CLEAN, 5))
        .collect();
    for _ in 0..6 {
        let (_, grant) = queue.take(&[]).expect("a request");
        grant.send(()).expect("a receiver");
    }
    for lane in &mut all {
        let granted = lane.iter_mut().filter_map(|turn| turn.try_recv().ok());
        assert_eq!(granted.count(), 2);
    }
}

#[test]
fn lanes_with_failures_follow_those_without() {
    let mut queue = Queue::default();
    let flood: Vec<_> = (1..=250)
        .map(|n| add(&mut queue, lane(n), Rank::of_failures(1), 2))
        .collect();
    let mut user = add(&mut queue, lane(251), Rank::of_failures(0), 1);
    assert_eq!(turns_until(&mut queue, &mut user), 1);
    let mut signed_in = add(&mut queue, Lane::User(UserId(1)), Rank::TRUSTED, 1);
    // Every second turn is independent of the rank.
    assert_eq!(turns_until(&mut queue, &mut signed_in), 2);
    drop(flood);
}

#[test]
fn lane_has_a_limit() {
    let mut queue = Queue::default();
    let _flood = add(&mut queue, lane(1), CLEAN, PER_NETWORK);
    assert_eq!(queue.add(request(lane(1), CLEAN)).err(), Some(Full::Lane));
    assert!(queue.add(request(lane(2), CLEAN)).is_ok());
}

#[test]
fn full_queue_drops_the_newest_request_of_the_worst_lane() {
    let mut queue = Queue::default();
    let mut flood: Vec<_> = (1..=16)
        .map(|n| add(&mut queue, lane(n), CLEAN, PER_NETWORK))
        .collect();
    assert_eq!(queue.count, CAPACITY);
    let mut user = add(&mut queue, lane(200), CLEAN, 1);
    assert_eq!(queue.count, CAPACITY);
    let mut dropped = Vec::new();
    for (n, request) in flood.iter_mut().flatten().enumerate() {
        if request.try_recv() == Err(oneshot::error::TryRecvError::Closed) {
            dropped.push(n % PER_NETWORK);
        }
    }
    assert_eq!(dropped, [PER_NETWORK - 1]);
    let worse = Rank::of_failures(100);
    assert_eq!(
        queue.add(request(lane(201), worse)).err(),
        Some(Full::Queue)
    );
    assert!(
        turns_until(&mut queue, &mut user) <= 17,
        "lanes of equal rank take turns"
    );
}

#[test]
fn removed_requests_leave_no_entries() {
    let mut queue = Queue::default();
    let (number, _granted) = queue.add(request(lane(1), CLEAN)).expect("room");
    queue.remove(lane(1), number);
    queue.remove(lane(1), number);
    assert!(queue.is_empty() && queue.lanes.is_empty() && queue.take(&[]).is_none());
}

#[test]
fn rank_grows_with_each_doubling_of_failures() {
    let rank = Rank::of_failures;
    assert!(Rank::TRUSTED < rank(0));
    assert!(rank(0) < rank(1) && rank(1) < rank(2));
    assert_eq!(rank(2), rank(3));
    assert!(rank(3) < rank(4) && rank(4) < rank(100));
}

/// Keeps a lane filled for a number of turns, and returns the turn in which `user` has its permit.
fn turn_despite_flood(queue: &mut Queue, flood: Lane, user: &mut oneshot::Receiver<()>) -> usize {
    let mut granted = Vec::new();
    let mut is_granted = || {
        granted.extend(add(queue, flood, Rank::TRUSTED, 1));
        let (_, grant) = queue.take(&[]).expect("a request");
        // An error for a receiver of an earlier flood.
        let _ = grant.send(());
        user.try_recv().is_ok()
    };
    (1..=CAPACITY).find(|_| is_granted()).expect("a turn")
}

#[test]
fn lane_of_the_best_rank_that_is_always_filled_starves_no_other_lane() {
    let mut queue = Queue::default();
    let flood = Lane::Account(1);
    let _waiting = add(&mut queue, flood, Rank::TRUSTED, PER_NETWORK / 2);
    let mut user = add(&mut queue, lane(1), Rank::of_failures(50), 1);
    let turn = turn_despite_flood(&mut queue, flood, &mut user[0]);
    assert!(turn <= 4, "{turn}");
    let mut next = add(&mut queue, lane(2), CLEAN, 1);
    let turn = turn_despite_flood(&mut queue, flood, &mut next[0]);
    assert!(turn <= 4, "{turn}");
}

#[test]
fn lane_with_a_running_hash_is_skipped_while_others_wait() {
    let mut queue = Queue::default();
    let flood = Lane::Account(1);
    let _flood = add(&mut queue, flood, Rank::TRUSTED, 3);
    let _user = add(&mut queue, lane(1), CLEAN, 1);
    let mut next = || queue.take(&[flood]).expect("a request").0;
    assert_eq!(next(), lane(1));
    // No other lane waits any more.
    assert_eq!(next(), flood);
}

#[test]
fn network_cannot_fill_the_lane_of_an_account() {
    let mut queue = Queue::default();
    let from = |n: u8| HashRequest {
        network: Some(ClientNetwork::from(std::net::IpAddr::from([192, 0, 2, n]))),
        ..request(Lane::Account(1), Rank::TRUSTED)
    };
    let flood: Vec<_> = (0..PER_NETWORK).map(|_| queue.add(from(1))).collect();
    assert!(flood.iter().all(Result::is_ok));
    assert_eq!(queue.add(from(1)).err(), Some(Full::Lane));
    let mut user = [queue.add(from(2)).expect("room").1];
    assert!(turns_until(&mut queue, &mut user) <= 2);
    for n in 3..=3 + u8::try_from(PER_LANE).expect("small") {
        // An error once the lane is full.
        let _ = queue.add(from(n));
    }
    assert_eq!(queue.count, PER_LANE);
}
