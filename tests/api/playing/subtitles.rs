//! Subtitle files and embedded subtitles, and metadata of films and shows without ffprobe.

use std::fs;
use std::path::Path;

use ledge_tests::server::{all_items, program, scan, scanned_library, until};
use ledge_tests::{Client, Server};
use serde_json::{Value, json};

use crate::http::conventions::{has_keys, id_of, list, refused, write};
use crate::playing::playback::titled;

/// Returns a film with HEVC, AC-3 and a SubRip track as the third stream.
pub(crate) fn film() -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/media");
    fs::read(folder.join("northern-glass.mkv")).expect("a film")
}

const SRT: &str = "1\n00:00:01,000 --> 00:00:02,500\n<i>Hallo</i> & <script>x</script>\n";

/// Returns subtitles in the older format, in Windows-1252 and with an embedded font.
fn spanish() -> Vec<u8> {
    let script = b"[Script Info]\r\n; by hand\r\nPlayResX: 640\r\n\r\n[V4 Styles]\r\n\
        Format: Name, Fontsize, PrimaryColour\r\nStyle: Se\xf1al,30,255\r\n\r\n\
        [Fonts]\r\nfontname: a.ttf\r\n!!!!\r\n\r\n[Events]\r\n\
        Format: Marked, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\r\n\
        Dialogue: Marked=0,0:00:05.00,0:00:06.00,Se\xf1al,,0,0,0,,{\\pos(9,9)}Ma\xf1ana <b>ser\xe1\r\n\
        Dialogue: Marked=0,0:00:01.00,0:00:02.00,Se\xf1al,,0,0,0,,Todav\xeda no, espera\r\n";
    script.to_vec()
}

/// Creates a library without ffprobe: a film with its NFO file, poster and subtitles, and a show.
fn cinema() -> (Server, Client, i64) {
    let server = Server::with(&program("ledge-example"), &[("LEDGE_FFPROBE", "off")]);
    let media = server.folder().join("media");
    let glass = "Northern Glass (2018)/Northern Glass (2018)";
    write(&media, &format!("{glass}.mkv"), film());
    write(&media, &format!("{glass}.de.forced.srt"), SRT);
    // This file is in Windows-1252.
    let latin = b"1\n0:0:1,0 --> 0:0:2,0\n\xc7a va tr\xe8s bien, d\xe9j\xe0 l\xe0.\n";
    write(&media, &format!("{glass}.fr.srt"), latin);
    write(
        &media,
        &format!("{glass}.en.sdh.ass"),
        "[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,D,,0,0,0,,{\\b1}Hi{\\b0}\\Nyou\n",
    );
    write(
        &media,
        &format!("{glass}.xx.vtt"),
        "WEBVTT\n\n00:01.000 --> 00:02.000 line:0\nHei\n",
    );
    write(&media, &format!("{glass}.it.srt"), "no subtitles at all");
    write(&media, &format!("{glass}.es.ssa"), spanish());
    write(
        &media,
        &format!("{glass}.pt.ass"),
        b"\0\xff[Events]\0\x01\n\x80",
    );
    write(
        &media,
        &format!("{glass}.nfo"),
        "<movie><title>Glass of the North</title><year>2019</year>\
        <plot>Cold.</plot><director>Ann Lee</director><actor><name>Bo Kim</name></actor>\
        <genre>Drama</genre></movie>",
    );
    write(
        &media,
        "Northern Glass (2018)/poster.png",
        ledge_fixtures::png(60, 90, 1),
    );
    for (show, number) in [("Tides", 1), ("Tides", 2), ("Bars", 1)] {
        let folder = format!("Shows/{show}/Season 01");
        write(
            &media,
            &format!("{folder}/{show} S01E0{number}.mp4"),
            ledge_fixtures::mp4("Low Water"),
        );
        write(
            &media,
            &format!("Shows/{show}/poster.png"),
            ledge_fixtures::png(60, 90, number),
        );
        let about = format!("<tvshow><title>The {show}</title><plot>About {show}.</plot></tvshow>");
        write(&media, &format!("Shows/{show}/tvshow.nfo"), about);
    }
    let admin = server.admin();
    let (id, status) = scanned_library(&admin, "Cinema", &media);
    assert_eq!(status["errors"], json!([]), "{status}");
    (server, admin, id)
}

