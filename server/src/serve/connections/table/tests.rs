//! Tests of the limits and of the choice of evicted connections.

use futures_util::FutureExt as _;

use super::*;
use crate::serve::connection::Limits;

/// Limits of this capacity: 64 per network, a reserve of 16.
const CAPACITY: usize = 256;

fn network(text: &str) -> ClientNetwork {
    ClientNetwork::from(text.parse::<std::net::IpAddr>().expect("an address"))
}

/// Creates a table in which no connection is old.
fn table(capacity: usize) -> Table {
    Table::with_young(capacity, Duration::from_mins(1))
}

/// Returns one of many networks.
fn foreign(n: u8) -> ClientNetwork {
    network(&format!("198.51.100.{n}"))
}

struct Opened {
    activity: Activity,
    _entry_guard: EntryGuard,
}

impl Opened {
    fn is_evicted(&self) -> bool {
        self.activity.evicted().now_or_never().is_some()
    }
}

/// Opens `count` connections at the same time.
fn open(table: &Table, network: Option<ClientNetwork>, count: usize) -> Vec<Opened> {
    let one = |_| {
        let activity = Activity::new(network.is_none(), Limits::default());
        let place = table.add(network, &activity);
        Opened {
            activity,
            _entry_guard: place,
        }
    };
    (0..count).map(one).collect()
}

fn sign_in(opened: &[Opened], user: i64) {
    for opened in opened {
        opened.activity.set_authenticated(UserId(user));
    }
}

/// Opens connections of a user.
fn signed_in(
    table: &Table,
    network: Option<ClientNetwork>,
    count: usize,
    user: i64,
) -> Vec<Opened> {
    let opened = open(table, network, count);
    sign_in(&opened, user);
    opened
}

fn evicted(opened: &[Opened]) -> usize {
    opened.iter().filter(|opened| opened.is_evicted()).count()
}

fn count(table: &Table) -> usize {
    table.open().entries.len()
}

#[test]
fn new_connection_evicts_the_oldest_without_a_session() {
    let table = table(CAPACITY);
    let home = Some(network("192.0.2.1"));
    let users = signed_in(&table, home, 10, 1);
    let flood: Vec<Opened> = (0..6)
        .flat_map(|n| open(&table, Some(foreign(n)), 41))
        .collect();
    assert_eq!((count(&table), evicted(&flood)), (CAPACITY, 0));
    let _more = open(&table, home, 3);
    assert_eq!(evicted(&users), 0);
    let ended: Vec<bool> = flood.iter().map(Opened::is_evicted).collect();
    assert_eq!(ended.iter().filter(|ended| **ended).count(), 3);
    assert!(ended.iter().take(3).all(|ended| *ended), "{ended:?}");
    assert_eq!(count(&table), CAPACITY);
}

#[test]
fn flood_of_other_machines_does_not_evict_a_local_health_check() {
    let table = table(CAPACITY);
    for address in ["127.0.0.1", "::1"] {
        let check = open(&table, Some(network(address)), 1);
        let _flood: Vec<Vec<Opened>> = (0..10)
            .map(|n| open(&table, Some(foreign(n)), 64))
            .collect();
        assert_eq!((count(&table), evicted(&check)), (CAPACITY, 0));
    }
}

#[test]
fn signed_in_users_cannot_occupy_the_reserve() {
    let table = table(CAPACITY);
    let modest = signed_in(&table, Some(network("192.0.2.1")), 40, 1);
    let greedy: Vec<Opened> = (0..4)
        .flat_map(|n| signed_in(&table, Some(foreign(n)), 50, 2))
        .collect();
    assert_eq!(evicted(&greedy), 0);
    let check = open(&table, Some(network("127.0.0.1")), 1);
    assert_eq!((evicted(&greedy), evicted(&modest)), (1, 0));
    // Connections that sign in later leave it for the next new ones.
    let authenticated = || {
        let open = table.open();
        let users = open
            .scope(None)
            .filter(|(_, entry)| entry.activity.is_authenticated());
        users.count()
    };
    let most = CAPACITY - CAPACITY / 16;
    let _late = signed_in(&table, Some(foreign(4)), 60, 2);
    assert!(authenticated() > most);
    let _new = open(&table, Some(foreign(5)), 16);
    assert!(authenticated() <= most, "{}", authenticated());
    assert_eq!((evicted(&modest), evicted(&check)), (0, 0));
}

#[test]
fn idle_connection_of_the_user_with_the_most_ends_first() {
    let table = table(CAPACITY);
    let greedy: Vec<Opened> = (0..4)
        .flat_map(|n| signed_in(&table, Some(foreign(n)), 60, 1))
        .collect();
    let idle = &greedy[100];
    drop(idle.activity.begin());
    let _new = open(&table, Some(foreign(9)), 1);
    assert!(idle.is_evicted());
    assert_eq!(evicted(&greedy), 0, "the notice was taken before");
}

#[test]
fn network_at_its_limit_evicts_its_own_connections_only() {
    let table = table(4096);
    let home = Some(network("2001:db8::1"));
    let users = signed_in(&table, home, 600, 1);
    let flood = open(&table, Some(network("2001:db8::ffff:2")), 500);
    assert_eq!(evicted(&flood), 600 + 500 - per_client(4096));
    assert_eq!(evicted(&users), 0);
    let elsewhere = open(&table, Some(network("2001:db8:0:1::1")), 200);
    assert_eq!(evicted(&elsewhere), 0);
    sign_in(&flood, 2);
    let _more = open(&table, home, 1);
    assert_eq!((evicted(&users), evicted(&flood)), (1, 0));
}

#[test]
fn network_has_a_quarter_of_the_capacity() {
    for (capacity, most) in [(16, 4), (512, 128), (4096, 1024)] {
        let table = table(capacity);
        let users = signed_in(&table, Some(network("192.0.2.1")), most, 1);
        assert_eq!(evicted(&users), 0);
        let _more = open(&table, Some(network("192.0.2.1")), 1);
        assert_eq!((evicted(&users), count(&table)), (1, most));
    }
}

#[test]
fn old_connections_beyond_the_soft_limit_are_evicted_first() {
    let home = Some(network("192.0.2.1"));
    for (young, ended) in [(Duration::from_mins(1), 0), (Duration::ZERO, 10)] {
        let table = Table::with_young(4096, young);
        let opened = open(&table, home, PER_ADDRESS + 10);
        assert_eq!(evicted(&opened), ended);
    }
}

#[test]
fn trusted_proxy_has_no_network_limit() {
    let table = table(4096);
    let opened = open(&table, None, per_client(4096) + 500);
    assert_eq!(evicted(&opened), 0);
    drop(opened);
    assert_eq!(count(&table), 0);
}

#[test]
fn network_counts_are_removed_with_their_connections() {
    let table = table(CAPACITY);
    let opened = open(&table, Some(network("192.0.2.1")), 100);
    drop(opened);
    assert_eq!(count(&table), 0);
    assert!(table.open().counts.is_empty());
}
