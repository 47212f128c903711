//! Private and public playlists, grants, and the end of their owner.

use ledge_tests::Client;
use serde_json::{Value, json};

use crate::http::conventions::{id_of, invalid, page, refused};
use crate::organise::shelf::{Shelf, add_entries, entries, shelf, version};

fn public() -> Value {
    json!({"public": true})
}

#[test]
fn private_playlist_is_absent_for_others() {
    let shelf = shelf();
    let (_, mia) = shelf.user("mia");
    let path = shelf.playlist(&mia, "One");
    let absent = "/playlists/987654321";
    let entry = id_of(&entries(&mia, &path)[0]);
    let step = json!({"move": [{"id": entry, "to": 0}]});
    // The administrator has no special rights.
    for below in ["", "/entries", "/cover", ".m3u8"] {
        let answer = shelf.admin.get(&format!("{path}{below}"));
        refused(&answer, 404, "not_found");
        assert_eq!(
            answer.body,
            shelf.admin.get(&format!("{absent}{below}")).body
        );
    }
    for answer in [
        shelf.admin.patch(&path, &public()),
        shelf.admin.delete(&path),
        add_entries(&shelf.admin, &path, &json!({"files": shelf.ids("One")})),
        shelf.admin.patch(&format!("{path}/entries"), &step),
        shelf.admin.delete(&format!("{path}/entries?id={entry}")),
        // Absence is reported before an unacceptable body.
        shelf.admin.patch(&path, &json!({"name": ""})),
    ] {
        refused(&answer, 404, "not_found");
    }
    assert_eq!(page(&shelf.admin.get("/playlists")), [] as [Value; 0]);
    assert_eq!(shelf.words(&mia, &path), "One");
}

#[test]
fn public_playlist_is_read_but_not_written_by_others() {
    let shelf = shelf();
    let (_, mia) = shelf.user("mia");
    let path = shelf.playlist(&mia, "One Four");
    let own = mia.patch(&path, &public()).expect(200).json();
    let seen = shelf.admin.get(&path).expect(200).json();
    assert_eq!((&own["own"], &seen["own"]), (&json!(true), &json!(false)));
    assert_eq!(seen["owner"]["username"], "mia");
    assert_eq!(seen["entry_count"], 2);
    assert_eq!(shelf.words(&shelf.admin, &path), "One Four");
    shelf.admin.get(&format!("{path}.m3u8")).expect(200);
    assert_eq!(page(&shelf.admin.get("/playlists?own=false")), [seen]);
    let entry = id_of(&entries(&mia, &path)[0]);
    for answer in [
        shelf.admin.patch(&path, &json!({"name": "Mine"})),
        shelf.admin.patch(&path, &json!({"name": ""})),
        shelf.admin.delete(&path),
        add_entries(&shelf.admin, &path, &json!({"files": shelf.ids("One")})),
        shelf.admin.patch(
            &format!("{path}/entries"),
            &json!({"move": [{"id": entry, "to": 1}]}),
        ),
        shelf.admin.delete(&format!("{path}/entries?id={entry}")),
    ] {
        refused(&answer, 403, "forbidden");
    }
    assert_eq!(mia.get(&path).expect(200).json(), own);
    mia.patch(&path, &json!({"public": false})).expect(200);
    refused(&shelf.admin.get(&path), 404, "not_found");
}

#[test]
fn reader_sees_granted_entries_of_public_playlist() {
    let shelf = shelf();
    let (_, mia) = shelf.user("mia");
    let (tom_id, tom) = shelf.user("tom");
    let path = shelf.playlist(&mia, "Four One Five Two");
    mia.patch(&path, &public()).expect(200);
    shelf.grant(shelf.attic, tom_id, false);
    let seen = tom.get(&path).expect(200).json();
    assert_eq!(seen["entry_count"], 2);
    let listed = entries(&tom, &path);
    let indexes: Vec<&Value> = listed.iter().map(|entry| &entry["index"]).collect();
    assert_eq!(indexes, [0, 1]);
    assert_eq!(shelf.words(&tom, &path), "One Two");
    let total = tom
        .get(&format!("{path}/entries?offset=1"))
        .expect(200)
        .json();
    assert_eq!(
        (&total["total"], total["items"].as_array().map(Vec::len)),
        (&json!(2), Some(1))
    );
    let exported = tom.get(&format!("{path}.m3u8")).expect(200);
    assert_eq!(
        String::from_utf8_lossy(&exported.body)
            .matches("#EXTINF")
            .count(),
        2
    );

    // Without any visible entry, the playlist is absent.
    shelf.grant(shelf.media, tom_id, false);
    for answer in [
        tom.get(&path),
        tom.get(&format!("{path}/entries")),
        tom.get(&format!("{path}.m3u8")),
        tom.patch(&path, &json!({"name": "x"})),
        tom.delete(&path),
    ] {
        refused(&answer, 404, "not_found");
    }
    assert_eq!(page(&tom.get("/playlists")), [] as [Value; 0]);
    assert_eq!(shelf.words(&mia, &path), "Four One Five Two");
    shelf.grant(shelf.attic, tom_id, true);
    assert_eq!(shelf.words(&tom, &path), "Four Five");
}