fn file_of(client: &Client, title: &str) -> Value {
    let item = titled(client, title);
    let detail = client.get(&format!("/items/{item}")).expect(200).json();
    detail["files"][0].clone()
}

fn tracks(client: &Client, file: i64) -> Vec<Value> {
    list(&client.get(&format!("/kinds/video/files/{file}/subtitles")))
}

/// Returns the path of the track of a language, below the API's prefix.
fn track(tracks: &[Value], language: &str) -> String {
    let found = tracks.iter().find(|track| track["language"] == language);
    path_of(found.unwrap_or_else(|| panic!("no {language}")))
}

/// Returns the path of the first embedded track.
fn embedded(tracks: &[Value]) -> String {
    let found = tracks.iter().find(|track| track["embedded"] == true);
    path_of(found.expect("a track inside the film"))
}

fn path_of(track: &Value) -> String {
    let url = track["url"].as_str();
    url.and_then(|url| url.strip_prefix("/api/v1"))
        .expect("an address")
        .to_owned()
}

#[test]
fn subtitle_files_and_embedded_tracks_are_listed() {
    let (_server, admin, _) = cinema();
    let file = id_of(&file_of(&admin, "Glass of the North"));
    let tracks = tracks(&admin, file);
    let actual: Vec<(&str, &str, &str, bool, bool)> = tracks
        .iter()
        .map(|track| {
            has_keys(
                track,
                "id label language format formats forced default hearing_impaired embedded url",
            );
            (
                track["label"].as_str().expect("a label"),
                track["language"].as_str().unwrap_or("-"),
                track["format"].as_str().expect("a format"),
                track["forced"] == true,
                track["embedded"] == true,
            )
        })
        .collect();
    assert_eq!(
        actual,
        [
            ("German (forced)", "de", "srt", true, false),
            ("English (SDH)", "en", "ass", false, false),
            ("Spanish", "es", "ass", false, false),
            ("French", "fr", "srt", false, false),
            ("Italian", "it", "srt", false, false),
            ("Portuguese", "pt", "ass", false, false),
            ("xx", "-", "vtt", false, false),
            ("English", "en", "srt", false, true),
        ]
    );
}

#[test]
fn every_track_is_served_as_webvtt() {
    let (_server, admin, _) = cinema();
    let file = id_of(&file_of(&admin, "Glass of the North"));
    let tracks = tracks(&admin, file);
    let served = |path: &str| {
        let answer = admin.get(path).expect(200);
        assert_eq!(answer.header("content-type"), "text/vtt; charset=utf-8");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert!(
            answer
                .header("content-security-policy")
                .starts_with("sandbox")
        );
        String::from_utf8(answer.body).expect("UTF-8")
    };
    let text = |language: &str| served(&track(&tracks, language));
    assert_eq!(
        text("de"),
        "WEBVTT\n\n00:00:01.000 --> 00:00:02.500\n<i>Hallo</i> &amp; &lt;script&gt;x&lt;/script&gt;\n"
    );
    assert_eq!(
        text("fr"),
        "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nÇa va très bien, déjà là.\n"
    );
    assert_eq!(
        text("en"),
        "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n<b>Hi</b>\nyou\n"
    );
    let own = served(&embedded(&tracks));
    assert!(
        own.contains("00:00:01.005 --> 00:00:04.005\nThe light came early this year.\n"),
        "{own}"
    );
    assert!(
        own.contains("00:00:05.005 --> 00:00:09.005\nNobody asked where it had been.\n"),
        "{own}"
    );
    let path = track(&tracks, "it");
    refused(&admin.get(&path), 422, "invalid");
}

/// Returns the path of the same track with its styles.
fn styled(path: &str) -> String {
    let id = path.strip_suffix(".vtt").expect("an address of WebVTT");
    format!("{id}.ass")
}

