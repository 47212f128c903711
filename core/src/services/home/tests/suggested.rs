//! Tests of *Suggestions*: reasons, order and protection of data that is no longer granted.

use super::*;
use crate::home::ReasonCode::{self, Author, Kind, Recent};

fn reasons(home: &Home) -> Vec<(i64, &str, ReasonCode, Option<&str>)> {
    home.suggestions
        .iter()
        .map(|entry| {
            let argument = entry.reason_arg.as_deref();
            (
                entry.item.id.0,
                entry.reason.as_str(),
                entry.reason_code,
                argument,
            )
        })
        .collect()
}

#[test]
fn suggestions_order_is_same_author_then_same_kind_then_new() {
    let world = World::new();
    let by_ada = world.item(1, &SOUND, Some("Ada"));
    let of_kind = world.item(2, &PAPER, None);
    let read = world.item(1, &PAPER, Some("Ada"));
    let new = world.item(1, &STONE, None);
    world.finish(1, read, 1);
    assert_eq!(
        reasons(&world.home()),
        [
            (by_ada, "More by Ada", Author, Some("Ada")),
            (of_kind, "More Papers", Kind, Some("paper")),
            (new, "Recently added", Recent, None),
        ]
    );
}

#[test]
fn suggestions_without_progress_are_the_newest_items() {
    let world = World::new();
    let items = world.items(25, 1, &PAPER);
    let home = world.home();
    let newest: Vec<i64> = items.iter().rev().take(20).copied().collect();
    assert_eq!(suggested(&home), newest);
    assert!(
        home.suggestions
            .iter()
            .all(|entry| entry.reason_code == ReasonCode::Recent)
    );
}

#[test]
fn suggestions_contain_only_present_visible_unstarted_items() {
    let world = World::new();
    let [read, begun, done, lost, hidden, good] =
        [1, 1, 2, 1, 3, 2].map(|library| world.item(library, &PAPER, Some("Ada")));
    world.start(1, read, 3);
    world.start(1, begun, 2);
    world.finish(1, done, 1);
    world.lose(lost);
    assert_eq!(suggested(&world.home()), [good], "not {hidden}");
    world.start(2, good, 1);
    assert_eq!(suggested(&world.home()), [good], "started by another user");
}

#[test]
fn suggestions_after_revoked_grant_reveal_nothing_consumed_there() {
    let world = World::new();
    let secret = world.item(2, &SOUND, Some("Eve"));
    let by_eve = world.item(1, &STONE, Some("Eve"));
    let sound = world.item(1, &SOUND, None);
    let new = world.item(1, &PAPER, None);
    world.start(1, secret, 9);
    assert_eq!(suggested(&world.home()), [by_eve, sound, new]);
    world.run("DELETE FROM library_grant WHERE user_id = 1 AND library_id = 2");
    let home = world.home();
    assert_eq!(suggested(&home), [new, sound, by_eve], "the newest first");
    assert!(
        home.suggestions
            .iter()
            .all(|entry| entry.reason_code == ReasonCode::Recent)
    );
    let text = serde_json::to_string(&home.suggestions).expect("JSON");
    assert!(!text.contains("Eve"), "{text}");
}

#[test]
fn suggestions_count_authors_and_no_other_role() {
    let world = World::new();
    let narrated = world.item(1, &SOUND, Some("Nat"));
    let read = world.item(1, &PAPER, Some("Nat"));
    world.run(&format!(
        "UPDATE item_person SET role = 'narrator' WHERE item_id = {narrated}"
    ));
    world.start(1, read, 1);
    let home = world.home();
    assert_eq!(suggested(&home), [narrated]);
    assert_eq!(home.suggestions[0].reason_code, ReasonCode::Recent);
}

#[test]
fn suggestions_alternate_authors_without_duplicates() {
    let world = World::new();
    let ada: Vec<i64> = (0..3).map(|_| world.item(1, &PAPER, Some("Ada"))).collect();
    let bob: Vec<i64> = (0..3).map(|_| world.item(1, &PAPER, Some("Bob"))).collect();
    world.run(&format!(
        "INSERT INTO item_person (item_id, position, person_id, role)
         SELECT {}, 1, id, 'author' FROM person WHERE name = 'Bob'",
        ada[2]
    ));
    world.start(1, ada[0], 2);
    world.start(1, bob[0], 1);
    assert_eq!(suggested(&world.home()), [ada[2], bob[2], ada[1], bob[1]]);
}

