//! Streams, downloads, pictures and lyrics.

use roxmltree::Document;
use serde_json::json;

use super::{MusicApp, music};

#[test]
fn stream_is_the_unchanged_file_in_ranges() {
    let music = music();
    let song = music.file("Rooftops", 0);
    let bytes = std::fs::read(
        music
            .server
            .folder()
            .join("music/Orchestra/Rooftops/01.mp3"),
    );
    let bytes = bytes.expect("a file");
    let method = format!("stream?id=tr-{song}&maxBitRate=64&format=ogg&timeOffset=5");
    let whole = music.app.call(&method).expect(200);
    assert_eq!(whole.body, bytes);
    assert_eq!(whole.header("content-type"), "audio/mpeg");
    assert_eq!(whole.header("content-disposition"), "");
    let part = music
        .app
        .send("GET", &method, &[("Range", "bytes=10-19")])
        .expect(206);
    assert_eq!(part.body, bytes[10..20]);
    music
        .app
        .send("GET", &method, &[("Range", "bytes=99999999-")])
        .expect(416);
    let etag = whole.header("etag").to_owned();
    music
        .app
        .send("GET", &method, &[("If-None-Match", &etag)])
        .expect(304);
    let download = music
        .app
        .call(&format!("download?id=tr-{song}"))
        .expect(200);
    assert_eq!(download.body, bytes);
    assert!(
        download
            .header("content-disposition")
            .starts_with("attachment")
    );
    // Neither is a play.
    let played = music.app.json(&format!("getSong?id=tr-{song}"))["song"].clone();
    assert!(played.get("playCount").is_none(), "{played}");
}

#[test]
fn failed_media_are_404_with_the_envelope() {
    let music = music();
    let album = music.item("Rooftops");
    let story = music.item("The Long Story");
    for (method, code) in [
        ("stream?id=tr-999999".to_owned(), 70),
        ("stream?id=x".to_owned(), 70),
        ("stream".to_owned(), 10),
        (format!("download?id=al-{album}"), 10),
        ("download?id=al-999999".to_owned(), 70),
        (format!("getCoverArt?id=al-{story}"), 70),
        ("getCoverArt?id=al-999999".to_owned(), 70),
        (format!("getCoverArt?id=al-{album}&size=-1"), 10),
        ("getAvatar?username=mia".to_owned(), 70),
    ] {
        let answer = music
            .app
            .call(&format!("{method}&f=json").replacen("stream&", "stream?", 1));
        let answer = answer.expect(404);
        assert_eq!(
            answer.json()["subsonic-response"]["error"]["code"],
            code,
            "{method}"
        );
    }
    for method in ["stream?id=tr-1", "getCoverArt?id=al-1"] {
        let answer = music.app.call(&format!("{method}&f=yaml")).expect(404);
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        assert!(text.contains("code=\"10\""), "{text}");
    }
    let client = music.server.client().anonymous();
    let refused = client.get("//rest/stream.view?id=tr-1&f=json").expect(404);
    assert_eq!(refused.json()["subsonic-response"]["error"]["code"], 10);
}

#[test]
fn covers_are_found_by_any_id() {
    let music = music();
    let (album, song) = (music.item("Rooftops"), music.file("Rooftops", 1));
    let artist = music.person("paper");
    let found = music.app.json(&format!("getAlbum?id=al-{album}"))["album"].clone();
    let named = found["coverArt"].as_str().expect("an id").to_owned();
    for id in [
        named.clone(),
        format!("al-{album}"),
        format!("tr-{song}"),
        format!("ar-{artist}"),
    ] {
        let cover = music
            .app
            .call(&format!("getCoverArt?id={id}&size=200"))
            .expect(200);
        assert_eq!(cover.header("content-type"), "image/jpeg", "{id}");
        let is_named = id == named;
        assert_eq!(
            cover.header("cache-control").contains("immutable"),
            is_named,
            "{id}"
        );
    }
    let width = |size: &str| {
        let cover = music
            .app
            .call(&format!("getCoverArt?id=al-{album}{size}"))
            .expect(200);
        let reader = std::io::Cursor::new(cover.body);
        let reader = image::ImageReader::new(reader)
            .with_guessed_format()
            .expect("a format");
        reader.into_dimensions().expect("a size").0
    };
    assert_eq!(
        (width("&size=100"), width("&size=250"), width("")),
        (240, 300, 300)
    );
    assert_eq!(music.app.call("getCoverArt?id=al-1-zzzzzzzz").status, 404);
}

#[test]
fn lyrics_have_their_times() {
    let music = music();
    let song = music.file("Rooftops", 0);
    let list = music.app.json(&format!("getLyricsBySongId?id=tr-{song}"))["lyricsList"].clone();
    let lyrics = &list["structuredLyrics"][0];
    assert_eq!(
        (&lyrics["lang"], &lyrics["synced"]),
        (&json!("und"), &json!(true))
    );
    assert_eq!(
        lyrics["line"],
        json!([{"start": 1500, "value": "One"}, {"start": 2000, "value": "Two"}])
    );
    let without = music.file("Rooftops", 1);
    let list = music
        .app
        .json(&format!("getLyricsBySongId?id=tr-{without}"))["lyricsList"]
        .clone();
    assert_eq!(list["structuredLyrics"], json!([]));
    let by_name = "getLyrics?artist=the%20paper%20orchestra&title=gutter";
    let found = music.app.json(by_name)["lyrics"].clone();
    assert_eq!(
        (&found["value"], &found["title"]),
        (&json!("One\nTwo"), &json!("Gutter"))
    );
    assert_eq!(
        music.app.json("getLyrics?artist=nora&title=hidden%20song")["lyrics"],
        json!({ "value": "" })
    );
    let xml = music.app.call(by_name).expect(200);
    let text = String::from_utf8(xml.body).expect("UTF-8");
    let document = Document::parse(&text).expect("well-formed XML");
    let lyrics = document
        .descendants()
        .find(|node| node.tag_name().name() == "lyrics");
    assert_eq!(lyrics.and_then(|node| node.text()), Some("One\nTwo"));
}

#[test]
fn scan_status_is_that_of_the_visible_libraries() {
    let music = music();
    let status = music.app.json("getScanStatus")["scanStatus"].clone();
    assert_eq!(status["scanning"], false);
    assert!(
        status["count"].as_i64().is_some_and(|count| count > 0),
        "{status}"
    );
    let admin = MusicApp::new(&music.server, &music.admin);
    let every = admin.json("getScanStatus")["scanStatus"].clone();
    assert!(
        every["count"].as_i64() > status["count"].as_i64(),
        "{every} {status}"
    );
}
