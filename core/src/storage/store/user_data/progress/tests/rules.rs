//! Tests of the derived progress of items, and of the order and rejection of writes.

use super::super::history::{self, HistoryQuery};
use super::super::item_progress::{ItemProgress, Part, derive};
use super::super::{NewProgress, clear, of_item, recompute, save};
use super::*;
use crate::error::StoreError;
use crate::store::catalogue::edit::{self, Edit};
use crate::store::user_data::{mark, view};

fn part(file: i64, sequence: Option<i64>) -> Part {
    Part {
        file: FileId(file),
        sequence,
        episode: None,
        season: None,
        missing: false,
        extent: Some(100),
        place: None,
    }
}

/// Returns the parts 1 to 4, of length 100, with this progress.
fn album(places: [Option<(i64, bool)>; 4]) -> Vec<Part> {
    (1..)
        .zip(places)
        .map(|(n, place)| Part {
            place,
            ..part(n, Some(n))
        })
        .collect()
}

#[track_caller]
fn assert_progress(
    parts: &[Part],
    newest: i64,
    finished: bool,
    fraction: Option<f64>,
    next: Option<i64>,
) {
    let expected = ItemProgress {
        finished,
        fraction,
        continue_file: next.map(FileId),
    };
    assert_eq!(derive(parts, FileId(newest)), Some(expected));
}

const DONE: Option<(i64, bool)> = Some((100, true));

#[test]
fn unfinished_newest_file_is_continued() {
    let begun = album([DONE, Some((50, false)), None, None]);
    assert_progress(&begun, 2, false, Some(0.375), Some(2));
    let back = album([Some((10, false)), None, None, Some((20, false))]);
    assert_progress(&back, 1, false, Some(0.075), Some(1));
}

/// Returns two episodes followed by two specials, of length 100, with this progress.
fn series(places: [Option<(i64, bool)>; 4]) -> Vec<Part> {
    album(places)
        .into_iter()
        .zip([(1, 1), (1, 2), (0, 1), (0, 2)])
        .map(|(part, (season, episode))| Part {
            episode: Some((season, episode)),
            season: Some(season),
            ..part
        })
        .collect()
}

#[test]
fn series_is_finished_with_its_last_regular_episode() {
    assert_progress(&series([DONE, DONE, None, None]), 2, true, Some(1.0), None);
    assert_progress(
        &series([None, None, None, DONE]),
        4,
        false,
        Some(0.0),
        Some(1),
    );
}

#[test]
fn special_is_followed_by_the_first_open_regular_episode() {
    assert_progress(
        &series([DONE, None, DONE, None]),
        3,
        false,
        Some(0.5),
        Some(2),
    );
    let begun = series([DONE, None, Some((50, false)), None]);
    assert_progress(&begun, 3, false, Some(0.5), Some(3));
}

#[test]
fn item_of_specials_alone_counts_them_as_its_parts() {
    let only = series([None, None, DONE, None])[2..].to_vec();
    assert_progress(&only, 3, false, Some(0.5), Some(4));
    let both = series([None, None, DONE, DONE])[2..].to_vec();
    assert_progress(&both, 4, true, Some(1.0), None);
}

#[test]
fn finished_part_is_followed_by_next_unfinished_present_part() {
    assert_progress(
        &album([DONE, None, None, None]),
        1,
        false,
        Some(0.25),
        Some(2),
    );
    assert_progress(
        &album([DONE, DONE, None, None]),
        1,
        false,
        Some(0.5),
        Some(3),
    );
    let mut gap = album([DONE, None, None, None]);
    gap[1].missing = true;
    assert_progress(&gap, 1, false, Some(0.25), Some(3));
    let mut end = album([None, None, DONE, None]);
    end[3].missing = true;
    assert_progress(&end, 3, false, Some(0.25), None);
}

#[test]
fn missing_part_is_skipped_until_it_returns() {
    let mut gone = album([None, Some((50, false)), None, None]);
    gone[1].missing = true;
    assert_progress(&gone, 2, false, Some(0.125), Some(3));
    gone[1].missing = false;
    assert_progress(&gone, 2, false, Some(0.125), Some(2));
    for part in &mut gone {
        part.missing = true;
    }
    assert_progress(&gone, 2, false, Some(0.125), None);
}

#[test]
fn item_is_finished_with_its_last_part_or_all_present_parts() {
    assert_progress(&album([None, None, None, DONE]), 4, true, Some(1.0), None);
    let mut rest = album([DONE, DONE, DONE, None]);
    assert_progress(&rest, 3, false, Some(0.75), Some(4));
    rest[3].missing = true;
    assert_progress(&rest, 3, true, Some(1.0), None);
    let mut nothing_here = album([Some((1, false)), None, None, None]);
    for part in &mut nothing_here {
        part.missing = true;
    }
    assert_progress(&nothing_here, 1, false, Some(0.0025), None);
}

