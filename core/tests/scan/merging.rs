//! Merges: an item whose files all belong to another item passes on its user data.

use crate::world::World;

#[test]
fn merged_item_leaves_nothing_behind() {
    let world = World::new();
    world.write("Film/1.reel", "one");
    world.write("Bonus/extra.reel", "bonus");
    world.scan();
    world.enjoy("Bonus/extra.reel");
    world.enjoy("Film/1.reel");
    let gone = world.item("Bonus/extra.reel");
    world.rename("Bonus/extra.reel", "Film/2.reel");
    world.scan();
    let film = world.item("Film/1.reel");
    assert_eq!(world.item("Film/2.reel"), film);
    assert_eq!(world.rows("SELECT id FROM item"), [film.to_string()]);
    assert_eq!(world.enjoyed("Film/2.reel"), "7|1|1|6");
    assert_eq!(
        world.rows(&format!(
            "SELECT rowid FROM search_word WHERE rowid = {gone}"
        )),
        Vec::<String>::new()
    );
}

#[test]
fn moved_file_keeps_its_user_data() {
    let world = World::new();
    world.write("Film/1.reel", "one");
    world.write("Film/2.reel", "two");
    world.write("Play/1.reel", "act");
    world.scan();
    world.own("Film/2.reel", 2);
    let (film, reel) = (world.item("Film/1.reel"), world.file("Film/2.reel"));
    world.rename("Film/2.reel", "Play/2.reel");
    assert_eq!(world.scan().moved, 1);
    assert_eq!(world.file("Play/2.reel"), reel);
    let play = world.item("Play/1.reel");
    assert_ne!(play, film);
    // Progress, progress history and annotations move with the file. Item data stays with the item.
    assert_eq!(world.owned(play), "12|11|12|null|null|null|Play");
    assert_eq!(world.owned(film), "null|null|null|3|22|21|Mine");
    assert_eq!(
        world.rows("SELECT item_id FROM item_progress"),
        [play.to_string()]
    );
}

#[test]
fn merged_item_passes_on_all_user_data() {
    let world = World::new();
    world.write("Film/1.reel", "one");
    world.write("Bonus/extra.reel", "bonus");
    world.scan();
    world.own("Bonus/extra.reel", 2);
    let bonus = world.item("Bonus/extra.reel");
    world.sql(&format!(
        "INSERT INTO usage_session (user_id, item_id, kind, started_at, last_at)
         VALUES (1, {bonus}, 'reel', '', '')"
    ));
    world.rename("Bonus/extra.reel", "Film/2.reel");
    world.scan();
    let film = world.item("Film/1.reel");
    assert_eq!(world.owned(film), "12|11|12|3|22|21|Mine");
    assert_eq!(
        world.rows("SELECT item_id FROM usage_session"),
        [film.to_string()]
    );
    assert_eq!(world.rows("SELECT id FROM item"), [film.to_string()]);
}

#[test]
fn item_with_only_missing_files_is_merged_into_target_of_others() {
    for vanishes_before in [true, false] {
        let world = World::new();
        world.write("Bonus/x.reel", "bonus");
        world.write("Bonus/y.reel", "the lost reel");
        world.write("Film/1.reel", "one");
        world.scan();
        world.own("Bonus/y.reel", 2);
        world.enjoy("Bonus/x.reel");
        let lost = world.file("Bonus/y.reel");
        world.remove("Bonus/y.reel");
        if vanishes_before {
            world.scan();
        }
        world.rename("Bonus/x.reel", "Film/2.reel");
        world.scan();
        let film = world.item("Film/1.reel");
        assert_eq!(world.rows("SELECT id FROM item"), [film.to_string()]);
        assert_eq!(
            world.owned(film),
            "12|11|12|3|22|21|Mine",
            "{vanishes_before}"
        );
        assert_eq!(world.enjoyed("Film/2.reel"), "7|1|1|3");
        assert_eq!(world.file("Bonus/y.reel?"), lost);
        assert_eq!(world.item("Bonus/y.reel?"), film);
        assert_eq!(
            world.one("SELECT missing, (SELECT sum(missing) FROM file) FROM item"),
            "0|1"
        );
        let (kept, rebuilt) = world.search_index();
        assert_eq!(kept, rebuilt);
        // The file comes back at its old path: as a separate item with its own user data.
        world.write("Bonus/y.reel", "the lost reel");
        world.scan();
        assert_eq!(world.file("Bonus/y.reel"), lost);
        let bonus = world.item("Bonus/y.reel");
        assert_ne!(bonus, film);
        assert_eq!(world.owned(bonus), "12|11|12|null|null|null|Bonus");
    }
}

#[test]
fn item_with_vanished_files_stays_unchanged() {
    let world = World::new();
    for (path, body) in [
        ("Bonus/x.reel", "bonus"),
        ("Bonus/y.reel", "more"),
        ("Film/1.reel", "one"),
    ] {
        world.write(path, body);
    }
    world.scan();
    world.own("Bonus/y.reel", 2);
    let bonus = world.item("Bonus/y.reel");
    world.rename("Bonus/x.reel", "Film/2.reel");
    world.scan();
    world.remove("Bonus/y.reel");
    world.scan();
    assert_eq!(world.item("Bonus/y.reel?"), bonus);
    assert_eq!(world.owned(bonus), "12|11|12|3|22|21|Mine");
    assert_eq!(
        world.one(&format!("SELECT missing FROM item WHERE id = {bonus}")),
        "1"
    );
}
