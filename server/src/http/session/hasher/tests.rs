//! Tests of granted, released and dropped permits.

use std::net::IpAddr;

use futures_util::FutureExt as _;

use super::*;
use crate::http::session::ClientNetwork;

fn lane(n: u8) -> Lane {
    Lane::Unfamiliar(ClientNetwork::from(IpAddr::from([192, 0, 2, n])))
}

fn request(n: u8) -> HashRequest {
    HashRequest {
        lane: lane(n),
        rank: Rank::TRUSTED,
        network: None,
    }
}

async fn turn(hasher: &Hasher, n: u8) -> HashPermit {
    hasher.turn(request(n)).await.expect("a turn")
}

#[tokio::test]
async fn two_hash_at_once_and_the_next_waits() {
    let hasher = Hasher::default();
    let (one, other) = (turn(&hasher, 1).await, turn(&hasher, 1).await);
    let mut third = Box::pin(hasher.turn(request(1)));
    assert!(third.as_mut().now_or_never().is_none());
    drop(one);
    let third = third.await.expect("a turn");
    assert_eq!(hasher.lock().running.len(), AT_ONCE);
    drop((other, third));
    assert_eq!(hasher.lock().running.len(), 0);
}

#[tokio::test]
async fn dropped_request_passes_its_permit_to_the_next() {
    let hasher = Hasher::default();
    let held = (turn(&hasher, 1).await, turn(&hasher, 1).await);
    let mut dropped = Box::pin(hasher.turn(request(1)));
    let mut granted = Box::pin(hasher.turn(request(2)));
    let mut next = Box::pin(hasher.turn(request(3)));
    assert!(dropped.as_mut().now_or_never().is_none());
    assert!(granted.as_mut().now_or_never().is_none());
    assert!(next.as_mut().now_or_never().is_none());
    drop(dropped);
    drop(held.0);
    // The permit is granted, but the future has not been polled since.
    drop(granted);
    let next = next.await.expect("a turn");
    drop((held.1, next));
    let state = hasher.lock();
    assert!(state.running.is_empty() && state.queue.is_empty());
}

#[tokio::test]
async fn full_lane_returns_429_with_retry_time() {
    let hasher = Hasher::default();
    let _held = (turn(&hasher, 1).await, turn(&hasher, 1).await);
    let mut waiting = Vec::new();
    let refused = loop {
        let mut next = Box::pin(hasher.turn(request(1)));
        match next.as_mut().now_or_never() {
            None => waiting.push(next),
            Some(refused) => break refused,
        }
    };
    assert!(matches!(refused, Err(ApiError::TooManyRequests(1..))));
    assert!(waiting.len() < 100);
    let elsewhere = hasher.turn(request(2)).now_or_never();
    assert!(elsewhere.is_none(), "it waits");
}

#[tokio::test]
async fn lane_has_one_of_two_permits_while_others_wait() {
    let hasher = Hasher::default();
    let held = (turn(&hasher, 1).await, turn(&hasher, 1).await);
    let mut flood = Box::pin(hasher.turn(request(1)));
    let mut user = Box::pin(hasher.turn(request(2)));
    assert!(flood.as_mut().now_or_never().is_none());
    assert!(user.as_mut().now_or_never().is_none());
    // The other permit of the first lane is still held.
    drop(held.0);
    assert!(flood.as_mut().now_or_never().is_none());
    let user = user.await.expect("a turn");
    drop(held.1);
    drop((flood.await.expect("a turn"), user));
    assert!(hasher.lock().running.is_empty());
}
