//! Works: automatic and manual links between the forms of a title, access, and the shelf *Continue*.

use std::fs;

use ledge_core::db::open;
use ledge_tests::server::{all_items, scan, scanned_library, until};
use ledge_tests::{Client, Server};
use serde_json::{Value, json};

use crate::http::conventions::{has_keys, id_of, invalid, library_of, refused, write};

/// The text and the recording of two titles, and items that have nothing in common.
pub(super) const SHELF: &[(&str, &str)] = &[
    ("Books/Melville, Herman - Moby-Dick (1851).epub", "1"),
    ("Audiobooks/Herman Melville/Moby-Dick/01.mp3", "2"),
    ("Audiobooks/Herman Melville/Moby-Dick/02.mp3", "3"),
    ("Books/Tolkien, J. R. R. - The Hobbit (1937).epub", "4"),
    ("Books/Zola, Emile - Nana (1880).epub", "5"),
    ("Books/Verne, Jules - Nana.epub", "6"),
    ("Music/Herman Melville/Typee/01 - Aria.mp3", "7"),
    ("Video/Moby-Dick (1956)/Moby-Dick (1956).mp4", "8"),
];

pub(super) fn item(client: &Client, title: &str, kind: &str) -> i64 {
    let items = all_items(client, &format!("/items?kind={kind}"));
    let found = items.iter().find(|item| item["title"] == title);
    id_of(found.unwrap_or_else(|| panic!("no {title} in {items:?}")))
}

pub(super) fn work(client: &Client, item: i64) -> Value {
    client.get(&format!("/items/{item}")).expect(200).json()["work"].clone()
}

pub(super) fn forms(work: &Value) -> Vec<i64> {
    let items = work["items"].as_array().expect("forms");
    items.iter().map(id_of).collect()
}

/// Waits until the server has examined all new and changed items.
pub(super) fn wait_for_links(server: &Server) {
    let database = open::inspected(&server.database()).expect("the database");
    until("examined items", || {
        let queued: i64 = database
            .query_row(
                "SELECT (SELECT count(*) FROM work_queue)
                      + (SELECT count(*) FROM item WHERE id > last_id)
                   FROM queue_position
                  WHERE queue = 'work'",
                [],
                |row| row.get(0),
            )
            .expect("a number");
        (queued == 0).then_some(())
    });
}

#[test]
fn text_and_recording_of_one_title_are_linked_after_a_scan() {
    let (server, admin, _) = library_of(SHELF);
    wait_for_links(&server);
    let (book, audio) = (
        item(&admin, "Moby-Dick", "books"),
        item(&admin, "Moby-Dick", "audio"),
    );
    let found = work(&admin, book);
    has_keys(&found, "id items");
    // By kind and id.
    assert_eq!(forms(&found), [audio, book]);
    assert_eq!(work(&admin, audio), found);
    // Other authors, films and music are not forms.
    for (title, kind) in [
        ("The Hobbit", "books"),
        ("Nana", "books"),
        ("Moby-Dick", "video"),
    ] {
        assert_eq!(
            work(&admin, item(&admin, title, kind)),
            Value::Null,
            "{title}"
        );
    }
}

#[test]
fn edits_link_items_by_title_without_article_case_and_signs() {
    let (server, admin, _) = library_of(SHELF);
    wait_for_links(&server);
    let (hobbit, audio) = (
        item(&admin, "The Hobbit", "books"),
        item(&admin, "Moby-Dick", "audio"),
    );
    let edit = json!({"title": "HOBBIT!", "authors": ["J.R.R. Tolkien", "Herman Melville"]});
    admin.patch(&format!("/items/{audio}"), &edit).expect(200);
    until("a link", || {
        let found = work(&admin, hobbit);
        (!found.is_null() && forms(&found).contains(&audio)).then_some(())
    });
}

#[test]
fn equal_isbns_and_provider_ids_link_items() {
    let (server, admin, _) = library_of(SHELF);
    wait_for_links(&server);
    let (hobbit, zola) = (
        item(&admin, "The Hobbit", "books"),
        item(&admin, "Nana", "books"),
    );
    let audio = item(&admin, "Moby-Dick", "audio");
    let film = item(&admin, "Moby-Dick", "video");
    let database = open::writable(&server.database()).expect("the database");
    database
        .execute_batch(&format!(
            "UPDATE item SET facts = json_set(facts, '$.isbn', '0306406152') WHERE id = {hobbit};
             UPDATE item SET facts = json_set(facts, '$.isbn', '978-0-306-40615-7')
              WHERE id = {audio};
             INSERT INTO item_provider (item_id, provider, external_id)
             VALUES ({zola}, 'openlibrary', '/works/OL1W'), ({audio}, 'openlibrary', '/works/OL1W'),
                    ({film}, 'openlibrary', '/works/OL1W');"
        ))
        .expect("values");
    until("links", || {
        let found = work(&admin, audio);
        let forms = forms(&found);
        (forms.contains(&hobbit) && forms.contains(&zola)).then_some(())
    });
    assert_eq!(work(&admin, film), Value::Null);
}

