//! Home page: six shelves in one response, of items that the user may see.

mod continue_shelf;

use std::fs;

use ledge_core::db::open;
use ledge_tests::Server;
use ledge_tests::server::scan;
use serde_json::{Value, json};

use crate::catalogue::items::CARD;
use crate::http::conventions::{has_keys, id_of, library_of, page};

const SHELF: &[(&str, &str)] = &[
    ("Books/Austen, Jane - Emma (1815).epub", "1"),
    ("Books/Austen, Jane - Sanditon (1817).epub", "2"),
    ("Books/Zola, Emile - Nana (1880).epub", "3"),
    ("Audio/Bach/Goldberg Variations/01 - Aria.mp3", "4"),
    ("Audio/Bach/Goldberg Variations/02 - Variatio.mp3", "5"),
    ("Video/Metropolis (1927)/Metropolis (1927).mp4", "6"),
    ("Games/Nova the Squirrel.nes", "7"),
];

/// An audiobook of three parts, a book in two formats, and a book in one.
const PARTS: &[(&str, &str)] = &[
    ("Audio/Bach/Goldberg Variations/01 - Aria.mp3", "1"),
    ("Audio/Bach/Goldberg Variations/02 - Variatio.mp3", "2"),
    ("Audio/Bach/Goldberg Variations/03 - Quodlibet.mp3", "3"),
    ("Books/Herman Melville - Moby-Dick (1851).epub", "4"),
    ("Books/Herman Melville - Moby-Dick (1851).pdf", "5"),
    ("Books/Zola, Emile - Nana (1880).epub", "6"),
];

/// Writes a position in an item's first file, and a view, as the server does.
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
fn one_request_returns_six_shelves() {
    let (server, admin, library) = library_of(SHELF);
    let (mia, client) = server.user(&admin, "mia");
    let nothing = json!({
        "continue": [], "up_next": [], "most_viewed": [], "suggestions": [], "recently_added": [],
        "explore": [],
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
        "continue up_next most_viewed suggestions recently_added explore",
    );

    assert_eq!(titles(&home["continue"]), ["Emma"]);
    let going_on = &home["continue"][0];
    has_keys(going_on, "item file_id file progress forms");
    has_keys(
        &going_on["progress"],
        "file_id position extent fraction finished locator within updated_at item_fraction \
         item_finished",
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

    // Other users do not see these as theirs.
    let other = admin.get("/home").expect(200).json();
    assert_eq!(other["continue"], json!([]));
    assert_eq!(other["most_viewed"], json!([]));
    assert_eq!(other["suggestions"][0]["reason_code"], "recent");

    admin.delete(&grant).expect(204);
    assert_eq!(client.get("/home").expect(200).json(), nothing);
}

#[test]
fn missing_item_leaves_page_until_restored() {
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
fn revoked_library_is_no_reason_for_suggestion() {
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
