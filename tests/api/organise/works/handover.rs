//! Position in another form, and the relative position inside a section.

use ledge_core::db::open;
use ledge_tests::{Client, Server};
use serde_json::{Value, json};

use super::links::{SHELF, item, wait_for_links};
use crate::http::conventions::{has_keys, id_of, invalid, library_of, refused};

/// A text of four sections and a recording of two parts, both with chapters.
struct Forms {
    server: Server,
    admin: Client,
    book: i64,
    audio: i64,
    text: i64,
    parts: [i64; 2],
}

fn linked() -> Forms {
    let (server, admin, _) = library_of(SHELF);
    wait_for_links(&server);
    let (book, audio) = (
        item(&admin, "Moby-Dick", "books"),
        item(&admin, "Moby-Dick", "audio"),
    );
    let files = |item: i64| -> Vec<i64> {
        let detail = admin.get(&format!("/items/{item}")).expect(200).json();
        let files = detail["files"].as_array().expect("files");
        files.iter().map(id_of).collect()
    };
    let (text, parts) = (files(book)[0], files(audio));
    let parts = [parts[0], parts[1]];
    let database = open::writable(&server.database()).expect("the database");
    let [one, two] = parts;
    database
        .execute_batch(&format!(
            "UPDATE file SET extent = 1000 WHERE item_id = {audio};
             UPDATE file SET extent = 4 WHERE item_id = {book};
             INSERT INTO file_chapter (file_id, position, title, start)
             VALUES ({text}, 0, 'Title Page', 0), ({text}, 1, 'Chapter 1: Loomings', 1),
                    ({text}, 2, 'Chapter II. The Carpet-Bag', 2), ({text}, 3, 'Epilogue', 3),
                    ({one}, 0, 'Opening', 0), ({one}, 1, '1. Loomings', 60),
                    ({two}, 0, '2 The Carpet Bag', 0), ({two}, 1, 'Epilogue', 800);"
        ))
        .expect("chapters");
    Forms {
        server,
        admin,
        book,
        audio,
        text,
        parts,
    }
}

impl Forms {
    fn save(&self, item: i64, body: &Value) -> Value {
        let saved = self.admin.put(&format!("/items/{item}/progress"), body);
        saved.expect(200).json()
    }

    #[track_caller]
    fn hand_over(&self, from: i64, to: i64) -> Value {
        let path = format!("/items/{from}/handover?to={to}");
        let found = self.admin.get(&path).expect(200).json();
        has_keys(
            &found,
            "file_id position within fraction chapter method confidence",
        );
        found
    }

    fn forget_chapters(&self) {
        let database = open::writable(&self.server.database()).expect("the database");
        database
            .execute_batch("DELETE FROM file_chapter")
            .expect("a deletion");
    }
}

#[test]
fn within_is_stored_and_returned() {
    let forms = linked();
    let body = json!({"file_id": forms.text, "position": 1, "within": 0.25});
    assert_eq!(forms.save(forms.book, &body)["within"], 0.25);
    let path = format!("/items/{}/progress", forms.book);
    let stored = || forms.admin.get(&path).expect(200).json()["items"][0]["within"].clone();
    assert_eq!(stored(), 0.25);
    let detail = forms
        .admin
        .get(&format!("/items/{}", forms.book))
        .expect(200)
        .json();
    assert_eq!(detail["files"][0]["progress"]["within"], 0.25);
    for within in [json!(-0.1), json!(1.1), json!("x")] {
        let body = json!({"position": 1, "within": within});
        let refused = forms.admin.put(&path, &body);
        assert!([400, 422].contains(&refused.status), "{refused:?}");
        assert_eq!(stored(), 0.25);
    }
    assert_eq!(
        forms.save(forms.book, &json!({"position": 1}))["within"],
        Value::Null
    );
    assert_eq!(stored(), Value::Null);
    let past = forms
        .admin
        .get(&format!("{path}/history"))
        .expect(200)
        .json();
    assert_eq!(past["items"][0]["within"], 0.25);
}

