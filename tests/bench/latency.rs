//! Latencies of requests over one kept connection, and what they cost the server.

use std::time::{Duration, Instant};

use ledge_tests::Client;

/// What requests took, in order.
#[derive(Debug, Default)]
pub(crate) struct Times(Vec<Duration>);

impl Times {
    /// One more.
    pub(crate) fn add(&mut self, time: Duration) {
        let place = self.0.partition_point(|known| *known < time);
        self.0.insert(place, time);
    }

    /// Many more.
    pub(crate) fn extend(&mut self, times: Vec<Duration>) {
        self.0.extend(times);
        self.0.sort_unstable();
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// A percentile in milliseconds.
    pub(crate) fn at(&self, percent: usize) -> f64 {
        let place = (self.0.len() * percent / 100).min(self.0.len().saturating_sub(1));
        self.0.get(place).copied().unwrap_or_default().as_secs_f64() * 1000.0
    }

    /// Median and 99th percentile; the largest where there are too few for one.
    pub(crate) fn show(&self) -> String {
        format!("{:.2} / {:.2} ms", self.at(50), self.at(99))
    }
}

/// One request.
pub(crate) fn once(client: &Client, path: &str) -> Duration {
    let begin = Instant::now();
    let answer = client.get(path);
    let time = begin.elapsed();
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    time
}

/// Requests one after another.
pub(crate) fn of(client: &Client, count: usize, path: impl Fn(usize) -> String) -> Times {
    let mut times = Times::default();
    for n in 0..count {
        times.add(once(client, &path(n)));
    }
    times
}
