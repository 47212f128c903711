//! Playback: engines, and the results of resolving files.

use std::fs;
use std::path::Path;

use ledge_tests::server::{all_items, program, scan, scanned_library};
use ledge_tests::{Client, Server};
use serde_json::{Value, json};

use crate::http::conventions::{has_keys, id_of, invalid, list, refused, write};

const FILMS: &[(&str, &str)] = &[
    ("Metropolis (1927).mp4", "h264-aac.mp4"),
    ("Nosferatu (1922).avi", "mpeg4-mp3.avi"),
    ("Faust (1926).webm", "vp9.webm"),
    ("Sunrise (1927).mkv", "attached.mkv"),
    ("Bach/Fugues/01 - Fugue.mp3", "cover.mp3"),
];

/// Returns a media file of the probe tests.
pub(crate) fn recording(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/tests/media");
    fs::read(folder.join(name)).expect("a recording")
}

/// Creates a scanned library of films, a book, a game, and an empty film.
pub(crate) fn cinema() -> (Server, Client, i64) {
    let server = Server::start();
    let media = server.folder().join("media");
    for (name, source) in FILMS {
        write(&media, name, recording(source));
    }
    let book = ledge_fixtures::EpubSpec {
        title: "Emma".to_owned(),
        ..ledge_fixtures::EpubSpec::default()
    };
    write(&media, "Emma.epub", ledge_fixtures::epub(&book));
    write(&media, "Nova.nes", b"NES\x1a\0\0\0\0\0\0\0\0\0\0\0\0");
    write(&media, "Void (1999).mkv", "");
    let admin = server.admin();
    let (id, status) = scanned_library(&admin, "Cinema", &media);
    assert_eq!(
        status["errors"].as_array().map(Vec::len),
        Some(0),
        "{status}"
    );
    (server, admin, id)
}

pub(crate) fn titled(client: &Client, title: &str) -> i64 {
    let items = all_items(client, "/items");
    let found = items.iter().find(|item| item["title"] == title);
    id_of(found.unwrap_or_else(|| panic!("no {title}")))
}

pub(crate) fn resolve(client: &Client, item: i64, engines: &[&str]) -> Value {
    let body = json!({"item_id": item, "engines": engines});
    let answer = client.post("/playback/resolve", &body).expect(200).json();
    has_keys(&answer, "playable engine reason file");
    assert_eq!(answer["playable"], answer["reason"].is_null(), "{answer}");
    assert_eq!(answer["playable"], !answer["engine"].is_null(), "{answer}");
    answer
}

/// Returns the engine that plays the item, or the reason why none does.
fn verdict(client: &Client, title: &str, engines: &[&str]) -> String {
    let answer = resolve(client, titled(client, title), engines);
    let text = answer["engine"].as_str().or(answer["reason"].as_str());
    text.expect("an engine or a reason").to_owned()
}

#[test]
fn engines_are_listed_with_what_they_declare() {
    let server = Server::with(&program("ledge"), &[]);
    let engines = list(&server.admin().get("/playback/engines"));
    let ids: Vec<&str> = engines.iter().filter_map(|e| e["id"].as_str()).collect();
    assert_eq!(ids, ["html5", "mpv", "exoplayer", "avplayer", "web-decode"]);
    for engine in &engines {
        has_keys(engine, "id label containers vcodecs acodecs");
        assert!(!engine["label"].as_str().expect("a label").is_empty());
        for table in ["containers", "vcodecs", "acodecs"] {
            let names = engine[table].as_array().expect("a table");
            assert!(!names.is_empty() && names.iter().all(Value::is_string));
        }
    }
}

