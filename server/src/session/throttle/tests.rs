//! Limits over time, and what a flood leaves behind.

use std::net::IpAddr;

use ledge_core::clock::Clock;

use super::*;

const HOME: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));

fn client(address: IpAddr) -> Client {
    Client {
        address,
        is_proxy: false,
        secure: false,
        forwarded_host: None,
    }
}

/// An attempt at `HOME` without a session.
fn at_home(throttle: &Throttle, username: &str) -> Attempt {
    throttle.attempt(username, &client(HOME), None)
}

/// Returns whether an attempt is admitted, or the seconds to wait.
fn admit(throttle: &Throttle, attempt: Attempt, now: Timestamp) -> Result<(), u64> {
    throttle.admit(&attempt, now).map(drop)
}

fn start() -> Timestamp {
    Timestamp::from_micros(1_800_000_000_000_000)
}

#[test]
fn the_sixth_attempt_waits_and_each_further_one_longer() {
    let (clock, hand) = Clock::manual(start());
    let throttle = Throttle::default();
    let key = at_home(&throttle, "mia");
    for _ in 0..5 {
        assert_eq!(admit(&throttle, key, clock.now()), Ok(()));
        throttle.record(&key, false, clock.now());
    }
    assert_eq!(admit(&throttle, key, clock.now()), Err(30));
    hand.advance(Duration::from_millis(29_500));
    assert_eq!(admit(&throttle, key, clock.now()), Err(1));
    hand.advance(Duration::from_millis(500));
    assert_eq!(admit(&throttle, key, clock.now()), Ok(()));
    throttle.record(&key, false, clock.now());
    assert_eq!(admit(&throttle, key, clock.now()), Err(60));
}

#[test]
fn five_failures_over_more_than_a_quarter_of_an_hour_are_free() {
    let (clock, hand) = Clock::manual(start());
    let throttle = Throttle::default();
    let key = at_home(&throttle, "mia");
    for _ in 0..20 {
        assert_eq!(admit(&throttle, key, clock.now()), Ok(()));
        throttle.record(&key, false, clock.now());
        hand.advance(Duration::from_mins(4));
    }
}

#[test]
fn a_clock_that_was_set_back_closes_no_name_for_longer() {
    let (clock, hand) = Clock::manual(start());
    let throttle = Throttle::default();
    let key = at_home(&throttle, "mia");
    for _ in 0..9 {
        throttle.record(&key, false, clock.now());
    }
    // By little steps it is put right all the time, and opens nothing.
    hand.set_back(Duration::from_secs(5));
    assert!(admit(&throttle, key, clock.now()).is_err());
    hand.set_back(Duration::from_hours(24));
    assert_eq!(admit(&throttle, key, clock.now()), Ok(()));
}

#[test]
fn a_success_wipes_the_slate() {
    let throttle = Throttle::default();
    let key = at_home(&throttle, "mia");
    for success in [false, false, false, false, true, false, false, false, false] {
        throttle.record(&key, success, start());
    }
    assert_eq!(admit(&throttle, key, start()), Ok(()));
}

#[test]
fn names_are_compared_like_those_of_users_and_ipv6_by_network() {
    let throttle = Throttle::default();
    let key = |name: &str, address: &str| {
        let address = address.parse().expect("an address");
        throttle.attempt(name, &client(address), None).key
    };
    let mia = key("Mia", "2001:db8::1");
    assert_eq!(mia, key(" mIA ", "2001:db8::ffff:2"));
    assert_ne!(mia, key("mia", "2001:db8:0:1::1"));
    assert_ne!(mia, key("max", "2001:db8::1"));
    assert_ne!(mia, key("mia", "192.0.2.1"));
    assert_eq!(key("mia", "::ffff:192.0.2.1"), key("mia", "192.0.2.1"));
}

#[test]
fn a_flood_of_names_takes_bounded_memory_and_opens_nothing() {
    let throttle = Throttle::default();
    let target = at_home(&throttle, "mia");
    for _ in 0..5 {
        throttle.record(&target, false, start());
    }
    for n in 0..CAPACITY + 10 {
        let other = at_home(&throttle, &format!("invented-{n}"));
        throttle.record(&other, false, start());
    }
    assert_eq!(lock(&throttle.failures).len(), CAPACITY);
    assert!(admit(&throttle, target, start()).is_err());
}

/// Fails for many usernames at `HOME`, until the address is refused.
fn flood(throttle: &Throttle) {
    let refused = (0..1_000).find(|n| {
        let attempt = at_home(throttle, &format!("invented-{n}"));
        throttle.record(&attempt, false, start());
        admit(throttle, at_home(throttle, "another"), start()).is_err()
    });
    assert!(
        (50..200).contains(&refused.expect("a limit")),
        "{refused:?}"
    );
}

#[test]
fn many_usernames_from_one_address_are_refused_there_only() {
    let throttle = Throttle::default();
    flood(&throttle);
    let elsewhere = client(IpAddr::from([192, 0, 2, 2]));
    let elsewhere = throttle.attempt("another", &elsewhere, None);
    assert_eq!(admit(&throttle, elsewhere, start()), Ok(()));
    let later = start().plus(Duration::from_mins(16));
    assert_eq!(
        admit(&throttle, at_home(&throttle, "another"), later),
        Ok(())
    );
}

#[test]
fn a_username_that_signed_in_from_the_address_before_is_not_refused() {
    let throttle = Throttle::default();
    let mia = at_home(&throttle, "mia");
    throttle.record(&mia, true, start());
    flood(&throttle);
    let (lane, rank) = throttle.admit(&mia, start()).expect("admitted");
    assert_eq!(lane, Lane::Familiar(ClientNetwork::from(HOME)));
    assert_eq!(rank, Rank::TRUSTED);
    // Its own limit stays.
    for _ in 0..5 {
        throttle.record(&mia, false, start());
    }
    assert_eq!(admit(&throttle, mia, start()), Err(30));
}

#[test]
fn a_session_is_not_refused_for_its_address_and_a_proxy_has_no_limit() {
    let throttle = Throttle::default();
    flood(&throttle);
    let signed_in = throttle.attempt("mia", &client(HOME), Some(UserId(7)));
    let (lane, _) = throttle.admit(&signed_in, start()).expect("admitted");
    assert_eq!(lane, Lane::User(UserId(7)));
    let proxy = Client {
        is_proxy: true,
        ..client(HOME)
    };
    let proxied = throttle.attempt("another", &proxy, None);
    assert_eq!(admit(&throttle, proxied, start()), Ok(()));
}

#[test]
fn attempts_of_an_address_with_failures_go_later() {
    let throttle = Throttle::default();
    let attempt = at_home(&throttle, "mia");
    let (_, before) = throttle.admit(&attempt, start()).expect("admitted");
    throttle.record(&at_home(&throttle, "another"), false, start());
    let (_, after) = throttle.admit(&attempt, start()).expect("admitted");
    assert!(Rank::TRUSTED < before && before < after);
}

#[test]
fn familiar_usernames_take_bounded_memory() {
    let throttle = Throttle::default();
    for n in 0..CAPACITY + 10 {
        let attempt = at_home(&throttle, &format!("user-{n}"));
        throttle.record(&attempt, true, start());
    }
    assert_eq!(lock(&throttle.familiar).len(), CAPACITY);
}
