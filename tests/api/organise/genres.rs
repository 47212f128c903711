//! Genres and languages: from files, edits, and the list of genres.

use std::fs;

use ledge_tests::server::scan;
use serde_json::{Value, json};

use crate::http::conventions::library_of;

const FILM: &str = "Video/Metropolis (1927)/Metropolis (1927).mp4";
const NFO: &str = "Video/Metropolis (1927)/Metropolis (1927).nfo";

fn genres(detail: &Value) -> Value {
    detail["genres"].clone()
}

#[test]
fn genres_of_files_are_split_and_counted_per_kind() {
    let nfo = "<movie><title>Metropolis</title><genre>Drama; Science Fiction</genre>\
               <genre>drama</genre></movie>";
    let (server, admin, _) = library_of(&[(FILM, "1"), (NFO, nfo), ("Books/Emma.epub", "2")]);
    let film = admin.get("/items?kind=video").expect(200).json()["items"][0]["id"].clone();
    let detail = admin.get(&format!("/items/{film}")).expect(200).json();
    assert_eq!(genres(&detail), json!(["Drama", "Science Fiction"]));
    assert_eq!(detail["sources"]["genres"], "file");
    let list = admin.get("/genres").expect(200).json();
    assert_eq!(list["total"], 2);
    assert_eq!(list["items"][0]["name"], "Drama");
    assert_eq!(list["items"][0]["items"], 1);
    let drama = &list["items"][0]["id"];
    assert_eq!(&detail["genre_ids"][0], drama);
    let found = admin
        .get(&format!("/items?genre={drama}"))
        .expect(200)
        .json();
    assert_eq!(
        (found["total"].as_u64(), &found["items"][0]["id"]),
        (Some(1), &film)
    );
    assert_eq!(
        admin.get("/genres?kind=books").expect(200).json()["total"],
        0
    );
    assert_eq!(
        admin.get("/genres?q=fiction").expect(200).json()["total"],
        1
    );
    let (_, ungranted) = server.user(&admin, "mia");
    assert_eq!(ungranted.get("/genres").expect(200).json()["total"], 0);
    assert_eq!(
        ungranted
            .get(&format!("/items?genre={drama}"))
            .expect(200)
            .json()["total"],
        0
    );
}

#[test]
fn edited_genres_and_language_survive_scans_until_they_are_unlocked() {
    let nfo = "<movie><title>Metropolis</title><genre>Drama</genre></movie>";
    let (server, admin, library) = library_of(&[(FILM, "1"), (NFO, nfo)]);
    let film = admin.get("/items").expect(200).json()["items"][0]["id"].clone();
    let path = format!("/items/{film}");
    let edit = json!({"genres": ["Expressionism", " drama ", "DRAMA"], "language": "DE"});
    let edited = admin.patch(&path, &edit).expect(200).json();
    assert_eq!(genres(&edited), json!(["Expressionism", "drama"]));
    assert_eq!(edited["language"], "de");
    assert_eq!(edited["locked"], json!(["genres", "language"]));
    let other = nfo.replace("Drama", "Silent");
    fs::write(server.folder().join("media").join(NFO), other).expect("a file");
    scan(&admin, library);
    let kept = admin.get(&path).expect(200).json();
    assert_eq!(genres(&kept), json!(["Expressionism", "drama"]));
    let unlocked = admin.patch(&path, &json!({"unlock": ["genres", "language"]}));
    let unlocked = unlocked.expect(200).json();
    assert_eq!(genres(&unlocked), json!(["Silent"]));
    assert_eq!(unlocked["sources"]["genres"], "file");
    assert_eq!(unlocked["language"], Value::Null);
    scan(&admin, library);
    let scanned = admin.get(&path).expect(200).json();
    assert_eq!(
        (genres(&scanned), &scanned["sources"]["genres"]),
        (json!(["Silent"]), &json!("file"))
    );
    // A genre without items is gone.
    let names = admin.get("/genres").expect(200).json()["items"].clone();
    assert_eq!(names.as_array().expect("genres").len(), 1, "{names}");
}

#[test]
fn invalid_genres_languages_and_series_are_refused() {
    let (_server, admin, _) = library_of(&[(FILM, "1")]);
    let film = admin.get("/items").expect(200).json()["items"][0]["id"].clone();
    let path = format!("/items/{film}");
    let many: Vec<String> = (0..51).map(|n| format!("g{n}")).collect();
    for (field, edit) in [
        ("genres", json!({"genres": many})),
        ("genres", json!({"genres": [""]})),
        ("genres", json!({"genres": ["a\nb"]})),
        ("genres", json!({"genres": ["x".repeat(201)]})),
        ("language", json!({"language": "e"})),
        ("language", json!({"language": "en-GB"})),
        (
            "series_index",
            json!({"series": {"name": "A", "index": -1}}),
        ),
        ("unlock", json!({"genres": [], "unlock": ["genres"]})),
    ] {
        let refused = admin.patch(&path, &edit).expect(422).json();
        assert_eq!(refused["error"]["field"], field, "{edit}");
    }
    let edit = json!({"series": {"name": "Lang", "index": 2.5}});
    let edited = admin.patch(&path, &edit).expect(200).json();
    assert_eq!(edited["facts"]["series"], "Lang");
    assert_eq!(edited["facts"]["series_index"], 2.5);
    let edited = admin
        .patch(&path, &json!({"series": null}))
        .expect(200)
        .json();
    assert_eq!(edited["series_id"], Value::Null);
}

#[test]
fn genres_are_found_by_names_with_punctuation() {
    const NAMES: [(&str, &str); 7] = [
        ("Sci-Fi", "sci-fi"),
        ("R&B", "r%26b"),
        ("Rock'n'Roll", "rock%27n%27roll"),
        ("80s", "80s"),
        ("Children's", "children%27s"),
        ("C++", "c%2b%2b"),
        ("C#", "c%23"),
    ];
    let (_server, admin, _) = library_of(&[(FILM, "1")]);
    let film = admin.get("/items").expect(200).json()["items"][0]["id"].clone();
    let edit = json!({ "genres": NAMES.map(|(name, _)| name) });
    admin.patch(&format!("/items/{film}"), &edit).expect(200);
    for (name, query) in NAMES {
        let found = admin.get(&format!("/genres?q={query}")).expect(200).json();
        let found = found["items"].as_array().expect("genres").clone();
        assert_eq!(found.len(), 1, "{query}: {found:?}");
        assert_eq!(found[0]["name"], name);
    }
    let punctuation = admin.get("/genres?q=%2b%2b").expect(200).json();
    assert_eq!(punctuation["total"], 0);
}