#[test]
fn substation_alpha_track_is_also_served_unchanged() {
    let (server, admin, _) = cinema();
    let file = id_of(&file_of(&admin, "Glass of the North"));
    let tracks = tracks(&admin, file);
    for track in &tracks {
        let formats = if track["format"] == "ass" {
            json!(["vtt", "ass"])
        } else {
            json!(["vtt"])
        };
        assert_eq!(track["formats"], formats, "{track}");
    }
    let path = styled(&track(&tracks, "es"));
    let answer = admin.get(&path).expect(200);
    for (name, value) in [
        ("content-type", "text/x-ssa; charset=utf-8"),
        ("x-content-type-options", "nosniff"),
        ("cache-control", "private, no-cache"),
    ] {
        assert_eq!(answer.header(name), value);
    }
    assert!(
        answer
            .header("content-security-policy")
            .starts_with("sandbox")
    );
    let etag = answer.header("etag").to_owned();
    assert_eq!(
        String::from_utf8(answer.body).expect("UTF-8"),
        "[Script Info]\nPlayResX: 640\n\n[V4 Styles]\nFormat: Name, Fontsize, PrimaryColour\n\
        Style: Señal,30,255\n\n[Events]\n\
        Format: Marked, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n\
        Dialogue: Marked=0,0:00:05.00,0:00:06.00,Señal,,0,0,0,,{\\pos(9,9)}Mañana <b>será\n\
        Dialogue: Marked=0,0:00:01.00,0:00:02.00,Señal,,0,0,0,,Todavía no, espera\n"
    );
    let again = admin.send("GET", &path, &[("If-None-Match", &etag)], None);
    assert_eq!(again.status, 304);
    let plain = admin.get(&track(&tracks, "es")).expect(200);
    assert_ne!(plain.header("etag"), etag, "another text");

    // Other formats have no styles, and random bytes are not a script.
    for path in [
        track(&tracks, "de"),
        track(&tracks, "fr"),
        embedded(&tracks),
    ] {
        let path = styled(&path);
        refused(&admin.get(&path), 404, "not_found");
    }
    refused(&admin.get(&styled(&track(&tracks, "pt"))), 422, "invalid");

    // The grant of the library is checked in the same way.
    let absent = admin.get("/kinds/video/files/987654321/subtitles/e2.ass");
    let (_, mia) = server.user(&admin, "mia");
    let hidden = mia.get(&path);
    assert_eq!((hidden.status, &hidden.body), (404, &absent.body));
}

/// Returns the film with its subtitles relabelled as SubStation Alpha, at the same length.
fn restyled() -> Vec<u8> {
    let mut film = film();
    let pairs: [(&[u8], &[u8]); 3] = [
        (b"S_TEXT/UTF8", b"S_TEXT/ASS\0"),
        (
            b"The light came early this year.",
            b"1,0,Default,,0,0,0,,{\\i1}Light.",
        ),
        (
            b"Nobody asked where it had been.",
            b"0,7,Default,,0,0,0,,Nobody saw.",
        ),
    ];
    for (plain, script) in pairs {
        let at = film.windows(plain.len()).position(|window| window == plain);
        let at = at.expect("the text");
        film[at..at + plain.len()].copy_from_slice(script);
    }
    film
}

#[test]
fn embedded_script_is_served_with_times_in_order() {
    let (server, admin, _) = cinema();
    let file = id_of(&file_of(&admin, "Glass of the North"));
    let name = "Northern Glass (2018)/Northern Glass (2018).mkv";
    write(&server.folder().join("media"), name, restyled());
    let tracks = tracks(&admin, file);
    let own = tracks.iter().find(|track| track["embedded"] == true);
    assert_eq!(own.expect("a track")["formats"], json!(["vtt", "ass"]));
    let answer = admin.get(&styled(&embedded(&tracks))).expect(200);
    assert_eq!(answer.header("content-type"), "text/x-ssa; charset=utf-8");
    assert_eq!(
        String::from_utf8(answer.body).expect("UTF-8"),
        "[Script Info]\n\n[Events]\n\
        Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n\
        Dialogue: 7,0:00:05.01,0:00:09.01,Default,,0,0,0,,Nobody saw.\n\
        Dialogue: 0,0:00:01.01,0:00:04.01,Default,,0,0,0,,{\\i1}Light.\n"
    );
}

#[test]
fn too_large_script_is_refused() {
    let (server, admin, _) = cinema();
    let file = id_of(&file_of(&admin, "Glass of the North"));
    let path = styled(&track(&tracks(&admin, file), "es"));
    let name = "media/Northern Glass (2018)/Northern Glass (2018).es.ssa";
    let name = server.folder().join(name);
    let endless = [spanish(), vec![b'x'; 4 << 20]].concat();
    fs::write(&name, &endless).expect("written");
    let body = admin.get(&path).expect(200).body;
    assert!(body.len() < 1_000, "the line without an end is left out");
    fs::File::options()
        .write(true)
        .open(&name)
        .and_then(|file| file.set_len((16 << 20) + 1))
        .expect("grown");
    refused(&admin.get(&path), 422, "invalid");
}

