//! The rate limiters of all hosts. Providers of one host share a limiter, and its waits and pauses
//! outlive a restart.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::Connection;
use url::Url;

use super::rate_limit::{RateLimiter, Remaining};
use crate::db::Db;
use crate::error::StoreResult;
use crate::registry::provider::RateLimit;
use crate::store::matches::provider_state;
use crate::time::{Clock, Timestamp};

/// Limit of the hosts in memory. Responses can name any number of hosts for pictures.
const MAX_HOSTS: usize = 256;
const NEXT: &str = "next";
const PAUSE: &str = "retry_at";

/// Rate limiters by host and port.
#[derive(Debug)]
pub(super) struct HostLimits {
    db: Option<Db>,
    clock: Clock,
    limiters: Mutex<BTreeMap<String, Arc<RateLimiter>>>,
}

/// Rate limiter of one host, with its name.
#[derive(Debug)]
pub(super) struct HostLimit {
    host: String,
    pub(super) limiter: Arc<RateLimiter>,
}

impl HostLimits {
    /// Creates limiters that store their state in `db`. Without it, a restart loses the state.
    pub(super) fn new(db: Option<Db>, clock: Clock) -> Self {
        Self {
            db,
            clock,
            limiters: Mutex::default(),
        }
    }

    /// Returns the limiter of the host of `url`, for a provider with this rate limit. Blocks while
    /// the stored state of a new host is read.
    pub(super) fn of(&self, url: &Url, pace: RateLimit) -> HostLimit {
        let name = url.host_str().unwrap_or_default();
        let port = url.port_or_known_default().unwrap_or_default();
        let host = format!("{name}:{port}");
        // The lock is held during the read, so that no second limiter of the host is created.
        let mut limiters = self.limiters.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(limiter) = limiters.get(&host).cloned() {
            limiter.join(pace);
            return HostLimit { host, limiter };
        }
        if limiters.len() >= MAX_HOSTS {
            let is_used = |limiter: &Arc<RateLimiter>| Arc::strong_count(limiter) > 1;
            limiters.retain(|_, limiter| {
                is_used(limiter) || limiter.remaining() != Remaining::default()
            });
        }
        let limiter = Arc::new(RateLimiter::new(pace, self.load(&host)));
        limiters.insert(host.clone(), limiter.clone());
        HostLimit { host, limiter }
    }

    fn load(&self, host: &str) -> Remaining {
        let Some(db) = &self.db else {
            return Remaining::default();
        };
        let (owner, now) = (owner(host), self.clock.now());
        let read = move |conn: &Connection| {
            let time = |key| -> StoreResult<Option<Duration>> {
                let value = provider_state::get(conn, &owner, key, now)?;
                let until = value.and_then(|text| text.parse::<Timestamp>().ok());
                Ok(until.map(|until| until.since(now)))
            };
            Ok(Remaining {
                next: time(NEXT)?,
                pause: time(PAUSE)?,
            })
        };
        db.read_blocking(read).unwrap_or_else(|error| {
            tracing::warn!(host, %error, "cannot read the stored rate limit of a host");
            Remaining::default()
        })
    }

    /// Stores the state of a host, if a restart must not shorten its waits.
    pub(super) fn save(&self, host: &HostLimit) {
        let Remaining { next, pause } = host.limiter.remaining();
        let Some(db) = self.db.as_ref().filter(|_| next.or(pause).is_some()) else {
            return;
        };
        let (owner, now) = (owner(&host.host), self.clock.now());
        let saved = db.bulk_blocking(move |tx| {
            for (key, time) in [(NEXT, next), (PAUSE, pause)] {
                let Some(until) = time.map(|time| now.plus(time)) else {
                    continue;
                };
                provider_state::set(tx, &owner, (key, &until.to_string()), until)?;
            }
            Ok(())
        });
        if let Err(error) = saved {
            tracing::warn!(host = host.host, %error, "cannot store the rate limit of a host");
        }
    }
}

/// Returns the owner of a host's rows. It is not the id of a provider, because of the colon.
fn owner(host: &str) -> String {
    format!("host:{host}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOW: RateLimit = RateLimit { per_second: 0.1 };
    const MAX_WAIT: Duration = Duration::from_secs(1);

    fn url(text: &str) -> Url {
        text.parse().expect("a URL")
    }

    #[test]
    fn waits_and_pauses_of_a_host_survive_a_restart() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ledge.db");
        let catalogue = url("https://a.example/search");
        for retry_after in [None, Some(Duration::from_hours(1))] {
            let db = Db::open(&path).expect("a database");
            let hosts = HostLimits::new(Some(db.clone()), Clock::system());
            let host = hosts.of(&catalogue, SLOW);
            if retry_after.is_none() {
                host.limiter.reserve(MAX_WAIT).expect("the first request");
            } else {
                let limited = Err(crate::registry::provider::AskError::Status {
                    code: 429,
                    retry_after,
                });
                assert!(host.limiter.record(&limited));
            }
            hosts.save(&host);
            db.close();
            let db = Db::open(&path).expect("a database");
            let hosts = HostLimits::new(Some(db.clone()), Clock::system());
            let host = hosts.of(&catalogue, SLOW);
            host.limiter.reserve(MAX_WAIT).expect_err("too early");
            assert_eq!(host.limiter.pause().is_some(), retry_after.is_some());
            let other = hosts.of(&url("https://b.example/search"), SLOW);
            other.limiter.reserve(MAX_WAIT).expect("another host");
            db.close();
        }
    }

    #[test]
    fn providers_of_a_host_share_its_limiter() {
        let hosts = HostLimits::new(None, Clock::system());
        let fast = RateLimit { per_second: 1e6 };
        let first = hosts.of(&url("https://a.example/search"), fast);
        let second = hosts.of(&url("https://a.example:443/works"), SLOW);
        assert!(Arc::ptr_eq(&first.limiter, &second.limiter));
        let other = hosts.of(&url("http://a.example/search"), fast);
        assert!(!Arc::ptr_eq(&first.limiter, &other.limiter));
        first.limiter.reserve(MAX_WAIT).expect("the first request");
        first
            .limiter
            .reserve(MAX_WAIT)
            .expect_err("the pace of the slower one");
    }

    #[test]
    fn number_of_hosts_in_memory_is_bounded() {
        let hosts = HostLimits::new(None, Clock::system());
        for n in 0..=MAX_HOSTS * 2 {
            hosts.of(&url(&format!("https://{n}.example/")), SLOW);
        }
        let count = hosts.limiters.lock().expect("the limiters").len();
        assert!(count <= MAX_HOSTS, "{count}");
    }
}
