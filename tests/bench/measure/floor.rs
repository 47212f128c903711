//! Floors: the cost of the same result without the server. Plain SQL on a separate connection, and
//! a minimal write to the disk.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use ledge_core::db::open;
use rusqlite::Connection;

use crate::measure::latency::Times;

/// Connection that is independent of the server.
pub(crate) struct Floor {
    connection: Connection,
}

impl Floor {
    pub(crate) fn of(database: &Path) -> Self {
        Self {
            connection: open::read_only(database).expect("the database"),
        }
    }

    /// Returns the median duration of a statement including all its rows, in milliseconds. All its
    /// parameters are the number of the round.
    pub(crate) fn sql(&self, rounds: i64, sql: &str) -> f64 {
        let mut times = Times::default();
        for round in 0..rounds {
            times.add(self.once(sql, round));
        }
        times.at(50)
    }

    fn once(&self, sql: &str, round: i64) -> Duration {
        let begin = Instant::now();
        let mut statement = self.connection.prepare_cached(sql).expect(sql);
        let round = vec![round; statement.parameter_count()];
        let mut rows = statement
            .query(rusqlite::params_from_iter(round))
            .expect(sql);
        while let Some(row) = rows.next().expect(sql) {
            // All columns are read, as in a response.
            let mut column = 0;
            while let Ok(value) = row.get_ref(column) {
                std::hint::black_box(value);
                column += 1;
            }
        }
        begin.elapsed()
    }

    /// Returns the number that a statement selects.
    pub(crate) fn number(&self, sql: &str) -> u64 {
        let row = self.connection.query_row(sql, [], |row| row.get(0));
        row.expect(sql)
    }

    /// Returns the first two columns of all rows.
    pub(crate) fn pairs(&self, sql: &str) -> Vec<(u64, u64)> {
        let mut statement = self.connection.prepare(sql).expect(sql);
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
        rows.expect(sql).map(|row| row.expect(sql)).collect()
    }
}

/// Measures writes of single pages to the disk, in the folder of the database.
pub(crate) fn disk(folder: &Path, rounds: usize) -> Times {
    let path = folder.join("floor");
    let mut file = File::create(&path).expect("a file");
    let mut times = Times::default();
    for _ in 0..rounds {
        let begin = Instant::now();
        file.write_all(&[7; 4096]).expect("a written page");
        file.sync_data().expect("the disk");
        times.add(begin.elapsed());
    }
    std::fs::remove_file(&path).expect("a file of its own");
    times
}
