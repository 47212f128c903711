//! Tests of *Explore*: fair shares of kinds, mixed order, variation and the exclusion of items in
//! progress.

use std::collections::BTreeMap;

use super::*;

fn kinds(home: &Home) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for card in &home.explore {
        *counts.entry(card.kind.as_str()).or_default() += 1;
    }
    counts
}

fn without_doubles(home: &Home) -> Vec<i64> {
    let mut found = ids(&home.explore);
    let count = found.len();
    found.sort_unstable();
    found.dedup();
    assert_eq!(found.len(), count, "{:?}", home.explore);
    found
}

#[test]
fn explore_gives_every_kind_a_fair_share_and_alternates_kinds() {
    let world = World::new();
    world.items(100, 1, &PAPER);
    world.items(100, 2, &SOUND);
    world.items(50, 1, &STONE);
    world.items(50, 2, &STONE);
    for _ in 0..20 {
        let home = world.home();
        without_doubles(&home);
        let turns: Vec<&str> = home.explore.iter().map(|card| card.kind.as_str()).collect();
        assert_eq!(turns.len(), 20);
        for three in turns.chunks(3) {
            assert_eq!(three, ["paper", "sound", "stone"][..three.len()].to_vec());
        }
    }
}

#[test]
fn explore_kind_that_runs_out_leaves_its_share_to_others() {
    let world = World::new();
    world.items(100, 1, &PAPER);
    world.items(2, 1, &SOUND);
    world.items(9, 2, &STONE);
    let home = world.home();
    without_doubles(&home);
    let expected = BTreeMap::from([("paper", 9), ("sound", 2), ("stone", 9)]);
    assert_eq!(kinds(&home), expected);
}

#[test]
fn explore_of_small_library_contains_every_item() {
    let world = World::new();
    let mut all = world.items(3, 1, &PAPER);
    // The ids have a large gap, as after a purge.
    let purged = world.items(300, 1, &PAPER);
    all.extend(world.items(4, 2, &PAPER));
    world.run(&format!(
        "DELETE FROM item WHERE id BETWEEN 4 AND {}",
        purged.len() + 3
    ));
    for _ in 0..20 {
        assert_eq!(without_doubles(&world.home()), all);
    }
}

#[test]
fn explore_sample_differs_between_calls_and_reaches_every_item() {
    let world = World::new();
    let all = world.items(200, 1, &PAPER);
    let mut seen = std::collections::BTreeSet::new();
    let samples: std::collections::BTreeSet<Vec<i64>> = (0..200)
        .map(|_| {
            let sample = ids(&world.home().explore);
            seen.extend(sample.iter().copied());
            sample
        })
        .collect();
    assert!(samples.len() > 50, "{}", samples.len());
    assert_eq!(seen.len(), all.len(), "the start wraps around");
}

#[test]
fn explore_excludes_items_in_progress_and_includes_finished_ones() {
    let world = World::new();
    let papers = world.items(30, 1, &PAPER);
    let sounds = world.items(5, 1, &SOUND);
    for item in &papers[..25] {
        world.start(1, *item, *item);
    }
    world.finish(1, papers[25], 99);
    for item in &sounds {
        world.start(1, *item, *item);
    }
    for _ in 0..20 {
        assert_eq!(without_doubles(&world.home()), papers[25..]);
    }
    // Progress of another user has no effect.
    assert_eq!(kinds(&world.home_of(2))["sound"], 5);
}

#[test]
fn explore_finds_a_kind_behind_many_items_in_progress() {
    let world = World::new();
    let papers = world.items(700, 1, &PAPER);
    world.items(40, 2, &SOUND);
    for item in papers.iter().filter(|item| **item != 333) {
        world.start(1, *item, *item);
    }
    for _ in 0..10 {
        let home = world.home();
        without_doubles(&home);
        assert_eq!(kinds(&home)["paper"], 1);
        assert_eq!(home.explore.len(), 20);
    }
}
