//! Export of a user's own data.

use std::collections::BTreeMap;
use std::io::Read as _;

use flate2::read::DeflateDecoder;
use ledge_tests::{Answer, Client};
use serde_json::{Value, json};

use super::world::{World, world};
use crate::http::conventions::id_of;

/// Returns the entries of a ZIP archive, and checks what the directory states about them.
fn entries(archive: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let number = |at: usize, length: usize| {
        let bytes = archive[at..at + length].iter().rev();
        bytes.fold(0_usize, |sum, byte| sum << 8 | usize::from(*byte))
    };
    let end = archive.len() - 22;
    assert_eq!(&archive[end..end + 4], b"PK\x05\x06");
    let (count, mut at) = (number(end + 10, 2), number(end + 16, 4));
    let mut found = BTreeMap::new();
    for _ in 0..count {
        assert_eq!(&archive[at..at + 4], b"PK\x01\x02");
        let name_length = number(at + 28, 2);
        let name = &archive[at + 46..at + 46 + name_length];
        let name = std::str::from_utf8(name).expect("UTF-8").to_owned();
        let (packed, size, local) = (number(at + 20, 4), number(at + 24, 4), number(at + 42, 4));
        assert_eq!(&archive[local..local + 4], b"PK\x03\x04", "{name}");
        let start = local + 30 + name_length;
        let mut content = Vec::new();
        let mut decoder = DeflateDecoder::new(&archive[start..start + packed]);
        decoder.read_to_end(&mut content).expect("deflate");
        assert_eq!(content.len(), size, "{name}");
        let mut crc = flate2::Crc::new();
        crc.update(&content);
        assert_eq!(
            usize::try_from(crc.sum()).expect("a number"),
            number(at + 16, 4),
            "{name}"
        );
        assert!(!name.starts_with('/') && !name.contains(".."), "{name}");
        found.insert(name, content);
        at += 46 + name_length;
    }
    found
}

struct Export(BTreeMap<String, Vec<u8>>);

impl Export {
    #[track_caller]
    fn of(user: &Client) -> (Self, Answer) {
        let answer = user.get("/me/export").expect(200);
        (Self(entries(&answer.body)), answer)
    }

    #[track_caller]
    fn array(&self, name: &str) -> Vec<Value> {
        let json: Value = serde_json::from_slice(&self.0[name]).expect(name);
        json.as_array().expect("an array").clone()
    }
}

/// Leaves data of every kind.
fn leave_data(world: &World, user: &Client) {
    let album = id_of(&world.item(user, "01 - One.mp3"));
    let path = format!("/items/{album}");
    for position in [5, 7] {
        let body = json!({"file_id": world.file("02 - Two.mp3"), "position": position});
        user.put(&format!("{path}/progress"), &body).expect(200);
    }
    user.send("PUT", &format!("{path}/favourite"), &[], None)
        .expect(204);
    user.put(&format!("{path}/rating"), &json!({"rating": 8}))
        .expect(204);
    let file = format!("/files/{}", world.file("02 - Two.mp3"));
    user.send("PUT", &format!("{file}/favourite"), &[], None)
        .expect(204);
    user.post(&format!("{file}/play"), &json!({})).expect(200);
    let credits = json!({"authors": ["Ann Example"]});
    world.admin.patch(&path, &credits).expect(200);
    let people = user.get(&path).expect(200).json()["people"].clone();
    user.put(
        &format!("/people/{}/rating", people[0]["id"]),
        &json!({"rating": 4}),
    )
    .expect(204);
    user.put(&format!("{path}/tags"), &json!({"tags": ["calm"]}))
        .expect(200);
    let note = json!({
        "file_id": world.file("02 - Two.mp3"), "position": 3, "type": "highlight",
        "text": "Two\nlines", "note": "Mine"
    });
    user.post(&format!("{path}/annotations"), &note).expect(201);
    let files = [world.file("Alone.mp3"), world.file("01 - One.mp3")];
    user.post("/playlists", &json!({"name": "List", "files": files}))
        .expect(201);
    user.post("/collections", &json!({"name": "Shelf", "items": [album]}))
        .expect(201);
}

#[test]
fn export_contains_every_kind_of_own_data() {
    let world = world();
    let ann = world.user("ann");
    leave_data(&world, &ann);
    let (export, answer) = Export::of(&ann);
    assert_eq!(answer.header("content-type"), "application/zip");
    assert!(
        answer
            .header("content-disposition")
            .starts_with("attachment;")
    );
    for name in [
        "progress",
        "history",
        "favourites",
        "ratings",
        "tags",
        "playlists",
        "collections",
        "annotations",
        "statistics",
        "settings",
    ] {
        export.array(&format!("{name}.json"));
    }
    let progress = &export.array("progress.json")[0];
    let item = json!({
        "library": "media", "path": "Album/02 - Two.mp3", "title": "Album", "isbn": null
    });
    assert_eq!(
        (&progress["position"], &progress["item"]),
        (&json!(7), &item)
    );
    assert_eq!(progress["finished"], false);
    assert_eq!(export.array("history.json")[0]["position"], 5);
    let first = "Album/01 - One.mp3";
    for (name, key, value) in [
        ("ratings.json", "rating", json!(8)),
        ("tags.json", "name", json!("calm")),
    ] {
        let rows = export.array(name);
        assert_eq!(rows.len(), 1, "{name}");
        assert_eq!(
            (&rows[0][key], &rows[0]["item"]["path"]),
            (&value, &json!(first)),
            "{name}"
        );
    }
    assert_eq!(export.array("favourites.json")[0]["item"]["path"], first);
}