#[test]
fn own_playlist_without_visible_entries_stays_visible() {
    let shelf = shelf();
    let (id, mia) = shelf.user("mia");
    let path = shelf.playlist(&mia, "Four Five");
    mia.patch(&path, &public()).expect(200);
    shelf.grant(shelf.attic, id, false);
    assert_eq!(mia.get(&path).expect(200).json()["entry_count"], 0);
    assert_eq!(page(&mia.get("/playlists")).len(), 1);
    let empty = shelf.playlist(&mia, "");
    mia.patch(&empty, &public()).expect(200);
    refused(&shelf.admin.get(&empty), 404, "not_found");
    assert_eq!(page(&shelf.admin.get("/playlists")).len(), 1);
}

/// Changes a list of `Six One Four Two Five` while `One` and `Two` are visible. Returns the visible
/// files after the change, and all files after the grant has returned.
fn changed_while_hidden(change: impl Fn(&Shelf, &Client, &str, &[Value])) -> (String, String) {
    let shelf = shelf();
    let (id, mia) = shelf.user("mia");
    let path = shelf.playlist(&mia, "Six One Four Two Five");
    let whole = entries(&mia, &path);
    shelf.grant(shelf.attic, id, false);
    let before = version(&mia, &path);
    assert_eq!(shelf.words(&mia, &path), "One Two");
    change(&shelf, &mia, &format!("{path}/entries"), &whole);
    assert_eq!(version(&mia, &path), before + 1);
    let visible = shelf.words(&mia, &path);
    shelf.grant(shelf.attic, id, true);
    assert_eq!(version(&mia, &path), before + 1, "a grant is no change");
    (visible, shelf.words(&mia, &path))
}

#[test]
fn insertion_follows_hidden_entries_of_visible_entry_before_it() {
    for (at, visible, all) in [
        (json!(0), "Three One Two", "Six Three One Four Two Five"),
        (json!(1), "One Three Two", "Six One Four Three Two Five"),
        (json!(2), "One Two Three", "Six One Four Two Five Three"),
        (Value::Null, "One Two Three", "Six One Four Two Five Three"),
    ] {
        let found = changed_while_hidden(|shelf, mia, path, _| {
            let body = json!({"files": shelf.ids("Three"), "at": at});
            mia.post(path, &body).expect(201);
        });
        assert_eq!(found, (visible.to_owned(), all.to_owned()), "{at}");
    }
}

#[test]
fn hidden_entries_move_with_visible_entry_before_them() {
    // The indexes of `One` and `Two` in the whole list are 1 and 3.
    for (from, to) in [(1, 1), (3, 0)] {
        let found = changed_while_hidden(|_, mia, path, whole| {
            let step = json!({"move": [{"id": whole[from]["id"], "to": to}]});
            mia.patch(path, &step).expect(200);
            let hidden = json!({"move": [{"id": whole[0]["id"], "to": 0}]});
            invalid(&mia.patch(path, &hidden), "move");
        });
        assert_eq!(
            found,
            ("Two One".to_owned(), "Six Two Five One Four".to_owned())
        );
    }
}

#[test]
fn deletion_ignores_hidden_entries() {
    let found = changed_while_hidden(|_, mia, path, whole| {
        let ids: Vec<String> = whole.iter().map(|entry| entry["id"].to_string()).collect();
        let left = mia.delete(&format!("{path}?id={}", ids.join(",")));
        assert_eq!(left.expect(200).json()["entry_count"], 0);
    });
    assert_eq!(found, (String::new(), "Six Four Five".to_owned()));
}

#[test]
fn index_beyond_visible_entries_is_refused() {
    let shelf = shelf();
    let (id, mia) = shelf.user("mia");
    let path = shelf.playlist(&mia, "Four One Five");
    shelf.grant(shelf.attic, id, false);
    let body = json!({"files": shelf.ids("Two"), "at": 2});
    invalid(&add_entries(&mia, &path, &body), "at");
    let entry = id_of(&entries(&mia, &path)[0]);
    let step = json!({"move": [{"id": entry, "to": 1}]});
    invalid(&mia.patch(&format!("{path}/entries"), &step), "move");
}

#[test]
fn playlists_of_disabled_user_stay_and_of_deleted_user_go() {
    let shelf = shelf();
    let (id, mia) = shelf.user("mia");
    let public = shelf.playlist(&mia, "One");
    mia.patch(&public, &json!({"public": true})).expect(200);
    shelf.playlist(&mia, "Two");
    mia.put("/queue", &json!({"files": shelf.ids("One")}))
        .expect(200);
    let user = format!("/users/{id}");
    shelf
        .admin
        .patch(&user, &json!({"disabled": true}))
        .expect(200);
    assert_eq!(shelf.words(&shelf.admin, &public), "One");
    shelf.admin.delete(&user).expect(204);
    refused(&shelf.admin.get(&public), 404, "not_found");
    assert_eq!(page(&shelf.admin.get("/playlists")), [] as [Value; 0]);
    let database = ledge_core::db::open::existing(&shelf.server.database()).expect("a database");
    for table in [
        "playlist",
        "playlist_entry",
        "playlist_total",
        "play_queue",
        "play_queue_entry",
    ] {
        let count: i64 = database
            .query_row(&format!("SELECT count(*) FROM {table}"), [], |row| {
                row.get(0)
            })
            .expect("a count");
        assert_eq!(count, 0, "{table}");
    }
}
