//! Simulation of offline devices that send late, repeated and unordered writes. It checks the final
//! state, and that no sent progress is lost.

use std::collections::BTreeSet;

use super::super::history::{self, HistoryQuery};
use super::super::{NewProgress, clear, of_item, save};
use super::*;

const WRITES: usize = 10_000;
const DEVICES: usize = 3;

/// Seeded random generator, so that a failure is reproducible.
struct Rng(u64);

impl Rng {
    fn below(&mut self, bound: i64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        i64::try_from(self.0 >> 1).expect("63 bits") % bound
    }
}

/// A sent write: file, position, finished, locator and time.
type Sent = (FileId, i64, bool, Option<String>, Timestamp);

fn key(place: &FilePlace) -> Sent {
    (
        place.file_id,
        place.position,
        place.finished,
        place.locator.clone(),
        place.updated_at,
    )
}

fn new_place(sent: &Sent) -> NewProgress {
    NewProgress {
        file: Some(sent.0),
        position: sent.1,
        finished: sent.2,
        locator: sent.3.clone(),
        within: None,
        recorded_at: Some(sent.4),
    }
}

/// Returns all history entries, read page by page.
fn all_past(
    tx: &Transaction<'_>,
    item: VisibleItem,
    is_stale: bool,
) -> Vec<history::ProgressHistoryEntry> {
    let mut all: Vec<history::ProgressHistoryEntry> = Vec::new();
    loop {
        let before = all.last().map(|past| past.id);
        let page = history::of_item(tx, item, HistoryQuery { is_stale, before }).expect("a page");
        if page.is_empty() {
            return all;
        }
        all.extend(page);
    }
}

fn reach(rng: &mut Rng, files: &[FileId], now: i64) -> Sent {
    let file = usize::try_from(rng.below(3)).expect("small");
    // Few distinct times and positions make duplicates frequent; some times are in the future.
    let moment = now - rng.below(60) + rng.below(40);
    let locator = (rng.below(3) == 0).then(|| format!("at {}", rng.below(5)));
    (
        files[file],
        rng.below(100),
        rng.below(20) == 0,
        locator,
        at(moment),
    )
}

#[test]
fn replayed_writes_end_in_the_expected_state_and_all_are_restorable() {
    for seed in [0x9e37_79b9, 0x1234_5678, 0xdead_beef] {
        replay(seed);
    }
}

fn replay(seed: u64) {
    let mut rng = Rng(seed);
    let mut conn = database();
    let (item, files) = put_item(&conn, &parts_of(&[100, 100, 100]));
    let (twin, twins) = put_item(&conn, &parts_of(&[100]));
    let tx = conn.transaction().expect("a transaction");
    let visible = seen(&tx, READER, item);
    let theirs = new_place(&(files[0], 3, false, None, at(1)));
    save(&tx, seen(&tx, OTHER, item), &theirs, at(1)).expect("a write");
    let own = new_place(&(twins[0], 4, false, None, at(1)));
    save(&tx, seen(&tx, READER, twin), &own, at(1)).expect("a write");

    // Received writes in order, with the applied time.
    let mut arrived: Vec<Sent> = Vec::new();
    let mut outboxes: Vec<Vec<Sent>> = vec![Vec::new(); DEVICES];
    for step in 0..WRITES {
        let now = 10_000 + i64::try_from(step / 4).expect("small");
        let outbox = &mut outboxes[step % DEVICES];
        outbox.push(reach(&mut rng, &files, now));
        let pick = rng.below(i64::try_from(outbox.len()).expect("small"));
        let pick = usize::try_from(pick).expect("small");
        let sent = if outbox.len() < 20 && rng.below(4) == 0 {
            // The response was lost, so the device sends the write again.
            outbox[pick].clone()
        } else {
            outbox.swap_remove(pick)
        };
        let saved = save(&tx, visible, &new_place(&sent), at(now)).expect("a write");
        let saved = saved.expect("an item");
        let counted = (sent.0, sent.1, sent.2, sent.3, sent.4.min(at(now)));
        let newest = arrived
            .iter()
            .filter(|a| a.0 == counted.0)
            .map(|a| a.4)
            .max();
        let is_late = newest.is_some_and(|newest| counted.4 < newest);
        assert_eq!(saved.applied, !is_late, "seed {seed} step {step}");
        if !is_late {
            assert_eq!(key(&saved.place), counted, "seed {seed} step {step}");
        }
        arrived.push(counted);
    }
    assert_state(&tx, visible, &files, &arrived);
    assert_nothing_lost(&tx, visible, &arrived);
    assert_all_can_be_put_back(&tx, visible);

    clear(&tx, visible, at(100_000)).expect("cleared");
    assert_eq!(of_item(&tx, visible).expect("places"), []);
    let others = [(OTHER, item, 3), (READER, twin, 4)];
    for (user, item, position) in others {
        let item = seen(&tx, user, item);
        let places = of_item(&tx, item).expect("places");
        assert_eq!((places.len(), places[0].position), (1, position));
        assert_eq!(all_past(&tx, item, false).len(), 0);
    }
}

