//! Plays, favourites and ratings of files and people.

use ledge_tests::server::{all_items, scanned_library};
use ledge_tests::{Client, Server};
use serde_json::{Value, json};

use crate::http::conventions::{id_of, invalid, refused, write};

/// Starts a server with a book, which its administrator sees and another user does not.
fn shelf() -> (Server, Client, i64, i64) {
    let server = Server::start();
    let media = server.folder().join("media");
    write(&media, "Quiet.epub", crate::catalogue::books::epub());
    let admin = server.admin();
    scanned_library(&admin, "Media", &media);
    let item = id_of(&all_items(&admin, "/items")[0]);
    let file = id_of(&admin.get(&format!("/items/{item}")).json()["files"][0]);
    (server, admin, item, file)
}

#[test]
fn files_and_people_are_favourites_with_ratings() {
    let (server, admin, item, file) = shelf();
    let detail = || admin.get(&format!("/items/{item}")).expect(200).json();
    let person = id_of(&detail()["people"][0]);
    let (_, stranger) = server.user(&admin, "stranger");
    for path in [format!("/files/{file}"), format!("/people/{person}")] {
        for _ in 0..2 {
            admin
                .send("PUT", &format!("{path}/favourite"), &[], None)
                .expect(204);
            admin
                .put(&format!("{path}/rating"), &json!({"rating": 7}))
                .expect(204);
        }
        let wrong = admin.put(&format!("{path}/rating"), &json!({"rating": 11}));
        invalid(&wrong, "rating");
        refused(
            &stranger.delete(&format!("{path}/favourite")),
            404,
            "not_found",
        );
    }
    let shown = detail()["files"][0].clone();
    assert_eq!(
        (&shown["favourite"], &shown["rating"]),
        (&json!(true), &json!(7))
    );
    let files = admin.get("/favourites/files").expect(200).json();
    assert_eq!(
        (&files["total"], &files["items"][0]["file_id"]),
        (&json!(1), &json!(file))
    );
    let people = admin.get("/favourites/people").expect(200).json();
    assert_eq!(
        (&people["total"], &people["items"][0]["id"]),
        (&json!(1), &json!(person))
    );
    assert_eq!(stranger.get("/favourites/files").json()["total"], 0);
    for path in [format!("/files/{file}"), format!("/people/{person}")] {
        for part in ["favourite", "rating"] {
            admin.delete(&format!("{path}/{part}")).expect(204);
        }
    }
    let shown = detail()["files"][0].clone();
    assert_eq!(
        (&shown["favourite"], &shown["rating"]),
        (&json!(false), &Value::Null)
    );
    for kind in ["files", "people"] {
        let list = admin.get(&format!("/favourites/{kind}")).json();
        assert_eq!(list["total"], 0, "{kind}");
    }
}

#[test]
fn play_counts_once_per_second() {
    let (_server, admin, item, file) = shelf();
    let play = |body: &Value| admin.post(&format!("/files/{file}/play"), body);
    let first = play(&json!({})).expect(200).json();
    assert_eq!(first["plays"], 1);
    let at = json!({"played_at": first["played_at"]});
    assert_eq!(play(&at).expect(200).json()["plays"], 1);
    let detail = admin.get(&format!("/items/{item}")).json();
    assert_eq!(
        (&detail["views"], &detail["files"][0]["plays"]),
        (&json!(1), &json!(1))
    );
    for time in ["2001-01-01T00:00:00.000000Z", "2999-01-01T00:00:00.000000Z"] {
        invalid(&play(&json!({"played_at": time})), "played_at");
    }
}

#[test]
fn players_are_listed_until_they_stop() {
    let (server, admin, item, file) = shelf();
    let report = |state: &str, device: &str| {
        let body = json!({"file_id": file, "state": state, "position": 3, "device": device});
        admin.put("/now-playing", &body)
    };
    report("playing", "Kitchen").expect(204);
    let players = admin.get("/now-playing").expect(200).json();
    let shown = &players["items"][0];
    assert_eq!(
        (&shown["item_id"], &shown["position"], &shown["state"]),
        (&json!(item), &json!(3), &json!("playing"))
    );
    let (_, other) = server.user(&admin, "other");
    assert_eq!(other.get("/now-playing").json()["items"], json!([]));
    let body = json!({"file_id": file, "state": "playing", "device": "Kitchen"});
    invalid(&other.put("/now-playing", &body), "file_id");
    report("stopped", "Kitchen").expect(204);
    assert_eq!(admin.get("/now-playing").json()["items"], json!([]));
    invalid(&report("playing", " "), "device");
}
