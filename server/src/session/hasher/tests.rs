//! Turns that are granted, given up and dropped.

use std::net::IpAddr;

use futures_util::FutureExt as _;

use super::*;
use crate::session::ClientNetwork;

fn lane(n: u8) -> Lane {
    Lane::Unfamiliar(ClientNetwork::from(IpAddr::from([192, 0, 2, n])))
}

const RANK: Rank = Rank::TRUSTED;

async fn turn(hasher: &Hasher, n: u8) -> Turn {
    hasher.turn(lane(n), RANK).await.expect("a turn")
}

#[tokio::test]
async fn two_hash_at_once_and_the_next_waits() {
    let hasher = Hasher::default();
    let (one, other) = (turn(&hasher, 1).await, turn(&hasher, 1).await);
    let mut third = Box::pin(hasher.turn(lane(1), RANK));
    assert!(third.as_mut().now_or_never().is_none());
    drop(one);
    let third = third.await.expect("a turn");
    assert_eq!(hasher.lock().running, AT_ONCE);
    drop((other, third));
    assert_eq!(hasher.lock().running, 0);
}

#[tokio::test]
async fn a_request_that_is_dropped_gives_its_turn_to_the_next() {
    let hasher = Hasher::default();
    let held = (turn(&hasher, 1).await, turn(&hasher, 1).await);
    let mut dropped = Box::pin(hasher.turn(lane(1), RANK));
    let mut granted = Box::pin(hasher.turn(lane(2), RANK));
    let mut next = Box::pin(hasher.turn(lane(3), RANK));
    assert!(dropped.as_mut().now_or_never().is_none());
    assert!(granted.as_mut().now_or_never().is_none());
    assert!(next.as_mut().now_or_never().is_none());
    drop(dropped);
    drop(held.0);
    // It has its turn, and nobody has looked yet.
    drop(granted);
    let next = next.await.expect("a turn");
    drop((held.1, next));
    let state = hasher.lock();
    assert!(state.running == 0 && state.queue.is_empty());
}

#[tokio::test]
async fn a_full_lane_is_429_with_a_time() {
    let hasher = Hasher::default();
    let _held = (turn(&hasher, 1).await, turn(&hasher, 1).await);
    let mut waiting = Vec::new();
    let refused = loop {
        let mut next = Box::pin(hasher.turn(lane(1), RANK));
        match next.as_mut().now_or_never() {
            None => waiting.push(next),
            Some(refused) => break refused,
        }
    };
    assert!(matches!(refused, Err(ApiError::TooManyRequests(1..))));
    assert!(waiting.len() < 100);
    let elsewhere = hasher.turn(lane(2), RANK).now_or_never();
    assert!(elsewhere.is_none(), "it waits");
}