#[test]
fn chapters_are_matched_by_number_and_title() {
    let forms = linked();
    let at = |position: i64, within: f64| {
        let body = json!({"file_id": forms.text, "position": position, "within": within});
        forms.save(forms.book, &body);
        forms.hand_over(forms.book, forms.audio)
    };
    // Loomings is between 60 and 1000, The Carpet-Bag between 1000 and 1800.
    let [one, two] = forms.parts;
    for (section, within, file, seconds, chapter) in [
        (1, 0.0, one, 60, "1. Loomings"),
        (1, 0.5, one, 530, "1. Loomings"),
        (2, 0.25, two, 200, "2 The Carpet Bag"),
        (3, 0.5, two, 900, "Epilogue"),
    ] {
        let found = at(section, within);
        assert_eq!(
            (&found["file_id"], &found["position"], &found["chapter"]),
            (&json!(file), &json!(seconds), &json!(chapter)),
        );
        assert_eq!(found["method"], "chapters");
        assert_eq!(found["within"], Value::Null);
        assert!(found["confidence"].as_f64() > Some(0.5), "{found}");
    }
    forms.save(forms.audio, &json!({"file_id": two, "position": 200}));
    let back = forms.hand_over(forms.audio, forms.book);
    assert_eq!(
        (&back["file_id"], &back["position"]),
        (&json!(forms.text), &json!(2))
    );
    assert!(
        (back["within"].as_f64().expect("a number") - 0.25).abs() < 0.01,
        "{back}"
    );
    assert!(
        (back["fraction"].as_f64().expect("a number") - 0.5625).abs() < 0.01,
        "{back}"
    );
    // Nothing was written in the other form.
    let text = forms.admin.get(&format!("/items/{}/progress", forms.book));
    assert_eq!(text.expect(200).json()["items"][0]["position"], 3);
}

#[test]
fn fraction_is_used_without_chapters() {
    let forms = linked();
    forms.forget_chapters();
    let body = json!({"file_id": forms.text, "position": 3, "within": 0.0});
    forms.save(forms.book, &body);
    let found = forms.hand_over(forms.book, forms.audio);
    assert_eq!(
        (&found["file_id"], &found["position"]),
        (&json!(forms.parts[1]), &json!(500))
    );
    assert_eq!(found["method"], "fraction");
    assert!(found["confidence"].as_f64() <= Some(0.5), "{found}");
    assert_eq!(found["fraction"], 0.75);
}

#[test]
fn handover_without_progress_is_null() {
    let forms = linked();
    let (user, mia) = forms.server.user(&forms.admin, "mia");
    let library = forms.admin.get("/libraries").expect(200).json()["items"][0]["id"].clone();
    let grant = format!("/libraries/{library}/grants/{user}");
    let path = format!("/items/{}/handover?to={}", forms.book, forms.audio);
    refused(&mia.get(&path), 404, "not_found");
    forms.admin.send("PUT", &grant, &[], None).expect(204);
    forms.save(forms.book, &json!({"file_id": forms.text, "position": 2}));
    // Progress of another user does not count.
    let found = mia.get(&path).expect(200).json();
    let keys = "file_id position within fraction chapter method confidence";
    has_keys(&found, keys);
    assert!(keys.split(' ').all(|key| found[key].is_null()), "{found}");
}

#[test]
fn handover_requires_a_text_and_a_recording_of_one_work() {
    let forms = linked();
    let path = |to: i64| format!("/items/{}/handover?to={to}", forms.book);
    for to in [item(&forms.admin, "The Hobbit", "books"), 999_999] {
        refused(&forms.admin.get(&path(to)), 404, "not_found");
    }
    invalid(
        &forms.admin.get(&format!("/items/{}/handover", forms.book)),
        "to",
    );
    let (hobbit, film) = (
        item(&forms.admin, "The Hobbit", "books"),
        item(&forms.admin, "Moby-Dick", "video"),
    );
    let body = json!({"items": [forms.book, hobbit, film]});
    forms.admin.post("/works", &body).expect(200);
    for to in [hobbit, film, forms.book] {
        invalid(&forms.admin.get(&path(to)), "to");
    }
    refused(
        &forms.admin.get("/items/999999/handover?to=1"),
        404,
        "not_found",
    );
}
