//! The shelf of items in progress: one card per item, with the part to continue.

use std::fs;

use ledge_core::db::open;
use ledge_tests::Client;
use ledge_tests::server::scan;
use serde_json::{Value, json};

use super::{PARTS, titled};
use crate::http::conventions::{id_of, library_of, page};

/// Card of Continue: an item, one of its files, and the position in it.
type Offer = (i64, i64, Option<i64>);

/// Returns the cards of Continue, with the positions on them.
fn going_on(client: &Client) -> Vec<Offer> {
    let home = client.get("/home").expect(200).json();
    let offer = |card: &Value| {
        let (file, place) = (&card["file_id"], &card["progress"]);
        assert!(place.is_null() || place["file_id"] == *file, "{card}");
        assert_ne!(place["finished"], true, "{card}");
        let file = file.as_i64().expect("a file");
        (id_of(&card["item"]), file, place["position"].as_i64())
    };
    let cards = home["continue"].as_array().expect("cards");
    cards.iter().map(offer).collect()
}

/// Item that a user reads, with its files in order.
struct Reading<'a> {
    client: &'a Client,
    item: i64,
    files: Vec<i64>,
}

impl<'a> Reading<'a> {
    fn of(client: &'a Client, title: &str) -> Self {
        let item = titled(&page(&client.get("/items")), title);
        let detail = client.get(&format!("/items/{item}")).expect(200).json();
        let files = detail["files"].as_array().expect("files");
        Self {
            client,
            item,
            files: files.iter().map(id_of).collect(),
        }
    }

    fn save(&self, n: usize, position: i64, finished: bool) -> Value {
        let path = format!("/items/{}/progress", self.item);
        let place = json!({
            "file_id": self.files[n], "position": position, "finished": finished,
        });
        self.client.put(&path, &place).expect(200).json()
    }

    fn reach(&self, n: usize, position: i64) {
        self.save(n, position, false);
    }

    /// Finishes a file. Returns `true` if the item is finished too.
    fn end(&self, n: usize) -> bool {
        let saved = self.save(n, 9, true);
        saved["item_finished"].as_bool().expect("yes or no")
    }

    fn offer(&self, n: usize, position: Option<i64>) -> Offer {
        (self.item, self.files[n], position)
    }
}

#[test]
fn continue_has_one_card_per_item_at_newest_position() {
    let (_server, admin, _) = library_of(PARTS);
    let album = Reading::of(&admin, "Goldberg Variations");
    let nana = Reading::of(&admin, "Nana");
    assert_eq!(going_on(&admin), [] as [Offer; 0]);
    album.reach(0, 1);
    nana.reach(0, 2);
    let shelf = [nana.offer(0, Some(2)), album.offer(0, Some(1))];
    assert_eq!(going_on(&admin), shelf);
    album.reach(1, 3);
    let shelf = [album.offer(1, Some(3)), nana.offer(0, Some(2))];
    assert_eq!(going_on(&admin), shelf);
    // The newest position counts, not the furthest.
    album.reach(0, 5);
    let shelf = [album.offer(0, Some(5)), nana.offer(0, Some(2))];
    assert_eq!(going_on(&admin), shelf);
}

#[test]
fn continue_offers_next_part_until_last_is_finished() {
    let (_server, admin, _) = library_of(PARTS);
    let album = Reading::of(&admin, "Goldberg Variations");
    assert!(!album.end(0));
    assert_eq!(going_on(&admin), [album.offer(1, None)]);
    album.reach(1, 4);
    assert_eq!(going_on(&admin), [album.offer(1, Some(4))]);
    // The next part starts at its beginning, whatever the earlier position in it was.
    assert!(!album.end(0));
    assert_eq!(going_on(&admin), [album.offer(1, None)]);
    assert!(!album.end(1));
    assert_eq!(going_on(&admin), [album.offer(2, None)]);
    // A finished part is not the next one.
    assert!(!album.end(0));
    assert_eq!(going_on(&admin), [album.offer(2, None)]);
    assert!(album.end(2));
    assert_eq!(going_on(&admin), [] as [Offer; 0]);
    // The last part is still finished, and so is the item.
    album.reach(0, 1);
    assert_eq!(going_on(&admin), [] as [Offer; 0]);
    album.reach(2, 5);
    assert_eq!(going_on(&admin), [album.offer(2, Some(5))]);
}

#[test]
fn item_without_further_part_leaves_shelf_until_next_appears() {
    let (server, admin, library) = library_of(PARTS);
    let album = Reading::of(&admin, "Goldberg Variations");
    let track = server.folder().join("media").join(PARTS[2].0);
    let away = server.folder().join("away");
    fs::rename(&track, &away).expect("gone");
    scan(&admin, library);
    assert!(!album.end(1), "the first part is not");
    assert_eq!(going_on(&admin), [] as [Offer; 0]);
    fs::rename(&away, &track).expect("back");
    scan(&admin, library);
    assert_eq!(going_on(&admin), [album.offer(2, None)]);
}

#[test]
fn finished_alternative_removes_item_from_shelf() {
    let (_server, admin, _) = library_of(PARTS);
    let book = Reading::of(&admin, "Moby-Dick");
    assert_eq!(book.files.len(), 2);
    book.reach(0, 3);
    book.reach(1, 8);
    assert_eq!(going_on(&admin), [book.offer(1, Some(8))]);
    assert!(book.end(0));
    assert_eq!(going_on(&admin), [] as [Offer; 0]);
    book.reach(1, 9);
    assert_eq!(going_on(&admin), [] as [Offer; 0]);
    book.reach(0, 1);
    assert_eq!(going_on(&admin), [book.offer(0, Some(1))]);
}