#[test]
fn item_fraction_without_lengths_counts_finished_parts() {
    let mut unknown = album([DONE, Some((7, false)), None, None]);
    unknown[2].extent = None;
    assert_progress(&unknown, 2, false, Some(0.25), Some(2));
    let mut empty = album([Some((0, false)), None, None, None]);
    for part in &mut empty {
        part.extent = Some(0);
    }
    assert_progress(&empty, 1, false, Some(0.0), Some(1));
}

#[test]
fn item_is_finished_with_one_finished_alternative() {
    let paper = |a, b| {
        let both = [(1, a), (2, b)];
        both.map(|(n, place)| Part {
            place,
            ..part(n, None)
        })
    };
    assert_progress(&paper(DONE, Some((10, false))), 2, true, Some(1.0), None);
    let begun = paper(Some((90, false)), Some((10, false)));
    assert_progress(&begun, 2, false, Some(0.1), Some(2));
    // Another format replaces a missing file; a started one takes precedence.
    let mut gone = [part(1, None), part(2, None), part(3, None)];
    gone[0].place = Some((30, false));
    gone[0].missing = true;
    assert_progress(&gone, 1, false, Some(0.3), Some(2));
    gone[2].place = Some((5, false));
    assert_progress(&gone, 1, false, Some(0.3), Some(3));
    let single = [Part {
        extent: None,
        place: Some((5, false)),
        ..part(1, None)
    }];
    assert_progress(&single, 1, false, None, Some(1));
}

#[test]
fn two_files_of_an_episode_count_as_one_part() {
    let episode = |file, episode, place| Part {
        episode: Some((1, episode)),
        place,
        ..part(file, Some(episode))
    };
    let show = [
        episode(1, 1, DONE),
        episode(2, 1, None),
        episode(3, 2, None),
        episode(4, 2, None),
    ];
    assert_progress(&show, 1, false, Some(0.5), Some(3));
    let tracks = [
        Part {
            place: DONE,
            ..part(1, Some(1))
        },
        part(2, Some(1)),
    ];
    assert_progress(&tracks, 1, false, Some(0.5), Some(2));
}

#[test]
fn write_with_equal_time_is_applied_in_order_of_arrival() {
    let mut conn = database();
    let (item, _) = put_item(&conn, &[New::default()]);
    let tx = conn.transaction().expect("a transaction");
    let visible = seen(&tx, READER, item);
    let write = |position, recorded, now| {
        let new = NewProgress {
            position,
            recorded_at: recorded,
            ..NewProgress::default()
        };
        save(&tx, visible, &new, now)
            .expect("a write")
            .expect("an item")
    };
    assert!(write(1, Some(at(5)), at(9)).applied);
    assert!(write(2, Some(at(5)), at(9)).applied);
    let late = write(3, Some(at(4)), at(9));
    assert_eq!((late.applied, late.place.position), (false, 2));
    // A future time becomes the current time, and a corrected clock loses no write.
    assert_eq!(write(4, Some(at(99)), at(10)).place.updated_at, at(10));
    let back = write(5, None, at(3));
    assert_eq!((back.applied, back.place.updated_at), (true, at(10)));
    let of = |is_stale| {
        let past = HistoryQuery {
            is_stale,
            before: None,
        };
        let places = history::of_item(&tx, visible, past).expect("a page");
        places
            .iter()
            .map(|past| past.place.position)
            .collect::<Vec<_>>()
    };
    assert_eq!((of(false), of(true)), (vec![4, 2, 1], vec![3]));
}

#[test]
fn stored_future_time_does_not_block_writes() {
    let mut conn = database();
    let (item, _) = put_item(&conn, &[New::default()]);
    let tx = conn.transaction().expect("a transaction");
    let visible = seen(&tx, READER, item);
    let write = |position, recorded, now| {
        let new = NewProgress {
            position,
            recorded_at: recorded,
            ..NewProgress::default()
        };
        let saved = save(&tx, visible, &new, now).expect("a write");
        let saved = saved.expect("an item");
        (saved.applied, saved.place.position, saved.place.updated_at)
    };
    // The server's clock was a day ahead and is corrected.
    let day = 86_400;
    write(1, None, at(day));
    assert_eq!(write(2, Some(at(99)), at(100)), (true, 2, at(99)));
    assert_eq!(write(3, Some(at(98)), at(100)), (false, 2, at(99)));
    write(4, None, at(day));
    assert_eq!(write(5, None, at(200)), (true, 5, at(200)));
    assert_eq!(write(6, Some(at(199)), at(201)), (false, 5, at(200)));
    // Overtaking requests at nearly the same time are still compared by time.
    write(8, None, at(300));
    assert_eq!(write(9, Some(at(290)), at(299)), (false, 8, at(300)));
}