#[test]
fn removed_match_links_no_items() {
    let (server, admin, _) = library_of(SHELF);
    wait_for_links(&server);
    let (zola, audio) = (
        item(&admin, "Nana", "books"),
        item(&admin, "Moby-Dick", "audio"),
    );
    let database = open::writable(&server.database()).expect("the database");
    let add_match = |item: i64| {
        let sql = format!(
            "INSERT INTO item_provider (item_id, provider, external_id)
             VALUES ({item}, 'openlibrary', '/works/OL1W')"
        );
        database.execute_batch(&sql).expect("a match");
        wait_for_links(&server);
    };
    add_match(zola);
    admin
        .delete(&format!("/items/{zola}/matches/openlibrary"))
        .expect(204);
    wait_for_links(&server);
    add_match(audio);
    assert_eq!(work(&admin, zola), Value::Null);
}

#[test]
fn administrators_link_items_of_any_kind_and_merge_works() {
    let (server, admin, _) = library_of(SHELF);
    wait_for_links(&server);
    let film = item(&admin, "Moby-Dick", "video");
    let (book, audio) = (
        item(&admin, "Moby-Dick", "books"),
        item(&admin, "Moby-Dick", "audio"),
    );
    let hobbit = item(&admin, "The Hobbit", "books");
    let made = admin
        .post("/works", &json!({"items": [film, hobbit, film]}))
        .expect(200)
        .json();
    has_keys(&made, "id items");
    assert_eq!(forms(&made), [hobbit, film]);
    let merged = admin
        .post("/works", &json!({"items": [film, book]}))
        .expect(200)
        .json();
    let mut books = vec![book, hobbit];
    books.sort_unstable();
    let expected = [vec![audio], books, vec![film]].concat();
    assert_eq!(forms(&merged), expected);
    for id in expected {
        assert_eq!(work(&admin, id), merged);
    }
}

#[test]
fn invalid_works_are_refused_and_change_nothing() {
    let (server, admin, _) = library_of(SHELF);
    wait_for_links(&server);
    let hobbit = item(&admin, "The Hobbit", "books");
    let post = |body: &Value| admin.post("/works", body);
    for items in [
        json!([]),
        json!([hobbit]),
        json!([hobbit, hobbit]),
        json!([hobbit, 999_999]),
    ] {
        invalid(&post(&json!({ "items": items })), "items");
    }
    invalid(
        &post(&json!({"items": (1..=51).collect::<Vec<_>>()})),
        "items",
    );
    assert_eq!(work(&admin, hobbit), Value::Null);
    let (_, mia) = server.user(&admin, "mia");
    refused(
        &mia.post("/works", &json!({"items": [1, 2]})),
        403,
        "forbidden",
    );
    refused(&mia.delete("/works/1/items/1"), 403, "forbidden");
    let id = work(&admin, item(&admin, "Moby-Dick", "books"))["id"].clone();
    refused(
        &admin.delete(&format!("/works/{id}/items/{hobbit}")),
        404,
        "not_found",
    );
    refused(
        &admin.delete(&format!("/works/999/items/{hobbit}")),
        404,
        "not_found",
    );
}

#[test]
fn removed_form_is_linked_again_only_on_request() {
    let (server, admin, library) = library_of(SHELF);
    wait_for_links(&server);
    let (book, audio) = (
        item(&admin, "Moby-Dick", "books"),
        item(&admin, "Moby-Dick", "audio"),
    );
    let id = work(&admin, book)["id"].clone();
    admin
        .delete(&format!("/works/{id}/items/{audio}"))
        .expect(204);
    admin
        .delete(&format!("/works/{id}/items/{audio}"))
        .expect(404);
    // A work with only one item is dissolved.
    assert_eq!(
        (work(&admin, book), work(&admin, audio)),
        (Value::Null, Value::Null)
    );
    for title in ["Moby-Dick, or: The Whale", "Moby-Dick"] {
        admin
            .patch(&format!("/items/{audio}"), &json!({ "title": title }))
            .expect(200);
        wait_for_links(&server);
    }
    scan(&admin, library);
    wait_for_links(&server);
    assert_eq!(
        (work(&admin, book), work(&admin, audio)),
        (Value::Null, Value::Null)
    );
    admin
        .post("/works", &json!({"items": [book, audio]}))
        .expect(200);
    assert_eq!(forms(&work(&admin, book)), [audio, book]);
}

