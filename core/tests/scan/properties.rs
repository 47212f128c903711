//! Property test of scans after random changes: the catalogue matches the disk, and surviving
//! content keeps its id.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use crate::world::World;

const NAMES: [&str; 6] = [
    "a.sheet",
    "b.sheet",
    "d/a.sheet",
    "d/c.sheet",
    "e/f/a.sheet",
    "r/1.reel",
];

#[derive(Debug, Clone)]
enum Step {
    Write(&'static str),
    Rename(&'static str, &'static str),
    Copy(&'static str, &'static str),
    Swap(&'static str, &'static str),
    Remove(&'static str),
    Scan,
}

fn step() -> impl Strategy<Value = Step> {
    let name = || prop::sample::select(&NAMES[..]);
    prop_oneof![
        3 => name().prop_map(Step::Write),
        4 => (name(), name()).prop_map(|(a, b)| Step::Rename(a, b)),
        1 => (name(), name()).prop_map(|(a, b)| Step::Copy(a, b)),
        2 => (name(), name()).prop_map(|(a, b)| Step::Swap(a, b)),
        1 => name().prop_map(Step::Remove),
        3 => Just(Step::Scan),
    ]
}

/// File contents by path.
type Tree = BTreeMap<&'static str, String>;

fn take(world: &World, tree: &mut Tree, step: &Step, n: usize) {
    match *step {
        Step::Write(at) => {
            // The lengths differ, so that each change alters size or time.
            let body = format!("title=Body {n}\n{}", "x".repeat(n));
            world.write(at, &body);
            tree.insert(at, body);
        }
        Step::Rename(from, to) if from != to => {
            if let Some(body) = tree.remove(from) {
                world.rename(from, to);
                tree.insert(to, body);
            }
        }
        Step::Copy(from, to) if from != to => {
            if let Some(body) = tree.get(from).cloned() {
                world.write(to, &body);
                tree.insert(to, body);
            }
        }
        Step::Swap(a, b) if a != b => {
            let both = (tree.get(a).cloned(), tree.get(b).cloned());
            if let (Some(one), Some(two)) = both {
                world.rename(a, "t");
                world.rename(b, a);
                world.rename("t", b);
                tree.insert(b, one);
                tree.insert(a, two);
            }
        }
        Step::Remove(at) => {
            tree.remove(at).inspect(|_| world.remove(at));
        }
        _ => {}
    }
}

/// Returns the contents that exist more than once.
fn doubled(tree: &Tree) -> BTreeSet<String> {
    let count = |body| tree.values().filter(|other| *other == body).count();
    let bodies = tree.values().filter(|body| count(*body) > 1);
    bodies.cloned().collect()
}

/// Returns the ids of the contents that exist once.
fn ids(world: &World, tree: &Tree) -> BTreeMap<String, i64> {
    let files = world.files();
    let doubled = doubled(tree);
    let mut ids = BTreeMap::new();
    for (path, body) in tree {
        if !doubled.contains(body) {
            ids.insert(
                body.clone(),
                *files.get(*path).expect("a present file is stored"),
            );
        }
    }
    ids
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn surviving_contents_keep_ids_and_catalogue_matches_disk(
        steps in prop::collection::vec(step(), 1..40)
    ) {
        let world = World::new();
        let mut tree = Tree::new();
        let mut before: BTreeMap<String, i64> = BTreeMap::new();
        // If one of two copies is removed and comes back, its content does not determine which of
        // the two files it is.
        let mut copied = BTreeSet::new();
        for (n, step) in steps.iter().chain([&Step::Scan, &Step::Scan]).enumerate() {
            take(&world, &mut tree, step, n);
            if !matches!(step, Step::Scan) {
                continue;
            }
            // New content at the path of a moved file may need one more scan.
            copied.append(&mut doubled(&tree));
            world.scan();
            let first = ids_if_whole(&world, &tree);
            world.scan();
            let after = ids(&world, &tree);
            if let Some(first) = first {
                prop_assert_eq!(&first, &after, "a scan without changes changed ids");
            }
            for (body, id) in &before {
                if let Some(now) = after.get(body).filter(|_| !copied.contains(body)) {
                    prop_assert_eq!(now, id, "the id of {:?} after step {}", body.lines().next(), n);
                }
            }
            let present: Vec<String> =
                world.files().into_keys().filter(|path| !path.ends_with('?')).collect();
            let truth: Vec<String> = tree.keys().map(|path| (*path).to_owned()).collect();
            prop_assert_eq!(present, truth);
            sound(&world)?;
            before = after;
        }
    }
}

fn ids_if_whole(world: &World, tree: &Tree) -> Option<BTreeMap<String, i64>> {
    let files = world.files();
    tree.keys()
        .all(|path| files.contains_key(*path))
        .then(|| ids(world, tree))
}

/// Checks the invariants that hold after every scan.
fn sound(world: &World) -> Result<(), TestCaseError> {
    for (rule, sql) in [
        (
            "counts are the truth",
            "SELECT library_id, kind, subkind, missing, initial, n FROM item_count WHERE n <> 0
             EXCEPT SELECT library_id, kind, ifnull(subkind, ''), missing, initial, count(*)
                      FROM item GROUP BY 1, 2, 3, 4, 5",
        ),
        (
            "an item is missing when all its files are",
            "SELECT id FROM item
              WHERE missing <> (SELECT min(missing) FROM file WHERE item_id = item.id)
                 OR (missing_since IS NULL) <> (missing = 0)",
        ),
        (
            "every item has a file",
            "SELECT id FROM item WHERE id NOT IN (SELECT item_id FROM file)",
        ),
        (
            "an item was added with its newest file",
            "SELECT id FROM item
              WHERE added_at <> (SELECT max(added_at) FROM file WHERE item_id = item.id)",
        ),
        (
            "no present file is without its name",
            "SELECT id FROM file WHERE missing = 0 AND substr(name, 1, 1) = x'00'",
        ),
    ] {
        prop_assert_eq!(world.rows(sql), Vec::<String>::new(), "{}", rule);
    }
    let (kept, rebuilt) = world.search_index();
    prop_assert_eq!(kept, rebuilt, "the search index is what a rebuild makes");
    Ok(())
}
