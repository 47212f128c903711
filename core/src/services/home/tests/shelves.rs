//! Tests of *Continue*, *Most viewed* and *Recently added*, and of rules that hold for every shelf.

use super::*;

#[test]
fn user_without_grants_has_six_empty_shelves() {
    let world = World::new();
    let item = world.item(1, &PAPER, Some("Ada"));
    world.start(1, item, 1);
    world.view(1, item, 3);
    world.run("DELETE FROM library_grant");
    let home = serde_json::to_value(world.home()).expect("JSON");
    for (shelf, cards) in home.as_object().expect("shelves") {
        assert_eq!(cards, &serde_json::json!([]), "{shelf}");
    }
    assert_eq!(home.as_object().expect("shelves").len(), 6);
}

#[test]
fn continue_is_newest_first_across_libraries_with_one_card_per_item() {
    let world = World::new();
    let items: Vec<i64> = (0..30)
        .map(|n| world.item(1 + n % 2, &PAPER, None))
        .collect();
    for (at, item) in (0..).zip(&items) {
        world.start(1, *item, at);
    }
    world.finish(1, world.item(1, &PAPER, None), 99);
    world.start(2, world.item(1, &PAPER, None), 99);
    let newest: Vec<i64> = items.iter().rev().take(20).copied().collect();
    assert_eq!(going_on(&world.home()), newest);
}

#[test]
fn continue_contains_the_position_in_the_file_to_resume() {
    let world = World::new();
    let item = world.item(1, &SOUND, None);
    world.start(1, item, 5);
    let home = world.home();
    let entry = home.going_on.first().expect("a card");
    let place = entry.progress.as_ref().expect("a place");
    assert_eq!((entry.file_id.0, place.file_id.0), (item * 10, item * 10));
    assert_eq!((place.position, place.extent), (25, Some(100)));
    assert_eq!((place.fraction, place.finished), (Some(0.25), false));
    // The first part is finished. The second part begins at its start, even with an earlier
    // position.
    world.run(&format!(
        "UPDATE progress SET finished = 1;
         INSERT INTO progress (user_id, file_id, item_id, position, updated_at)
         VALUES (1, {item}1, {item}, 9, '{}');
         UPDATE item_progress SET continue_file_id = {item}1;",
        time(0)
    ));
    let home = world.home();
    let entry = home.going_on.first().expect("a card");
    assert_eq!(entry.file_id.0, item * 10 + 1);
    assert!(entry.progress.is_none());
}

#[test]
fn most_viewed_counts_only_the_viewers_own_views() {
    let world = World::new();
    let items = world.items(30, 2, &STONE);
    for (n, item) in (1..).zip(&items) {
        world.view(1, *item, n);
    }
    let other = world.item(1, &PAPER, None);
    world.view(1, other, 25);
    world.view(2, other, 1000);
    let home = world.home();
    let counts: Vec<i64> = home.most_viewed.iter().map(|entry| entry.views).collect();
    assert_eq!(counts[..7], [30, 29, 28, 27, 26, 25, 25]);
    assert_eq!(counts.len(), 20);
    assert_eq!(viewed(&world.home_of(2)), [other]);
}

#[test]
fn recently_added_has_one_shelf_per_kind_in_registry_order() {
    let world = World::new();
    let stones = world.items(25, 1, &STONE);
    let papers: Vec<i64> = (0..6)
        .map(|n| world.item(1 + n % 2, &PAPER, None))
        .collect();
    world.items(3, 3, &SOUND);
    let home = world.home();
    let shelves: Vec<_> = home
        .recently_added
        .iter()
        .map(|shelf| (shelf.kind, ids(&shelf.items)))
        .collect();
    let newest = |ids: &[i64]| ids.iter().rev().take(20).copied().collect::<Vec<_>>();
    assert_eq!(
        shelves,
        [("paper", newest(&papers)), ("stone", newest(&stones))],
        "sounds are only where nothing is visible"
    );
}

#[test]
fn missing_items_are_on_no_shelf_and_return_when_present() {
    let world = World::new();
    let items = world.items(4, 1, &PAPER);
    let (lost, kept) = (items[0], items[1]);
    for item in [lost, kept] {
        world.start(1, item, item);
        world.view(1, item, item);
    }
    let every = |home: &Home| serde_json::to_string(home).expect("JSON");
    let named = format!("\"title\":\"{lost}\"");
    assert!(every(&world.home()).contains(&named));
    world.lose(lost);
    let home = world.home();
    assert!(!every(&home).contains(&named), "{home:?}");
    assert_eq!((going_on(&home), viewed(&home)), (vec![kept], vec![kept]));
    // Progress that is written while the item is missing does not restore it to the shelf. The
    // item's return does.
    world.run(&format!("DELETE FROM item_progress WHERE item_id = {lost}"));
    world.run(&format!("DELETE FROM progress WHERE item_id = {lost}"));
    world.start(1, lost, 50);
    assert_eq!(going_on(&world.home()), [kept]);
    world.run(&format!("UPDATE item SET missing = 0 WHERE id = {lost}"));
    let home = world.home();
    assert_eq!(going_on(&home), [lost, kept]);
    assert_eq!(viewed(&home), [kept, lost]);
}

#[test]
fn shelves_are_full_behind_many_hidden_and_missing_items() {
    let world = World::new();
    let shown = world.items(20, 1, &PAPER);
    let lost = world.items(300, 2, &PAPER);
    let hidden = world.items(300, 3, &PAPER);
    for item in shown.iter().chain(&lost).chain(&hidden) {
        world.start(1, *item, *item);
        world.view(1, *item, *item);
    }
    world.run("UPDATE item SET missing = 1 WHERE library_id = 2");
    let home = world.home();
    let expected: Vec<i64> = shown.into_iter().rev().collect();
    assert_eq!(going_on(&home), expected);
    assert_eq!(viewed(&home), expected);
    let added = home.recently_added.first().expect("a shelf");
    assert_eq!(ids(&added.items), expected);
}