#[test]
fn write_after_reset_is_applied_with_any_time() {
    let mut conn = database();
    let (item, _) = put_item(&conn, &[New::default()]);
    let tx = conn.transaction().expect("a transaction");
    let visible = seen(&tx, READER, item);
    let write = |position, recorded, now| {
        let new = NewProgress {
            position,
            recorded_at: recorded,
            ..NewProgress::default()
        };
        let saved = save(&tx, visible, &new, now).expect("a write");
        saved.expect("an item")
    };
    write(1, None, at(10));
    clear(&tx, visible, at(20)).expect("cleared");
    let again = write(2, Some(at(5)), at(30));
    assert!(again.applied);
    assert_eq!((again.place.position, again.place.updated_at), (2, at(5)));
    assert_eq!(of_item(&tx, visible).expect("places"), [again.place]);
    assert!(!write(3, Some(at(4)), at(31)).applied);
    let past = |is_stale| {
        let past = HistoryQuery {
            is_stale,
            before: None,
        };
        let places = history::of_item(&tx, visible, past).expect("a page");
        places
            .iter()
            .map(|past| past.place.position)
            .collect::<Vec<_>>()
    };
    // Both the reset and the late progress can be restored.
    assert_eq!((past(false), past(true)), (vec![1], vec![3]));
}

#[test]
fn file_of_progress_must_be_named_if_ambiguous_and_belong_to_the_item() {
    let mut conn = database();
    let (two, files) = put_item(&conn, &parts_of(&[10, 20]));
    let (_, others) = put_item(&conn, &parts_of(&[10]));
    let tx = conn.transaction().expect("a transaction");
    let visible = seen(&tx, READER, two);
    let refused = |file: Option<FileId>, position, locator: Option<String>| {
        let new = NewProgress {
            file,
            position,
            locator,
            ..NewProgress::default()
        };
        match save(&tx, visible, &new, at(1)) {
            Err(StoreError::Invalid { field, .. }) => Some(field),
            other => other.map(|_| None).expect("no other error"),
        }
    };
    assert_eq!(refused(None, 0, None), Some("file_id"));
    assert_eq!(refused(Some(others[0]), 0, None), Some("file_id"));
    assert_eq!(refused(Some(files[0]), 11, None), Some("position"));
    assert_eq!(refused(Some(files[0]), -1, None), Some("position"));
    assert_eq!(
        refused(Some(files[1]), 20, Some("é".repeat(513))),
        Some("locator")
    );
    assert_eq!(refused(Some(files[1]), 20, Some("é".repeat(512))), None);
}

#[test]
fn parts_with_equal_number_follow_name_order() {
    let mut conn = database();
    let same = New {
        sequence: Some(1),
        extent: None,
    };
    let (item, files) = put_item(&conn, &[same, same, same]);
    conn.execute("UPDATE file SET name = x'7a' WHERE id = ?1", [files[0]])
        .expect("a name");
    let tx = conn.transaction().expect("a transaction");
    let new = NewProgress {
        file: Some(files[2]),
        finished: true,
        ..NewProgress::default()
    };
    let saved = save(&tx, seen(&tx, READER, item), &new, at(1)).expect("a write");
    assert_eq!(saved.expect("an item").continue_file_id, Some(files[0]));
}

#[test]
fn unchanged_summary_is_not_written_again() {
    let mut conn = database();
    let (item, files) = put_item(&conn, &parts_of(&[10, 20]));
    let tx = conn.transaction().expect("a transaction");
    let new = NewProgress {
        file: Some(files[0]),
        position: 5,
        ..NewProgress::default()
    };
    save(&tx, seen(&tx, READER, item), &new, at(1)).expect("a write");
    let before = tx.total_changes();
    recompute(&tx, item).expect("a row");
    assert_eq!(tx.total_changes(), before);
    tx.execute("UPDATE file SET missing = 1 WHERE id = ?1", [files[0]])
        .expect("gone");
    recompute(&tx, item).expect("a row");
    assert_eq!(tx.total_changes(), before + 2);
}

#[test]
fn progress_writes_after_loss_of_the_item_change_nothing() {
    for loss in [
        "DELETE FROM library_grant WHERE user_id = 1",
        "DELETE FROM item",
        "DELETE FROM library",
        "DELETE FROM user WHERE id = 1",
    ] {
        let mut conn = database();
        let (item, _) = put_item(&conn, &[New::default()]);
        let tx = conn.transaction().expect("a transaction");
        let visible = seen(&tx, READER, item);
        let place = NewProgress::default();
        save(&tx, visible, &place, at(1)).expect("a write");
        mark::add_favourite(&tx, visible, at(1)).expect("a write");
        tx.execute_batch(loss).expect("a loss");
        let before = tx.total_changes();
        assert_eq!(save(&tx, visible, &place, at(2)).expect("an answer"), None);
        assert!(!clear(&tx, visible, at(2)).expect("an answer"), "{loss}");
        assert!(
            !mark::add_favourite(&tx, visible, at(2)).expect("an answer"),
            "{loss}"
        );
        assert!(
            !mark::remove_favourite(&tx, visible).expect("an answer"),
            "{loss}"
        );
        assert_eq!(view::add(&tx, visible, at(2)).expect("an answer"), None);
        let mine = Edit {
            title: Some("Mine".to_owned()),
            ..Edit::default()
        };
        assert!(
            !edit::apply(&tx, visible, &mine).expect("an answer"),
            "{loss}"
        );
        assert_eq!(tx.total_changes(), before, "{loss}");
    }
}