#[test]
fn export_contains_data_about_files_and_people() {
    let world = world();
    let ann = world.user("ann");
    leave_data(&world, &ann);
    let (export, _) = Export::of(&ann);
    let file = &export.array("files.json")[0];
    assert_eq!(file["item"]["path"], "Album/02 - Two.mp3");
    assert!(file["favourite_at"].is_string(), "{file}");
    assert_eq!(
        (&file["plays"], file["played_at"].as_array().map(Vec::len)),
        (&json!(1), Some(1))
    );
    let person = &export.array("people.json")[0];
    assert_eq!(
        (&person["name"], &person["rating"]),
        (&json!("Ann Example"), &json!(4))
    );
}

#[test]
fn export_contains_sessions_without_invisible_items() {
    let world = world();
    let ann = world.user("ann");
    leave_data(&world, &ann);
    let (export, _) = Export::of(&ann);
    let sessions = export.array("statistics.json");
    assert_eq!(sessions.len(), 1, "{sessions:?}");
    assert_eq!(
        (&sessions[0]["title"], &sessions[0]["item"]["path"]),
        (&json!("Album"), &json!("Album/01 - One.mp3"))
    );
    let lines = |export: &Export| {
        let csv = String::from_utf8_lossy(&export.0["statistics.csv"]).into_owned();
        csv.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        lines(&export)[0],
        "start,end,kind,item_id,title,seconds,pages"
    );
    assert!(
        lines(&export)[1].contains(",Album,"),
        "{:?}",
        lines(&export)
    );
    let id = ann.get("/auth/me").expect(200).json();
    let path = format!("/libraries/{}/grants/{}", world.library, id_of(&id));
    world.admin.delete(&path).expect(204);
    let (export, _) = Export::of(&ann);
    let session = &export.array("statistics.json")[0];
    for key in ["item", "item_id", "title"] {
        assert_eq!(session[key], Value::Null, "{session}");
    }
    assert_eq!(lines(&export).len(), 2);
    assert!(!lines(&export)[1].contains("Album"));
}

#[test]
fn export_contains_lists_annotations_and_settings() {
    let world = world();
    let ann = world.user("ann");
    leave_data(&world, &ann);
    let (export, _) = Export::of(&ann);
    let first = "Album/01 - One.mp3";
    let list = &export.array("playlists.json")[0];
    assert_eq!(
        (&list["name"], &list["public"]),
        (&json!("List"), &json!(false))
    );
    let paths = [&list["entries"][0]["path"], &list["entries"][1]["path"]];
    assert_eq!(paths, ["Solo/Alone.mp3", first]);
    let shelf = &export.array("collections.json")[0];
    assert_eq!(
        (&shelf["kind"], &shelf["items"][0]["path"]),
        (&json!("manual"), &json!(first))
    );
    assert_eq!(export.array("annotations.json")[0]["note"], "Mine");
    let notes: Vec<&String> = export
        .0
        .keys()
        .filter(|name| name.starts_with("annotations/"))
        .collect();
    assert!(
        notes.len() == 1 && notes[0].rsplit('.').next() == Some("md"),
        "{notes:?}"
    );
    let text = String::from_utf8_lossy(&export.0[notes[0]]).into_owned();
    assert!(text.contains("# Album") && text.contains("> Two\n> lines") && text.contains("Mine"));
    let settings = &export.array("settings.json")[0];
    assert_eq!(
        (&settings["username"], &settings["statistics"]),
        (&json!("ann"), &json!(true))
    );
}

#[test]
fn export_contains_no_other_user_and_nothing_invisible() {
    let world = world();
    let ann = world.user("ann");
    leave_data(&world, &ann);
    let bob = world.user("bob");
    let (export, _) = Export::of(&bob);
    for (name, content) in &export.0 {
        let text = String::from_utf8_lossy(content);
        assert!(
            !text.contains("Album") && !text.contains("calm"),
            "{name}: {text}"
        );
    }
    let id = ann.get("/auth/me").expect(200).json();
    let path = format!("/libraries/{}/grants/{}", world.library, id_of(&id));
    world.admin.delete(&path).expect(204);
    let (export, _) = Export::of(&ann);
    for (name, content) in &export.0 {
        let text = String::from_utf8_lossy(content);
        assert!(
            !text.contains("Two") && !text.contains("Mine"),
            "{name}: {text}"
        );
    }
    // The lists remain, without their invisible entries.
    assert_eq!(export.array("playlists.json")[0]["entries"], json!([]));
    world.server.client().get("/me/export").expect(401);
}
