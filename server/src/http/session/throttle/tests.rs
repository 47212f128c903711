//! Tests of the limits over time, and of their memory under a flood.

use std::net::IpAddr;

use ledge_core::time::Clock;

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

/// Describes an attempt at `HOME` without a session.
fn at_home(throttle: &Throttle, username: &str) -> Attempt {
    throttle.attempt(username, &client(HOME), None)
}

/// Returns `Ok` if an attempt is admitted, otherwise the seconds to wait.
fn admit(throttle: &Throttle, attempt: Attempt, now: Timestamp) -> Result<(), u64> {
    throttle.admit(&attempt, now).map(drop)
}

fn start() -> Timestamp {
    Timestamp::from_micros(1_800_000_000_000_000)
}

#[test]
fn sixth_attempt_waits_and_each_further_one_longer() {
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
fn five_failures_in_more_than_fifteen_minutes_cause_no_delay() {
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
fn clock_that_was_set_back_blocks_no_name_for_longer() {
    let (clock, hand) = Clock::manual(start());
    let throttle = Throttle::default();
    let key = at_home(&throttle, "mia");
    for _ in 0..9 {
        throttle.record(&key, false, clock.now());
    }
    // Small corrections of the clock do not lift the limit.
    hand.set_back(Duration::from_secs(5));
    assert!(admit(&throttle, key, clock.now()).is_err());
    hand.set_back(Duration::from_hours(24));
    assert_eq!(admit(&throttle, key, clock.now()), Ok(()));
}

#[test]
fn success_clears_the_failures() {
    let throttle = Throttle::default();
    let key = at_home(&throttle, "mia");
    for success in [false, false, false, false, true, false, false, false, false] {
        throttle.record(&key, success, start());
    }
    assert_eq!(admit(&throttle, key, start()), Ok(()));
}

#[test]
fn names_are_compared_like_usernames_and_ipv6_by_network() {
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
fn flood_of_names_uses_bounded_memory_and_lifts_no_limit() {
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

/// Records failures of many usernames at `HOME` until the client is rejected.
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
fn many_usernames_from_one_client_are_rejected_there_only() {
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
fn username_that_logged_in_from_the_client_before_is_admitted() {
    let throttle = Throttle::default();
    let mia = at_home(&throttle, "mia");
    throttle.record(&mia, true, start());
    flood(&throttle);
    let request = throttle.admit(&mia, start()).expect("admitted");
    assert_eq!(request.lane, mia.account);
    assert_eq!(request.rank, Rank::TRUSTED);
    // The limit of the username remains.
    for _ in 0..5 {
        throttle.record(&mia, false, start());
    }
    assert_eq!(admit(&throttle, mia, start()), Err(30));
}

#[test]
fn session_and_proxy_are_exempt_from_the_client_limit() {
    let throttle = Throttle::default();
    flood(&throttle);
    let signed_in = throttle.attempt("mia", &client(HOME), Some(UserId(7)));
    let request = throttle.admit(&signed_in, start()).expect("admitted");
    assert_eq!(request.lane, Lane::User(UserId(7)));
    let proxy = Client {
        is_proxy: true,
        ..client(HOME)
    };
    let proxied = throttle.attempt("another", &proxy, None);
    assert_eq!(admit(&throttle, proxied, start()), Ok(()));
}

#[test]
fn attempts_of_a_client_with_failures_have_a_worse_rank() {
    let throttle = Throttle::default();
    let attempt = at_home(&throttle, "mia");
    let before = throttle.admit(&attempt, start()).expect("admitted").rank;
    throttle.record(&at_home(&throttle, "another"), false, start());
    let after = throttle.admit(&attempt, start()).expect("admitted").rank;
    assert!(Rank::TRUSTED < before && before < after);
}

#[test]
fn familiar_usernames_use_bounded_memory() {
    let throttle = Throttle::default();
    for n in 0..CAPACITY + 10 {
        let attempt = at_home(&throttle, &format!("user-{n}"));
        throttle.record(&attempt, true, start());
    }
    assert_eq!(lock(&throttle.familiar).len(), CAPACITY);
}

#[test]
fn correct_passwords_of_a_username_at_a_client_have_a_rate_limit() {
    let (clock, hand) = Clock::manual(start());
    let throttle = Throttle::default();
    let mia = at_home(&throttle, "mia");
    for _ in 0..CORRECT.burst {
        assert_eq!(admit(&throttle, mia, clock.now()), Ok(()));
        throttle.record(&mia, true, clock.now());
    }
    assert_eq!(admit(&throttle, mia, clock.now()), Err(1));
    // A change of the password counts, too.
    let signed_in = throttle.attempt("mia", &client(HOME), Some(UserId(7)));
    assert_eq!(admit(&throttle, signed_in, clock.now()), Err(1));
    let other = at_home(&throttle, "max");
    assert_eq!(admit(&throttle, other, clock.now()), Ok(()));
    let elsewhere = client(IpAddr::from([192, 0, 2, 2]));
    let elsewhere = throttle.attempt("mia", &elsewhere, None);
    assert_eq!(admit(&throttle, elsewhere, clock.now()), Ok(()));
    hand.advance(CORRECT.leak);
    assert_eq!(admit(&throttle, mia, clock.now()), Ok(()));
}

#[test]
fn familiar_username_has_one_lane_for_all_clients() {
    let throttle = Throttle::default();
    let lanes = [1, 2].map(|n| {
        let client = client(IpAddr::from([192, 0, 2, n]));
        let mia = throttle.attempt("mia", &client, None);
        throttle.record(&mia, true, start());
        throttle.admit(&mia, start()).expect("admitted").lane
    });
    assert_eq!(lanes[0], lanes[1]);
}
