//! The home page: five shelves in one answer, of what this user may see.

use std::fs;

use ledge_core::db::open;
use ledge_tests::server::scan;
use ledge_tests::{Client, Server};
use serde_json::{Value, json};

use crate::conventions::{has_keys, id_of, library_of, page};
use crate::items::CARD;

const SHELF: &[(&str, &str)] = &[
    ("Books/Austen, Jane - Emma (1815).epub", "1"),
    ("Books/Austen, Jane - Sanditon (1817).epub", "2"),
    ("Books/Zola, Emile - Nana (1880).epub", "3"),
    ("Audio/Bach/Goldberg Variations/01 - Aria.mp3", "4"),
    ("Audio/Bach/Goldberg Variations/02 - Variatio.mp3", "5"),
    ("Video/Metropolis (1927)/Metropolis (1927).mp4", "6"),
    ("Games/Nova the Squirrel.nes", "7"),
];

/// A recording of three parts, a book in two formats, and a book in one.
const PARTS: &[(&str, &str)] = &[
    ("Audio/Bach/Goldberg Variations/01 - Aria.mp3", "1"),
    ("Audio/Bach/Goldberg Variations/02 - Variatio.mp3", "2"),
    ("Audio/Bach/Goldberg Variations/03 - Quodlibet.mp3", "3"),
    ("Books/Herman Melville - Moby-Dick (1851).epub", "4"),
    ("Books/Herman Melville - Moby-Dick (1851).pdf", "5"),
    ("Books/Zola, Emile - Nana (1880).epub", "6"),
];

/// Writes a place in an item's first file, and a view, as the server would.
fn consume(server: &Server, user: i64, item: i64) {
    let database = open::writable(&server.database()).expect("the database");
    let time = "2026-11-20T17:26:00.000000Z";
    database
        .execute_batch(&format!(
            "INSERT INTO progress (user_id, file_id, item_id, position, updated_at)
             SELECT {user}, min(id), item_id, 0, '{time}' FROM file WHERE item_id = {item};
             INSERT INTO item_progress (user_id, item_id, library_id, file_id, continue_file_id,
                                        updated_at)
             SELECT {user}, item.id, library_id, min(file.id), min(file.id), '{time}'
               FROM item JOIN file ON file.item_id = item.id
              WHERE item.id = {item};
             INSERT INTO item_view (user_id, item_id, library_id, n, viewed_at)
             SELECT {user}, id, library_id, 3, '{time}' FROM item WHERE id = {item};"
        ))
        .expect("a place");
}

fn titled(items: &[Value], title: &str) -> i64 {
    let found = items.iter().find(|item| item["title"] == title);
    id_of(found.unwrap_or_else(|| panic!("no {title}")))
}

fn titles(cards: &Value) -> Vec<String> {
    let cards = cards.as_array().expect("cards");
    let title = |card: &Value| {
        let card = if card["item"].is_object() {
            &card["item"]
        } else {
            card
        };
        has_keys(card, CARD);
        card["title"].as_str().expect("a title").to_owned()
    };
    cards.iter().map(title).collect()
}

#[test]
fn one_request_answers_with_five_shelves() {
    let (server, admin, library) = library_of(SHELF);
    let (mia, client) = server.user(&admin, "mia");
    let nothing = json!({
        "continue": [], "most_viewed": [], "suggestions": [], "recently_added": [], "explore": [],
    });
    assert_eq!(client.get("/home").expect(200).json(), nothing);
    let grant = format!("/libraries/{library}/grants/{mia}");
    admin.send("PUT", &grant, &[], None).expect(204);
    let items = page(&client.get("/items"));
    let emma = titled(&items, "Emma");
    consume(&server, mia, emma);
    let answer = client.get("/home").expect(200);
    assert_eq!(answer.header("cache-control"), "no-store");
    let home = answer.json();
    has_keys(
        &home,
        "continue most_viewed suggestions recently_added explore",
    );

    assert_eq!(titles(&home["continue"]), ["Emma"]);
    let going_on = &home["continue"][0];
    has_keys(going_on, "item file_id file progress");
    has_keys(
        &going_on["progress"],
        "file_id position extent fraction finished locator updated_at item_fraction item_finished",
    );
    assert_eq!(going_on["file_id"], going_on["progress"]["file_id"]);
    assert_eq!(titles(&home["most_viewed"]), ["Emma"]);
    assert_eq!(home["most_viewed"][0]["views"], 3);

    let reasons: Vec<(&Value, &Value, &Value)> = home["suggestions"]
        .as_array()
        .expect("suggestions")
        .iter()
        .map(|card| (&card["reason"], &card["reason_code"], &card["reason_arg"]))
        .collect();
    let author = home["suggestions"][0]["item"]["authors"].clone();
    let more = json!(format!("More by {}", author.as_str().expect("a name")));
    assert_eq!(reasons[0], (&more, &json!("author"), &author));
    let kind = (&json!("More Books"), &json!("kind"), &json!("books"));
    assert_eq!(reasons[1], kind);
    let recent = (&json!("Recently added"), &json!("recent"), &Value::Null);
    assert_eq!(reasons[2..], [recent; 3]);
    assert_eq!(titles(&home["suggestions"])[..2], ["Sanditon", "Nana"]);

    let added: Vec<(&Value, usize)> = home["recently_added"]
        .as_array()
        .expect("shelves")
        .iter()
        .map(|shelf| (&shelf["kind"], titles(&shelf["items"]).len()))
        .collect();
    let kinds = ["books", "audio", "video", "games"].map(Value::from);
    assert_eq!(
        added,
        [
            (&kinds[0], 3),
            (&kinds[1], 1),
            (&kinds[2], 1),
            (&kinds[3], 1)
        ]
    );
    let mut explored = titles(&home["explore"]);
    explored.sort();
    let rest = [
        "Goldberg Variations",
        "Metropolis",
        "Nana",
        "Nova the Squirrel",
        "Sanditon",
    ];
    assert_eq!(explored, rest, "all but what is in progress");

    // Nobody else sees any of that as theirs.
    let other = admin.get("/home").expect(200).json();
    assert_eq!(other["continue"], json!([]));
    assert_eq!(other["most_viewed"], json!([]));
    assert_eq!(other["suggestions"][0]["reason_code"], "recent");

    admin.delete(&grant).expect(204);
    assert_eq!(client.get("/home").expect(200).json(), nothing);
}