#[test]
fn suggestions_author_with_many_started_items_does_not_block_others() {
    let world = World::new();
    let free = world.item(1, &STONE, None);
    for _ in 0..2_000 {
        let item = world.item(1, &PAPER, Some("Ada"));
        world.start(1, item, item);
    }
    assert_eq!(suggested(&world.home()), [free]);
}

#[test]
fn suggestions_find_older_items_of_author_behind_many_started_newer_ones() {
    let world = World::new();
    let older: Vec<i64> = (0..30)
        .map(|_| world.item(1, &PAPER, Some("Ada")))
        .collect();
    for n in 0..600 {
        // One third of the newer items is missing, and one third is in a library that is not
        // granted.
        let item = world.item(if n % 3 == 0 { 3 } else { 1 }, &PAPER, Some("Ada"));
        match n % 3 {
            1 => world.lose(item),
            2 => world.start(1, item, item),
            _ => {}
        }
    }
    world.items(40, 2, &PAPER);
    let newest: Vec<i64> = older.iter().rev().take(20).copied().collect();
    for _ in 0..10 {
        let home = world.home();
        assert_eq!(suggested(&home), newest);
        assert!(
            home.suggestions
                .iter()
                .all(|entry| entry.reason_code == Author)
        );
    }
}

#[test]
fn suggestions_search_every_author_whatever_the_others_cost() {
    let world = World::new();
    let names: Vec<String> = (0..7).map(|n| format!("Busy {n}")).collect();
    let waiting = world.item(1, &STONE, Some("Quiet"));
    let read = world.item(1, &STONE, Some("Quiet"));
    world.start(1, read, 1);
    for n in 0..7 * 250 {
        let item = world.item(1, &PAPER, Some(&names[n % 7]));
        world.start(1, item, 1_000 + item);
    }
    // Recent enough that all eight authors are considered.
    world.run(&format!(
        "UPDATE item_progress SET updated_at = '{}' WHERE item_id = {read}",
        time(1_000 + 1_745)
    ));
    let home = world.home();
    assert_eq!(
        reasons(&home),
        [(waiting, "More by Quiet", Author, Some("Quiet"))]
    );
}

#[test]
fn suggestions_search_beyond_the_newest_items_of_a_kind_if_all_are_started() {
    let world = World::new();
    let papers = world.items(1200, 1, &PAPER);
    for item in &papers[900..] {
        world.start(1, *item, *item);
    }
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..50 {
        let home = world.home();
        let found = suggested(&home);
        assert_eq!(found.len(), 20);
        assert!(found.iter().all(|id| *id <= 900), "{found:?}");
        assert!(
            home.suggestions
                .iter()
                .all(|entry| entry.reason_code == Kind)
        );
        seen.extend(found);
    }
    assert!(seen.len() > 100, "always the same: {seen:?}");
}

/// Asserts that the shelf contains the twenty unstarted items of a large set of started items.
/// `free` selects their ids.
fn shelf_is_full_when_free(kind: &'static MediaKind, free: impl Fn(i64) -> bool) {
    let world = World::new();
    let items = world.items(1_500, 1, kind);
    let left: Vec<i64> = items.iter().copied().filter(|id| free(*id)).collect();
    assert_eq!(left.len(), 20);
    for item in items.iter().filter(|item| !free(**item)) {
        world.start(1, *item, *item);
    }
    // Later progress in another kind makes the two rules for authors and kinds inapplicable.
    let other = world.item(2, &STONE, None);
    for at in 0..20 {
        let stone = world.item(2, &STONE, None);
        world.start(1, stone, 5_000 + at);
    }
    world.start(1, other, 6_000);
    for _ in 0..10 {
        let mut found = suggested(&world.home());
        found.sort_unstable();
        assert_eq!(found, left);
    }
}

#[test]
fn suggestions_find_the_few_unstarted_items_of_a_kind_at_any_position() {
    shelf_is_full_when_free(&STONE, |id| id <= 20);
    shelf_is_full_when_free(&STONE, |id| id % 75 == 3);
}

#[test]
fn suggestions_find_the_few_unstarted_items_of_any_kind_at_any_position() {
    shelf_is_full_when_free(&PAPER, |id| id <= 20);
    shelf_is_full_when_free(&PAPER, |id| id % 75 == 3);
}