#[test]
fn film_plays_in_first_offered_engine_with_its_codecs() {
    let (_server, admin, _) = cinema();
    for (title, engines, expected) in [
        ("Metropolis", &["html5"][..], "html5"),
        ("Metropolis", &["avplayer", "html5"], "avplayer"),
        ("Metropolis", &["vlc", "html5", "mpv"], "html5"),
        ("Nosferatu", &["html5", "mpv"], "mpv"),
        // Video without audio, and audio without video (a cover does not count).
        ("Faust", &["html5"], "html5"),
        ("Tone", &["html5"], "html5"),
        ("Tone", &["avplayer"], "avplayer"),
    ] {
        assert_eq!(verdict(&admin, title, engines), expected, "{title}");
    }
}

#[test]
fn unplayable_file_has_first_obstacle() {
    let (server, admin, id) = cinema();
    for (title, engines, expected) in [
        ("Emma", &[][..], "kind:books"),
        ("Emma", &["html5"], "kind:books"),
        ("Nova", &["html5"], "kind:games"),
        ("Metropolis", &[], "engines:none"),
        ("Metropolis", &["vlc", "HTML5", ""], "engines:none"),
        ("Nosferatu", &["html5"], "vcodec:mpeg4"),
        ("Faust", &["avplayer"], "vcodec:vp9"),
        ("Nosferatu", &["html5", "avplayer"], "vcodec:mpeg4"),
        ("Sunrise", &["avplayer"], "acodec:opus"),
        ("Nosferatu", &["avplayer", "html5"], "container:avi"),
        ("Void", &["html5"], "unprobed"),
    ] {
        assert_eq!(
            verdict(&admin, title, engines),
            expected,
            "{title} {engines:?}"
        );
    }
    fs::remove_file(server.folder().join("media/Metropolis (1927).mp4")).expect("gone");
    fs::remove_file(server.folder().join("media/Emma.epub")).expect("gone");
    scan(&admin, id);
    for title in ["Metropolis", "Emma"] {
        assert_eq!(verdict(&admin, title, &[]), "missing", "{title}");
        assert_eq!(verdict(&admin, title, &["html5"]), "missing", "{title}");
    }
}

#[test]
fn container_is_known_without_ffprobe() {
    let example = program("ledge-example");
    let server = Server::with(&example, &[("LEDGE_FFPROBE", "off")]);
    let media = server.folder().join("media");
    write(&media, "Metropolis (1927).mp4", recording("h264-aac.mp4"));
    write(&media, "Faust (1926).rm", ".RMF and more");
    write(&media, "Caligari (1920).mp4", "<html>not found</html>");
    let admin = server.admin();
    let (_, status) = scanned_library(&admin, "Cinema", &media);
    let errors = status["errors"].as_array().expect("errors");
    let actual = errors.first().and_then(Value::as_str).unwrap_or_default();
    assert!(
        errors.len() == 1 && actual.starts_with("Caligari (1920).mp4"),
        "{status}"
    );
    assert_eq!(verdict(&admin, "Caligari", &["html5"]), "unprobed");
    assert_eq!(verdict(&admin, "Metropolis", &["html5"]), "html5");
    assert_eq!(verdict(&admin, "Faust", &["html5"]), "container:rm");
    assert_eq!(verdict(&admin, "Faust", &["vlc"]), "engines:none");
}

#[test]
fn response_contains_codecs() {
    let (_server, admin, _) = cinema();
    let item = titled(&admin, "Metropolis");
    let detail = admin.get(&format!("/items/{item}")).expect(200).json();
    let file = resolve(&admin, item, &[])["file"].clone();
    has_keys(&file, "id container vcodec acodec width height content_url");
    for (key, value) in file.as_object().expect("a file") {
        assert_eq!(&detail["files"][0][key], value, "{key}");
    }
    assert_eq!(
        (&file["container"], &file["vcodec"], &file["acodec"]),
        (&json!("mp4"), &json!("h264"), &json!("aac"))
    );
}