/// Starts a server with the recording in another library, which Mia may not see.
fn two_libraries() -> (Server, Client, Client, String) {
    let server = Server::start();
    for (folder, files) in [("media", &SHELF[..1]), ("attic", &SHELF[1..3])] {
        for (name, content) in files {
            write(&server.folder().join(folder), name, content);
        }
    }
    let admin = server.admin();
    let libraries =
        ["media", "attic"].map(|name| scanned_library(&admin, name, &server.folder().join(name)).0);
    let (user, mia) = server.user(&admin, "mia");
    let [media, attic] = libraries.map(|id| format!("/libraries/{id}/grants/{user}"));
    admin.send("PUT", &media, &[], None).expect(204);
    wait_for_links(&server);
    (server, admin, mia, attic)
}

#[test]
fn invisible_forms_are_absent() {
    let (_server, admin, mia, attic) = two_libraries();
    let (book, audio) = (
        item(&admin, "Moby-Dick", "books"),
        item(&admin, "Moby-Dick", "audio"),
    );
    assert_eq!(forms(&work(&admin, book)), [audio, book]);
    assert_eq!(work(&mia, book), Value::Null);
    admin.send("PUT", &attic, &[], None).expect(204);
    assert_eq!(forms(&work(&mia, book)), [audio, book]);
    admin.delete(&attic).expect(204);
    assert_eq!(work(&mia, book), Value::Null);
}

fn save(client: &Client, item: i64, position: i64) {
    let detail = client.get(&format!("/items/{item}")).expect(200).json();
    let body = json!({"file_id": detail["files"][0]["id"], "position": position});
    client
        .put(&format!("/items/{item}/progress"), &body)
        .expect(200);
}

fn going_on(client: &Client) -> Vec<(i64, Value)> {
    let home = client.get("/home").expect(200).json();
    let cards = home["continue"].as_array().expect("cards").iter();
    let card = |card: &Value| (id_of(&card["item"]), card["forms"].clone());
    cards.map(card).collect()
}

#[test]
fn continue_contains_the_newest_visible_form() {
    let (_server, admin, mia, attic) = two_libraries();
    let (book, audio) = (
        item(&admin, "Moby-Dick", "books"),
        item(&admin, "Moby-Dick", "audio"),
    );
    admin.send("PUT", &attic, &[], None).expect(204);
    save(&mia, book, 1);
    let form = |item: i64, kind: &str, subkind: Value| json!([{"item_id": item, "kind": kind, "subkind": subkind}]);
    let other_audio = form(audio, "audio", json!("audiobook"));
    assert_eq!(going_on(&mia), [(book, other_audio.clone())]);
    save(&mia, audio, 1);
    assert_eq!(
        going_on(&mia),
        [(audio, form(book, "books", json!("prose")))]
    );
    assert!(going_on(&admin).is_empty());
    save(&mia, book, 1);
    save(&mia, audio, 1);
    // The newer form is not visible.
    admin.delete(&attic).expect(204);
    assert_eq!(going_on(&mia), [(book, json!([]))]);
}

#[test]
fn merged_item_passes_its_work_to_the_remaining_item() {
    let (server, admin, library) = library_of(SHELF);
    wait_for_links(&server);
    let (from, hobbit) = (
        item(&admin, "Moby-Dick", "audio"),
        item(&admin, "The Hobbit", "books"),
    );
    admin
        .post("/works", &json!({"items": [from, hobbit]}))
        .expect(200);
    let folder = server.folder().join("media/Audiobooks/Herman Melville");
    write(&folder, "Omoo/03.mp3", "9");
    scan(&admin, library);
    let to = item(&admin, "Omoo", "audio");
    for name in ["01.mp3", "02.mp3"] {
        fs::rename(
            folder.join("Moby-Dick").join(name),
            folder.join("Omoo").join(name),
        )
        .expect("a move");
    }
    scan(&admin, library);
    admin.get(&format!("/items/{from}")).expect(404);
    let forms = forms(&work(&admin, hobbit));
    assert!(forms.contains(&to) && forms.contains(&hobbit), "{forms:?}");
}

#[test]
fn purged_form_leaves_its_work() {
    let (server, admin, library) = library_of(SHELF);
    wait_for_links(&server);
    let book = item(&admin, "Moby-Dick", "books");
    let folder = server.folder().join("media/Audiobooks");
    fs::remove_dir_all(folder).expect("a removal");
    scan(&admin, library);
    assert_eq!(forms(&work(&admin, book)).len(), 2);
    admin
        .post(&format!("/libraries/{library}/purge"), &json!({}))
        .expect(200);
    assert_eq!(work(&admin, book), Value::Null);
}
