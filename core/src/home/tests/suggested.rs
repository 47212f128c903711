//! Suggestions: what they are of, in which order, and what they never give away.

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
fn the_same_author_comes_first_then_the_same_kind_then_what_is_new() {
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
fn who_has_begun_nothing_is_shown_what_is_new() {
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
fn only_what_is_present_visible_and_not_begun_is_suggested() {
    let world = World::new();
    let [read, begun, done, lost, hidden, good] =
        [1, 1, 2, 1, 3, 2].map(|library| world.item(library, &PAPER, Some("Ada")));
    world.start(1, read, 3);
    world.start(1, begun, 2);
    world.finish(1, done, 1);
    world.lose(lost);
    assert_eq!(suggested(&world.home()), [good], "not {hidden}");
    world.start(2, good, 1);
    assert_eq!(suggested(&world.home()), [good], "begun by somebody else");
}

#[test]
fn after_a_grant_is_gone_nothing_tells_what_was_consumed_there() {
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
fn only_authors_count_and_no_other_part_in_an_item() {
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
fn authors_take_turns_and_nothing_is_suggested_twice() {
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
fn an_author_with_more_begun_than_is_looked_at_holds_nothing_up() {
    let world = World::new();
    let free = world.item(1, &STONE, None);
    for _ in 0..500 {
        let item = world.item(1, &PAPER, Some("Ada"));
        world.start(1, item, item);
    }
    assert_eq!(suggested(&world.home()), [free]);
}

#[test]
fn a_kind_whose_newest_are_all_begun_is_looked_for_elsewhere() {
    let world = World::new();
    let papers = world.items(1200, 1, &PAPER);
    for item in &papers[900..] {
        world.start(1, *item, *item);
    }
    let found = (0..50).any(|_| {
        let home = world.home();
        assert!(suggested(&home).iter().all(|id| *id <= 900));
        suggested(&home).len() == 20
    });
    assert!(found);
}