#[test]
fn what_is_missing_leaves_the_page_and_comes_back_to_it() {
    let (server, admin, library) = library_of(SHELF);
    let own = admin.get("/auth/me").expect(200).json()["id"].as_i64();
    let emma = titled(&page(&admin.get("/items")), "Emma");
    consume(&server, own.expect("an id"), emma);
    let shown = || {
        let home = admin.get("/home").expect(200).json();
        (
            titles(&home["continue"]),
            titles(&home["most_viewed"]),
            home.to_string().contains("\"Emma\""),
        )
    };
    let emma = || vec!["Emma".to_owned()];
    assert_eq!(shown(), (emma(), emma(), true));
    let path = server.folder().join("media").join(SHELF[0].0);
    fs::remove_file(&path).expect("gone");
    scan(&admin, library);
    assert_eq!(shown(), (vec![], vec![], false));
    fs::write(&path, SHELF[0].1).expect("back");
    scan(&admin, library);
    assert_eq!(shown(), (emma(), emma(), true));
}

#[test]
fn a_revoked_library_gives_no_reason() {
    let (server, admin, library) = library_of(&SHELF[..3]);
    let (mia, client) = server.user(&admin, "mia");
    let media = server.folder().join("other");
    fs::create_dir(&media).expect("a folder");
    fs::write(media.join("Austen, Jane - Persuasion.epub"), "8").expect("a file");
    let body = json!({"name": "Other", "path": media, "grants": [mia]});
    let other = id_of(&admin.post("/libraries", &body).expect(201).json());
    scan(&admin, other);
    let grant = format!("/libraries/{library}/grants/{mia}");
    admin.send("PUT", &grant, &[], None).expect(204);
    let emma = titled(&page(&client.get("/items")), "Emma");
    consume(&server, mia, emma);
    let first = || client.get("/home").expect(200).json()["suggestions"][0].clone();
    assert_eq!(first()["reason_code"], "author");
    admin.delete(&grant).expect(204);
    let left = first();
    assert_eq!(left["item"]["title"], "Persuasion");
    assert_eq!(
        (&left["reason"], &left["reason_code"], &left["reason_arg"]),
        (&json!("Recently added"), &json!("recent"), &Value::Null)
    );
}

/// What a card of Continue offers: an item, one of its files, and the place in that.
type Offer = (i64, i64, Option<i64>);

/// What Continue offers, with the places that its cards tell of.
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

/// An item that somebody goes through, with its files in their order.
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

    /// Ends a file; whether the item is finished, too.
    fn end(&self, n: usize) -> bool {
        let saved = self.save(n, 9, true);
        saved["item_finished"].as_bool().expect("yes or no")
    }

    fn offer(&self, n: usize, position: Option<i64>) -> Offer {
        (self.item, self.files[n], position)
    }
}

#[test]
fn continue_has_one_card_an_item_from_its_newest_place() {
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
    // The newest place counts, not the furthest.
    album.reach(0, 5);
    let shelf = [album.offer(0, Some(5)), nana.offer(0, Some(2))];
    assert_eq!(going_on(&admin), shelf);
}

#[test]
fn after_a_finished_part_continue_offers_the_next_until_the_last_is_finished() {
    let (_server, admin, _) = library_of(PARTS);
    let album = Reading::of(&admin, "Goldberg Variations");
    assert!(!album.end(0));
    assert_eq!(going_on(&admin), [album.offer(1, None)]);
    album.reach(1, 4);
    assert_eq!(going_on(&admin), [album.offer(1, Some(4))]);
    // The next part begins, wherever one was in it before.
    assert!(!album.end(0));
    assert_eq!(going_on(&admin), [album.offer(1, None)]);
    assert!(!album.end(1));
    assert_eq!(going_on(&admin), [album.offer(2, None)]);
    // A part that is finished already is not the next.
    assert!(!album.end(0));
    assert_eq!(going_on(&admin), [album.offer(2, None)]);
    assert!(album.end(2));
    assert_eq!(going_on(&admin), [] as [Offer; 0]);
    // The last part is finished still, and with it the item.
    album.reach(0, 1);
    assert_eq!(going_on(&admin), [] as [Offer; 0]);
    album.reach(2, 5);
    assert_eq!(going_on(&admin), [album.offer(2, Some(5))]);
}

#[test]
fn where_no_part_is_left_an_item_waits_off_the_shelf_for_the_next() {
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
fn a_finished_alternative_takes_the_others_off_the_shelf() {
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

/// The entry of an item on the Continue shelf.
fn entry(client: &Client, title: &str) -> Value {
    let home = client.get("/home").expect(200).json();
    let entries = home["continue"].as_array().expect("entries").clone();
    let found = entries
        .into_iter()
        .find(|entry| entry["item"]["title"] == title);
    found.unwrap_or_else(|| panic!("no {title} in {home}"))
}

#[test]
fn continue_tells_the_episode_and_skips_specials() {
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
fn continue_tells_part_chapter_and_what_is_left_of_a_work() {
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