fn cards(client: &Client, kind: &str) -> Vec<Value> {
    let page = client
        .get(&format!("/items?kind={kind}"))
        .expect(200)
        .json();
    page["items"].as_array().expect("items").clone()
}

/// Returns the entry of an item on the Continue shelf.
fn entry(client: &Client, title: &str) -> Value {
    let home = client.get("/home").expect(200).json();
    let entries = home["continue"].as_array().expect("entries").clone();
    let found = entries
        .into_iter()
        .find(|entry| entry["item"]["title"] == title);
    found.unwrap_or_else(|| panic!("no {title} in {home}"))
}

#[test]
fn continue_shows_episode_and_skips_specials() {
    let (server, admin, _) = library_of(&[
        ("Video/Show/Specials/Show S00E01 Pilot.mkv", "1"),
        ("Video/Show/Season 1/Show S01E01 One.mkv", "2"),
        ("Video/Show/Season 1/Show S01E02 Two.mkv", "3"),
    ]);
    let database = open::writable(&server.database()).expect("the database");
    database
        .execute_batch("UPDATE file SET extent = 600, duration = 600.0")
        .expect("lengths");
    let show = titled(&cards(&admin, "video"), "Show");
    let item = admin.get(&format!("/items/{show}")).expect(200).json();
    let files = item["files"].as_array().expect("files");
    let seasons: Vec<&Value> = files.iter().map(|file| &file["season"]).collect();
    assert_eq!(seasons, [1, 1, 0], "specials come last");
    let save = |n: usize, position: i64, finished: bool| {
        let body = json!({"file_id": files[n]["id"], "position": position, "finished": finished});
        admin
            .put(&format!("/items/{show}/progress"), &body)
            .expect(200);
    };
    save(0, 600, true);
    let next = entry(&admin, "Show");
    assert_eq!(next["file"]["season"], 1);
    assert_eq!(next["file"]["episode"], 2);
    assert_eq!(next["file"]["left"], 600);
    assert_eq!(next["file"]["unit"], "second");
    assert_eq!(next["file"]["part"], json!(null));
    save(1, 420, false);
    assert_eq!(entry(&admin, "Show")["file"]["left"], 180);
    save(2, 600, true);
    let after = entry(&admin, "Show");
    assert_eq!(
        after["file"]["episode"], 2,
        "from a special back to the season"
    );
    save(1, 600, true);
    let home = admin.get("/home").expect(200).json();
    assert_eq!(
        home["continue"],
        json!([]),
        "the last regular episode ends it"
    );
}

#[test]
fn continue_shows_part_chapter_and_remaining_time() {
    let (server, admin, _) = library_of(&[
        ("Audiobooks/Herman Melville/Moby-Dick/01.mp3", "1"),
        ("Audiobooks/Herman Melville/Moby-Dick/02.mp3", "2"),
        ("Audiobooks/Herman Melville/Moby-Dick/03.mp3", "3"),
        ("Books/Zola, Emile - Nana (1880).epub", "4"),
    ]);
    let audio = titled(&cards(&admin, "audio"), "Moby-Dick");
    let nana = titled(&cards(&admin, "books"), "Nana");
    let files = |item: i64| -> Vec<i64> {
        let item = admin.get(&format!("/items/{item}")).expect(200).json();
        item["files"]
            .as_array()
            .expect("files")
            .iter()
            .map(id_of)
            .collect()
    };
    let (parts, book) = (files(audio), files(nana));
    let database = open::writable(&server.database()).expect("the database");
    database
        .execute_batch(&format!(
            "UPDATE file SET extent = 1000 WHERE item_id = {audio};
             UPDATE file SET extent = 12 WHERE item_id = {nana};
             INSERT INTO file_chapter (file_id, position, title, start)
             VALUES ({first}, 0, 'Loomings', 0), ({first}, 1, 'The Carpet-Bag', 400),
                    ({nana}, 0, 'One', 1), ({nana}, 1, 'Two', 4), ({nana}, 2, 'Three', 9);",
            first = parts[0],
            nana = book[0],
        ))
        .expect("chapters");
    let save = |item: i64, file: i64, position: i64| {
        let body = json!({"file_id": file, "position": position});
        admin
            .put(&format!("/items/{item}/progress"), &body)
            .expect(200);
        let title = if item == audio { "Moby-Dick" } else { "Nana" };
        entry(&admin, title)["file"].clone()
    };
    let first = save(audio, parts[0], 450);
    assert_eq!(
        (&first["part"], &first["parts"], &first["item_left"]),
        (&json!(1), &json!(3), &json!(2550))
    );
    assert_eq!(first["name"], "01.mp3");
    let chapter = json!({"number": 2, "count": 4, "title": "The Carpet-Bag"});
    assert_eq!(first["chapter"], chapter);
    let second = save(audio, parts[1], 100);
    assert_eq!(
        second["chapter"],
        json!({"number": 3, "count": 4, "title": ""})
    );
    assert_eq!(second["item_left"], 1900);
    let read = save(nana, book[0], 5);
    assert_eq!(
        read["chapter"],
        json!({"number": 2, "count": 3, "title": "Two"})
    );
    assert_eq!(
        (&read["unit"], &read["left"]),
        (&json!("section"), &json!(7))
    );
    assert_eq!(
        save(nana, book[0], 0)["chapter"],
        json!(null),
        "before the first"
    );
}