/// Asserts that each file has the progress with the latest time; among equal times, the last
/// arrival.
fn assert_state(tx: &Transaction<'_>, item: VisibleItem, files: &[FileId], arrived: &[Sent]) {
    let latest = |file: FileId| {
        let of_file = arrived.iter().filter(|sent| sent.0 == file);
        // `max_by_key` returns the last of several maxima.
        of_file.max_by_key(|sent| sent.4).expect("a place").clone()
    };
    let mut expected: Vec<Sent> = files.iter().map(|file| latest(*file)).collect();
    expected.sort_by_key(|sent| std::cmp::Reverse((sent.4, sent.0)));
    let found: Vec<Sent> = of_item(tx, item).expect("places").iter().map(key).collect();
    assert_eq!(found, expected);

    let (finished, continued): (bool, Option<FileId>) = tx
        .query_row(
            "SELECT finished, continue_file_id FROM item_progress WHERE user_id = 1 AND item_id = ?1",
            [item.id()],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .expect("a row");
    let done: Vec<bool> = files.iter().map(|file| latest(*file).2).collect();
    let newest = &expected[0];
    let is_finished = done[2] || done.iter().all(|done| *done);
    assert_eq!(finished, is_finished);
    let first = files
        .iter()
        .position(|file| *file == newest.0)
        .expect("a file");
    let next = (first..3).find(|n| !done[*n]).map(|n| files[n]);
    assert_eq!(continued, next.filter(|_| !is_finished));
}

fn assert_nothing_lost(tx: &Transaction<'_>, item: VisibleItem, arrived: &[Sent]) {
    let past = all_past(tx, item, false);
    let late = all_past(tx, item, true);
    // Every applied write that differs from the stored progress has overwritten it.
    let mut overwritten: Vec<Sent> = Vec::new();
    let mut stored: Vec<Sent> = Vec::new();
    for sent in arrived {
        match stored.iter_mut().find(|stored| stored.0 == sent.0) {
            None => stored.push(sent.clone()),
            Some(stored) if sent.4 >= stored.4 && sent != stored => {
                overwritten.push(std::mem::replace(stored, sent.clone()));
            }
            Some(_) => {}
        }
    }
    overwritten.reverse();
    let found: Vec<Sent> = past.iter().map(|past| key(&past.place)).collect();
    assert_eq!(found, overwritten);
    let mut kept: BTreeSet<Sent> = found.into_iter().chain(stored).collect();
    kept.extend(late.iter().map(|late| key(&late.place)));
    let sent: BTreeSet<Sent> = arrived.iter().cloned().collect();
    assert_eq!(kept, sent);
    assert!(
        !late.is_empty() && past.len() > 500,
        "the replay is too tame"
    );
}

fn assert_all_can_be_put_back(tx: &Transaction<'_>, item: VisibleItem) {
    let mut entries = all_past(tx, item, false);
    entries.extend(all_past(tx, item, true));
    for (entry, now) in entries.iter().zip(50_000..) {
        let of_file = |places: Vec<FilePlace>| {
            places
                .into_iter()
                .find(|place| place.file_id == entry.place.file_id)
                .expect("a place")
        };
        let before = of_file(of_item(tx, item).expect("places"));
        let back = history::restore(tx, item, entry.id, at(now)).expect("a write");
        let back = back.expect("an entry");
        let stored = of_file(of_item(tx, item).expect("places"));
        assert_eq!(back.place, stored);
        let expected = FilePlace {
            updated_at: at(now),
            ..entry.place.clone()
        };
        assert_eq!(stored, expected);
        let newest = history::of_item(tx, item, HistoryQuery::default()).expect("a page");
        assert_eq!(newest[0].place, before);
    }
}
