//! Moves, gaps and renumbering. A list is written as letters; capital letters are visible.

use super::*;

fn sequence(letters: &str, step: i64) -> Sequence {
    let entries = letters.bytes().zip(1..).map(|(letter, n)| Entry {
        id: EntryId(i64::from(letter)),
        position: n * step,
        is_visible: letter.is_ascii_uppercase(),
        is_moved: false,
    });
    Sequence::new(entries.collect())
}

fn moves(moves: &[(char, usize)]) -> Vec<Move> {
    let step = |(letter, to): &(char, usize)| Move {
        id: EntryId(i64::from(u32::from(*letter))),
        to: *to,
    };
    moves.iter().map(step).collect()
}

/// Returns the letters in the order of the stored positions after these moves, and the number of
/// written positions.
fn moved(letters: &str, step: i64, list: &[(char, usize)]) -> (String, usize) {
    let sequence = sequence(letters, step);
    let changed = sequence.rearrange(&moves(list)).expect("a change");
    let mut stored: Vec<(i64, EntryId)> = sequence
        .entries
        .iter()
        .map(|entry| {
            let new = changed.iter().find(|(id, _)| *id == entry.id);
            (
                new.map_or(entry.position, |(_, position)| *position),
                entry.id,
            )
        })
        .collect();
    stored.sort_unstable();
    let letter = |(_, id): (i64, EntryId)| char::from(u8::try_from(id.0).expect("a letter"));
    (stored.into_iter().map(letter).collect(), changed.len())
}

#[test]
fn moves_are_applied_in_order() {
    for (list, expected, written) in [
        (&[('A', 0)][..], "ABCDE", 0),
        (&[('A', 1)], "BACDE", 1),
        (&[('A', 4)], "BCDEA", 1),
        (&[('E', 0)], "EABCD", 1),
        (&[('C', 1)], "ACBDE", 1),
        (&[('A', 4), ('B', 4)], "CDEAB", 2),
        (&[('A', 4), ('A', 0)], "ABCDE", 0),
        (&[('B', 0), ('C', 0), ('A', 4)], "CBDEA", 3),
    ] {
        assert_eq!(
            moved("ABCDE", STEP, list),
            (expected.to_owned(), written),
            "{list:?}"
        );
    }
}

#[test]
fn hidden_entries_move_with_visible_entry_before_them() {
    for (list, expected) in [
        (&[('A', 2)][..], "xBCAyz"),
        (&[('C', 0)], "xCAyzB"),
        (&[('B', 0)], "xBAyzC"),
        (&[('A', 1), ('C', 0)], "xCBAyz"),
    ] {
        assert_eq!(moved("xAyzBC", STEP, list).0, expected, "{list:?}");
    }
}

#[test]
fn full_gap_causes_renumbering() {
    for list in [&[('E', 1)][..], &[('E', 2), ('A', 3)]] {
        let (wide, few) = moved("ABCDE", STEP, list);
        let (narrow, all) = moved("ABCDE", 1, list);
        assert_eq!(wide, narrow);
        assert!(few < all && all == 5, "{few} {all}");
    }
}

#[test]
fn unknown_entry_and_index_beyond_end_are_refused() {
    for list in [&[('X', 0)][..], &[('x', 0)], &[('A', 3)], &[('A', 9)]] {
        let refused = sequence("ABxC", STEP).rearrange(&moves(list));
        let error = refused.expect_err("an error");
        assert!(
            matches!(error, StoreError::Invalid { field: "move", .. }),
            "{list:?}"
        );
    }
}

#[test]
fn gap_is_after_hidden_entries() {
    let list = sequence("xAyzBw", 10);
    for (index, before, after) in [
        (Some(0), Some(10), Some(20)),
        (Some(1), Some(40), Some(50)),
        (Some(2), Some(60), None),
        (None, Some(60), None),
    ] {
        assert_eq!(list.gap(index), Gap { before, after }, "{index:?}");
    }
    let empty = sequence("", 1).gap(None);
    assert_eq!((empty.before, empty.after), (None, None));
}
