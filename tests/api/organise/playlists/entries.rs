//! Entries of playlists: additions, moves, deletions and limits.

use ledge_tests::Client;
use serde_json::{Value, json};

use crate::http::conventions::{has_keys, id_of, invalid, is_time, library_of, page};
use crate::organise::shelf::{Shelf, add_entries, entries, shelf, version};

/// Returns the ids of the entries in order.
fn ids(reader: &Client, path: &str) -> Vec<i64> {
    entries(reader, path).iter().map(id_of).collect()
}

/// Moves entries, which are given by their index before all moves.
fn moved(shelf: &Shelf, path: &str, moves: &[(usize, usize)]) -> String {
    let ids = ids(&shelf.admin, path);
    let moves: Vec<Value> = moves
        .iter()
        .map(|(from, to)| json!({"id": ids[*from], "to": to}))
        .collect();
    let body = json!({ "move": moves });
    let answer = shelf
        .admin
        .patch(&format!("{path}/entries"), &body)
        .expect(200);
    assert_eq!(answer.json()["entry_count"], ids.len());
    shelf.words(&shelf.admin, path)
}

#[test]
fn entry_has_card_title_and_stable_id() {
    let shelf = shelf();
    let admin = &shelf.admin;
    let path = shelf.playlist(admin, "Two Lantern Two");
    let listed = page(&admin.get(&format!("{path}/entries")));
    for (index, entry) in listed.iter().enumerate() {
        has_keys(
            entry,
            "id index item file_id title duration missing added_at",
        );
        is_time(&entry["added_at"]);
        assert_eq!(
            (&entry["index"], &entry["missing"]),
            (&json!(index), &json!(false))
        );
    }
    let cards = page(&admin.get("/items?kind=audio&library=1"));
    assert_eq!(listed[0]["item"], cards[0]);
    assert_eq!(
        (&listed[0]["title"], &listed[1]["title"]),
        (&json!("Two"), &json!("Lantern"))
    );
    assert_ne!(listed[0]["id"], listed[2]["id"]);
    assert_eq!(listed[0]["file_id"], listed[2]["file_id"]);
    // The card contains the reader's own data.
    let album = format!("/items/{}", listed[0]["item"]["id"]);
    admin
        .send("PUT", &format!("{album}/favourite"), &[], None)
        .expect(204);
    let part = admin.get(&format!("{path}/entries?offset=2&limit=1"));
    assert_eq!(
        part.header("etag"),
        format!("\"{}\"", version(admin, &path))
    );
    let part = page(&part);
    assert_eq!(part[0]["id"], listed[2]["id"]);
    assert_eq!(part[0]["index"], 2);
    assert_eq!(part[0]["item"]["favourite"], true);
    invalid(&admin.get(&format!("{path}/entries?limit=501")), "limit");
}

#[test]
fn additions_are_inserted_at_index_or_end() {
    let shelf = shelf();
    let admin = &shelf.admin;
    let path = shelf.playlist(admin, "");
    let add = |body: &Value| add_entries(admin, &path, body).expect(201).json();
    let added = add(&json!({"items": [shelf.item("Album")]}));
    assert_eq!(
        added,
        json!({"added": 3, "skipped": 0, "entry_count": 3, "version": 2})
    );
    add(&json!({"files": shelf.ids("Six Five"), "at": 0}));
    add(&json!({"files": shelf.ids("Four"), "at": 2}));
    let added = add(&json!({"items": [shelf.item("Lantern")], "at": 6}));
    assert_eq!(
        added,
        json!({"added": 1, "skipped": 0, "entry_count": 7, "version": 5})
    );
    assert_eq!(
        shelf.words(admin, &path),
        "Six Five Four One Two Three Lantern"
    );
    for at in [json!(8), json!(-1), json!("0"), json!(1.5)] {
        let body = json!({"files": shelf.ids("One"), "at": at});
        invalid(&add_entries(admin, &path, &body), "at");
    }
    assert_eq!(version(admin, &path), 5);
}

#[test]
fn duplicates_in_request_count_once_and_later_ones_are_skipped_on_request() {
    let shelf = shelf();
    let admin = &shelf.admin;
    let path = shelf.playlist(admin, "Two");
    let twice = json!({"files": shelf.ids("One One")});
    let added = add_entries(admin, &path, &twice).expect(201).json();
    assert_eq!((&added["added"], &added["skipped"]), (&json!(1), &json!(0)));
    add_entries(admin, &path, &twice).expect(201);
    assert_eq!(shelf.words(admin, &path), "Two One One");
    let before = version(admin, &path);
    let body = json!({"items": [shelf.item("Album")], "skip_existing": true, "at": 1});
    let added = add_entries(admin, &path, &body).expect(201).json();
    assert_eq!(
        added,
        json!({"added": 1, "skipped": 2, "entry_count": 4, "version": before + 1})
    );
    assert_eq!(shelf.words(admin, &path), "Two Three One One");
    let added = add_entries(admin, &path, &body).expect(201).json();
    assert_eq!(
        added,
        json!({"added": 0, "skipped": 3, "entry_count": 4, "version": before + 1})
    );
    assert_eq!(version(admin, &path), before + 1);
}

