use proptest::prelude::*;
use rusqlite::Connection;

use super::*;
use crate::access::Visible;
use crate::registry::PlaybackEngine;
use crate::store::user_data::progress::tests::database;

/// The engine without which a registry is invalid.
const BROWSER: PlaybackEngine = PlaybackEngine {
    id: "html5",
    label: "Browser",
    rank: 0,
    containers: &[],
    vcodecs: &[],
    acodecs: &[],
};

/// Inserts an item with two files.
fn item_with_files(conn: &Connection) {
    conn.execute_batch(
        "INSERT INTO item (id, library_id, kind, group_key, title, sort_title, initial, added_at)
         VALUES (1, 1, 'paper', 'k', 'T', 't', 'T', '');
         INSERT INTO file (id, item_id, folder_id, name, size, mtime_ns, added_at, sequence)
         VALUES (1, 1, 1, x'61', 0, 0, '', 1), (2, 1, 1, x'62', 0, 0, '', 2);",
    )
    .expect("rows");
}

/// Returns first and last time of each session in seconds, the earliest first.
fn sessions(tx: &Transaction<'_>) -> Vec<(i64, i64)> {
    let mut statement = tx
        .prepare("SELECT started_at, last_at FROM usage_session ORDER BY started_at")
        .expect("a statement");
    let seconds = |at: Timestamp| at.as_micros() / 1_000_000;
    let rows = statement.query_map([], |row| Ok((seconds(row.get(0)?), seconds(row.get(1)?))));
    rows.expect("rows")
        .collect::<Result<_, _>>()
        .expect("sessions")
}

/// Divides sorted times at pauses of more than five minutes.
fn expected(times: &[i64]) -> Vec<(i64, i64)> {
    let runs = times.chunk_by(|a, b| b - a <= 300);
    let ends = |run: &[i64]| Some((*run.first()?, *run.last()?));
    runs.filter_map(ends).collect()
}

proptest! {
    /// Each file accepts only times that are not before its stored one, but the files of an item
    /// arrive in any order.
    #[test]
    fn sessions_are_the_runs_of_accepted_times(
        writes in prop::collection::vec((1..=2_i64, 0..7200_i64), 1..60)
    ) {
        let mut conn = database();
        item_with_files(&conn);
        let registry = Registry::of(vec![], vec![&BROWSER], vec![]).expect("a registry");
        let tx = conn.transaction().expect("a transaction");
        let visible = Visible::of(UserId(1)).item(&tx, ItemId(1)).expect("an answer");
        let visible = visible.expect("an item");
        let now = Timestamp::from_micros(100_000_000_000);
        let mut accepted = Vec::new();
        for (file, second) in writes {
            let new = NewProgress {
                file: Some(FileId(file)),
                position: second,
                recorded_at: Some(Timestamp::from_micros(second * 1_000_000)),
                ..NewProgress::default()
            };
            let saved = save_progress(&tx, &registry, visible, &new, now).expect("saved");
            if saved.expect("an item").applied {
                accepted.push(second);
            }
        }
        accepted.sort_unstable();
        prop_assert_eq!(sessions(&tx), expected(&accepted));
    }
}
