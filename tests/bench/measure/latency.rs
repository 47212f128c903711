//! Latencies of requests over one persistent connection, and their cost for the server.

use std::time::{Duration, Instant};

use ledge_tests::Client;

/// Sorted durations of requests.
#[derive(Debug, Default)]
pub(crate) struct Times(Vec<Duration>);

impl Times {
    /// Adds a duration.
    pub(crate) fn add(&mut self, time: Duration) {
        let place = self.0.partition_point(|known| *known < time);
        self.0.insert(place, time);
    }

    /// Adds several durations.
    pub(crate) fn extend(&mut self, times: Vec<Duration>) {
        self.0.extend(times);
        self.0.sort_unstable();
    }

    /// Returns the number of durations.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns a percentile in milliseconds.
    pub(crate) fn at(&self, percent: usize) -> f64 {
        let place = (self.0.len() * percent / 100).min(self.0.len().saturating_sub(1));
        self.0.get(place).copied().unwrap_or_default().as_secs_f64() * 1000.0
    }

    /// Formats the median and the 99th percentile. With less than a hundred values, the latter is
    /// the maximum.
    pub(crate) fn show(&self) -> String {
        format!("{:.2} / {:.2} ms", self.at(50), self.at(99))
    }
}

/// Sends one request and returns its duration.
pub(crate) fn once(client: &Client, path: &str) -> Duration {
    let begin = Instant::now();
    let answer = client.get(path);
    let time = begin.elapsed();
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    time
}

/// Sends requests one after another.
pub(crate) fn of(client: &Client, count: usize, path: impl Fn(usize) -> String) -> Times {
    let mut times = Times::default();
    for n in 0..count {
        times.add(once(client, &path(n)));
    }
    times
}