#[test]
fn unacceptable_additions_are_refused_as_a_whole() {
    let shelf = shelf();
    let admin = &shelf.admin;
    let path = shelf.playlist(admin, "One");
    let (file, item) = (shelf.file("Two"), shelf.item("Album"));
    for (field, body) in [
        ("items", json!({})),
        ("files", json!({"files": [file], "items": [item]})),
        ("files", json!({"files": []})),
        ("files", json!({"files": [file, 987_654_321]})),
        ("files", json!({"files": [file, -1]})),
        ("files", json!({"files": [file, shelf.file("Emma")]})),
        ("files", json!({"files": (1..=1_001).collect::<Vec<_>>()})),
        ("files", json!({"files": file})),
        ("items", json!({"items": []})),
        ("items", json!({"items": [item, 987_654_321]})),
        ("items", json!({"items": [item, shelf.item("Emma")]})),
        (
            "skip_existing",
            json!({"files": [file], "skip_existing": 1}),
        ),
        ("position", json!({"files": [file], "position": 1})),
    ] {
        invalid(&add_entries(admin, &path, &body), field);
    }
    assert_eq!(shelf.words(admin, &path), "One");
}

#[test]
fn invisible_and_absent_ids_have_identical_refusals() {
    let shelf = shelf();
    let (mia, client) = shelf.user("mia");
    shelf.grant(shelf.attic, mia, false);
    let path = shelf.playlist(&client, "One");
    for (field, id) in [("files", shelf.file("Four")), ("items", shelf.item("Box"))] {
        let refusal = |id: i64| {
            let answer = add_entries(&client, &path, &json!({field: [id]}));
            invalid(&answer, field);
            let text = answer.json()["error"]["message"].to_string();
            text.replace(&id.to_string(), "ID")
        };
        assert_eq!(refusal(id), refusal(987_654_321));
    }
}

#[test]
fn moves_are_applied_in_order() {
    let shelf = shelf();
    let path = shelf.playlist(&shelf.admin, "One Two Three Four Five");
    let before = ids(&shelf.admin, &path);
    let at = version(&shelf.admin, &path);
    assert_eq!(moved(&shelf, &path, &[(1, 1)]), "One Two Three Four Five");
    assert_eq!(version(&shelf.admin, &path), at);
    assert_eq!(moved(&shelf, &path, &[(0, 4)]), "Two Three Four Five One");
    assert_eq!(version(&shelf.admin, &path), at + 1);
    assert_eq!(moved(&shelf, &path, &[(4, 0)]), "One Two Three Four Five");
    assert_eq!(ids(&shelf.admin, &path), before);
    assert_eq!(
        moved(&shelf, &path, &[(3, 0), (4, 0)]),
        "Five Four One Two Three"
    );
    assert_eq!(
        moved(&shelf, &path, &[(0, 2), (4, 1)]),
        "Four Three One Five Two"
    );
    assert_eq!(version(&shelf.admin, &path), at + 4);
}

#[test]
fn unacceptable_moves_are_refused_as_a_whole() {
    let shelf = shelf();
    let admin = &shelf.admin;
    let path = shelf.playlist(admin, "One Two");
    let foreign = ids(admin, &shelf.playlist(admin, "Three"))[0];
    let first = ids(admin, &path)[0];
    let good = json!({"id": first, "to": 1});
    for moves in [
        json!([]),
        json!([good, {"id": foreign, "to": 0}]),
        json!([good, {"id": 987_654_321, "to": 0}]),
        json!([good, {"id": first, "to": 2}]),
        json!([{"id": first, "to": -1}]),
        json!([{"id": first}]),
        json!([{"id": first, "to": 1, "at": 1}]),
        json!(vec![good.clone(); 1_001]),
        json!(good),
    ] {
        let answer = admin.patch(&format!("{path}/entries"), &json!({ "move": moves }));
        assert_eq!(answer.status, 422, "{moves}: {answer:?}");
    }
    let absent = json!({"move": [{"id": foreign, "to": 0}]});
    invalid(&admin.patch(&format!("{path}/entries"), &absent), "move");
    let beyond = json!({"move": [{"id": first, "to": 2}]});
    invalid(&admin.patch(&format!("{path}/entries"), &beyond), "move");
    invalid(&admin.patch(&format!("{path}/entries"), &json!({})), "move");
    assert_eq!(shelf.words(admin, &path), "One Two");
}