#[test]
fn track_is_sent_again_only_after_change() {
    let (server, admin, _) = cinema();
    let file = id_of(&file_of(&admin, "Glass of the North"));
    let path = track(&tracks(&admin, file), "de");
    let etag = admin.get(&path).expect(200).header("etag").to_owned();
    let again = |headers: &[(&str, &str)]| admin.send("GET", &path, headers, None).status;
    assert_eq!(again(&[("If-None-Match", &etag)]), 304);
    assert_eq!(again(&[("If-Match", "\"other\"")]), 412);
    let name = "media/Northern Glass (2018)/Northern Glass (2018).de.forced.srt";
    fs::write(server.folder().join(name), SRT.replace("Hallo", "Moin")).expect("written");
    assert_eq!(again(&[("If-None-Match", &etag)]), 200);
    fs::remove_file(server.folder().join(name)).expect("gone");
    refused(&admin.get(&path), 404, "not_found");
}

#[test]
fn track_of_invisible_film_is_absent() {
    let (server, admin, _) = cinema();
    let file = id_of(&file_of(&admin, "Glass of the North"));
    let base = format!("/kinds/video/files/{file}/subtitles");
    let absent = admin.get("/kinds/video/files/987654321/subtitles/e2.vtt");
    refused(&absent, 404, "not_found");
    for name in [
        "e0.vtt",
        "e02.vtt",
        "e2",
        "e99.vtt",
        "s0.vtt",
        ".vtt",
        "..%2Fe2.vtt",
        "e2.srt",
        "e2.ass",
        "e0.ass",
        "e99.ass",
        "s0.ass",
    ] {
        refused(&admin.get(&format!("{base}/{name}")), 404, "not_found");
    }
    let (_, mia) = server.user(&admin, "mia");
    let hidden = mia.get(&format!("{base}/e2.vtt"));
    assert_eq!((hidden.status, &hidden.body), (404, &absent.body));
    // A link that leads out of the library is not followed, as for any other file.
    let secret = server.folder().join("secret.srt");
    fs::write(&secret, SRT).expect("a file");
    let link = "media/Northern Glass (2018)/Northern Glass (2018).nl.srt";
    std::os::unix::fs::symlink(&secret, server.folder().join(link)).expect("a link");
    let path = track(&tracks(&admin, file), "nl");
    refused(&admin.get(&path), 404, "not_found");
}

#[test]
fn film_has_metadata_of_file_and_nfo() {
    let (_server, admin, _) = cinema();
    let item = titled(&admin, "Glass of the North");
    let detail = until("a cover", || {
        let detail = admin.get(&format!("/items/{item}")).expect(200).json();
        (!detail["cover"].is_null()).then_some(detail)
    });
    assert_eq!(
        (&detail["year"], &detail["description"]),
        (&json!(2019), &json!("Cold."))
    );
    assert_eq!(detail["authors"], "Ann Lee");
    assert_eq!(detail["people"][1]["name"], "Bo Kim");
    assert_eq!(detail["facts"]["genres"], json!(["Drama"]));
    let file = &detail["files"][0];
    assert_eq!(
        (
            &file["container"],
            &file["vcodec"],
            &file["acodec"],
            &file["width"]
        ),
        (
            &json!("matroska"),
            &json!("hevc"),
            &json!("ac3"),
            &json!(640)
        )
    );
    assert_eq!(file["extent"], 11);
    assert_eq!(file["streams"].as_array().map(Vec::len), Some(3));
}

#[test]
fn show_has_metadata_and_poster_of_folder_above_seasons() {
    let (_server, admin, library) = cinema();
    for show in ["The Tides", "The Bars"] {
        let item = titled(&admin, show);
        let detail = until("a cover", || {
            let detail = admin.get(&format!("/items/{item}")).expect(200).json();
            (!detail["cover"].is_null()).then_some(detail)
        });
        let plot = show.replace("The", "About") + ".";
        assert_eq!(detail["description"], plot);
        assert_eq!(
            detail["files"][0]["title"], "Low Water",
            "the episode's own title"
        );
    }
    let again = scan(&admin, library);
    assert_eq!(
        (&again["updated"], &again["errors"]),
        (&json!(0), &json!([]))
    );
    assert_eq!(all_items(&admin, "/items?kind=video").len(), 3);
}