#[test]
fn first_present_file_is_default() {
    let (server, admin, id) = cinema();
    let media = server.folder().join("media");
    write(
        &media,
        "Dr. Mabuse (1922)/Dr. Mabuse (1922) - cd1.avi",
        recording("mpeg4-mp3.avi"),
    );
    write(
        &media,
        "Dr. Mabuse (1922)/Dr. Mabuse (1922) - cd2.mp4",
        recording("h264-aac.mp4"),
    );
    scan(&admin, id);
    let item = titled(&admin, "Dr. Mabuse");
    let detail = admin.get(&format!("/items/{item}")).expect(200).json();
    let files: Vec<i64> = detail["files"]
        .as_array()
        .expect("files")
        .iter()
        .map(id_of)
        .collect();
    assert_eq!(files.len(), 2, "{detail}");
    let first = resolve(&admin, item, &["html5"]);
    assert_eq!(
        (&first["file"]["id"], &first["reason"]),
        (&json!(files[0]), &json!("vcodec:mpeg4"))
    );
    // Each file can be resolved.
    let named = |file: i64| {
        let body = json!({"item_id": item, "file_id": file, "engines": ["html5"]});
        admin.post("/playback/resolve", &body)
    };
    let second = named(files[1]).expect(200).json();
    assert_eq!(
        (&second["file"]["id"], &second["engine"]),
        (&json!(files[1]), &json!("html5"))
    );
    let null = json!({"item_id": item, "file_id": null, "engines": ["html5"]});
    assert_eq!(admin.post("/playback/resolve", &null).json(), first);
    // A missing file is skipped, unless the request names it.
    fs::remove_file(media.join("Dr. Mabuse (1922)/Dr. Mabuse (1922) - cd1.avi")).expect("gone");
    scan(&admin, id);
    let next = resolve(&admin, item, &["html5"]);
    assert_eq!(
        (&next["file"]["id"], &next["engine"]),
        (&json!(files[1]), &json!("html5"))
    );
    assert_eq!(named(files[0]).expect(200).json()["reason"], "missing");
}

#[test]
fn file_of_other_item_is_refused_with_field_name() {
    let (server, admin, _) = cinema();
    let item = titled(&admin, "Metropolis");
    let other = resolve(&admin, titled(&admin, "Faust"), &[])["file"]["id"].clone();
    for file in [other, json!(98765), json!(0), json!(-1)] {
        let body = json!({"item_id": item, "file_id": file, "engines": ["html5"]});
        invalid(&admin.post("/playback/resolve", &body), "file_id");
    }
    // A user without access to the item learns nothing about its files.
    let (_, mia) = server.user(&admin, "mia");
    let asked = |item: i64, file: Value| {
        let body = json!({"item_id": item, "file_id": file, "engines": ["html5"]});
        mia.post("/playback/resolve", &body)
    };
    let absent = asked(98765, Value::Null);
    refused(&absent, 404, "not_found");
    for file in [Value::Null, json!(1), json!(98765)] {
        let hidden = asked(item, file);
        assert_eq!((hidden.status, &hidden.body), (404, &absent.body));
    }
}

#[test]
fn too_many_and_too_long_engines_are_refused() {
    let (_server, admin, _) = cinema();
    let item = titled(&admin, "Metropolis");
    let ask = |engines: Vec<String>| {
        let body = json!({"item_id": item, "engines": engines});
        admin.post("/playback/resolve", &body)
    };
    ask(vec!["html5".to_owned(); 32]).expect(200);
    ask(vec!["x".repeat(64)]).expect(200);
    invalid(&ask(vec!["html5".to_owned(); 33]), "engines");
    invalid(&ask(vec!["x".repeat(65)]), "engines");
    for body in [
        json!({"item_id": item}),
        json!({"item_id": item, "engines": "html5"}),
        json!({"item_id": item, "engines": null}),
        json!({"item_id": item, "engines": [1]}),
    ] {
        invalid(&admin.post("/playback/resolve", &body), "engines");
    }
    invalid(
        &admin.post("/playback/resolve", &json!({"engines": []})),
        "item_id",
    );
    let typo = json!({"item_id": item, "engines": [], "engine": "html5"});
    invalid(&admin.post("/playback/resolve", &typo), "engine");
}