#[test]
fn entries_are_deleted_by_id_and_absent_ids_are_ignored() {
    let shelf = shelf();
    let admin = &shelf.admin;
    let path = shelf.playlist(admin, "One Two Three One");
    let own = ids(admin, &path);
    let other = shelf.playlist(admin, "Four");
    let foreign = ids(admin, &other)[0];
    let at = version(admin, &path);
    let delete = |query: &str| admin.delete(&format!("{path}/entries{query}"));
    let listed = delete(&format!("?id={},{},{foreign},987654321", own[0], own[2]));
    assert_eq!(listed.header("etag"), format!("\"{}\"", at + 1));
    let listed = listed.expect(200).json();
    assert_eq!(
        (&listed["entry_count"], &listed["version"]),
        (&json!(2), &json!(at + 1))
    );
    assert_eq!(shelf.words(admin, &path), "Two One");
    assert_eq!(ids(admin, &path), [own[1], own[3]]);
    assert_eq!(shelf.words(admin, &other), "Four");
    let again = delete(&format!("?id={}", own[0])).expect(200).json();
    assert_eq!(again, listed);
    let many: Vec<String> = (1..=1_001).map(|n| n.to_string()).collect();
    for query in [
        "",
        "?id=",
        "?id=x",
        "?id=1,,2",
        "?id=1.5",
        &format!("?id={}", many.join(",")),
    ] {
        invalid(&delete(query), "id");
    }
    assert_eq!(version(admin, &path), at + 1);
}

#[test]
fn playlist_has_at_most_ten_thousand_entries() {
    let shelf = shelf();
    let admin = &shelf.admin;
    let path = shelf.playlist(admin, "One");
    fill(&shelf, &path, 9_998);
    let two = json!({"files": shelf.ids("Five Six"), "at": 5_000});
    invalid(&add_entries(admin, &path, &two), "files");
    invalid(
        &add_entries(admin, &path, &json!({"items": [shelf.item("Album")]})),
        "items",
    );
    let one = json!({"files": shelf.ids("Six"), "at": 5_000});
    let added = add_entries(admin, &path, &one).expect(201).json();
    assert_eq!(added["entry_count"], 10_000);
    invalid(&add_entries(admin, &path, &one), "files");
    let skipped = json!({"items": [shelf.item("Album")], "skip_existing": true});
    invalid(&add_entries(admin, &path, &skipped), "items");
    let middle = page(&admin.get(&format!("{path}/entries?offset=5000&limit=1")));
    assert_eq!(middle[0]["file_id"], shelf.file("Six"));
    let last = page(&admin.get(&format!("{path}/entries?offset=9999")));
    assert_eq!((last.len(), &last[0]["index"]), (1, &json!(9_999)));
    let first = json!({"move": [{"id": middle[0]["id"], "to": 0}, {"id": last[0]["id"], "to": 1}]});
    admin.patch(&format!("{path}/entries"), &first).expect(200);
    let start = page(&admin.get(&format!("{path}/entries?limit=2")));
    assert_eq!(
        (&start[0]["id"], &start[1]["id"]),
        (&middle[0]["id"], &last[0]["id"])
    );
}

/// Adds this many entries of one file to a playlist, directly in the database.
fn fill(shelf: &Shelf, path: &str, count: i64) {
    let list: i64 = path
        .rsplit('/')
        .next()
        .and_then(|id| id.parse().ok())
        .expect("an id");
    let database = ledge_core::db::open::existing(&shelf.server.database()).expect("a database");
    database
        .execute(
            "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
             INSERT INTO playlist_entry (list_id, position, file_id, library_id, added_at)
             SELECT ?1, (i + 1) * 1048576, ?3, ?4, '2026-01-01T00:00:00.000000Z' FROM n",
            (list, count, shelf.file("One"), shelf.media),
        )
        .expect("entries");
}

#[test]
fn episode_with_several_versions_is_added_once() {
    let (_server, admin, _) = library_of(&[
        ("Test Pattern/Season 1/Test Pattern S01E01 720p.mkv", "1"),
        ("Test Pattern/Season 1/Test Pattern S01E01 1080p.mkv", "2"),
        ("Test Pattern/Season 1/Test Pattern S01E02.mkv", "3"),
    ]);
    let items = admin.get("/items").expect(200).json();
    assert_eq!(items["total"], 1, "{items}");
    let body = json!({"name": "Show", "items": [items["items"][0]["id"]]});
    let list = admin.post("/playlists", &body).expect(201).json();
    assert_eq!(list["entry_count"], 2, "{list}");
}
