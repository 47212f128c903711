//! Covers that an administrator uploads or chooses: types, limits, the lock, and the candidates.

use std::fs;
use std::io::Cursor;

use image::{ImageFormat, Rgb, RgbImage};
use ledge_tests::server::{is_idle, scan, until};
use ledge_tests::{Answer, Client};
use serde_json::{Value, json};

use super::{card_with, dimensions, picture, server};
use crate::http::conventions::{has_keys, invalid, refused};

fn encoded(width: u32, height: u32, colour: [u8; 3], format: ImageFormat) -> Vec<u8> {
    let mut body = Cursor::new(Vec::new());
    RgbImage::from_pixel(width, height, Rgb(colour))
        .write_to(&mut body, format)
        .expect("an image");
    body.into_inner()
}

fn put(client: &Client, item: &Value, media_type: &str, body: &[u8]) -> Answer {
    let headers = [("Content-Type", media_type)];
    client.send("PUT", &format!("/items/{item}/cover"), &headers, Some(body))
}

fn choose(client: &Client, item: &Value, candidate: &Value) -> Answer {
    let body = json!({ "candidate": candidate }).to_string();
    put(client, item, "application/json", body.as_bytes())
}

fn detail(client: &Client, item: &Value) -> Value {
    client.get(&format!("/items/{item}")).expect(200).json()
}

/// Returns the candidates of an item.
fn candidates(client: &Client, item: &Value) -> Vec<Value> {
    let list = client.get(&format!("/items/{item}/covers")).expect(200);
    list.json()["items"].as_array().expect("a list").clone()
}

fn sources(candidates: &[Value]) -> Vec<(&str, i64, bool)> {
    candidates
        .iter()
        .map(|one| {
            (
                one["source"].as_str().expect("a source"),
                one["width"].as_i64().expect("a width"),
                one["chosen"] == true,
            )
        })
        .collect()
}

#[test]
fn uploaded_picture_of_each_type_is_the_locked_cover() {
    let (_server, admin, library) = server("media");
    let card = card_with(&admin, |cover| !cover.is_null());
    let item = &card["id"];
    for (media_type, format, width) in [
        ("image/jpeg", ImageFormat::Jpeg, 300),
        ("image/png", ImageFormat::Png, 301),
        ("image/webp; q=1", ImageFormat::WebP, 302),
    ] {
        let body = encoded(width, 400, [20, 90, 200], format);
        let answer = put(&admin, item, media_type, &body).expect(200).json();
        has_keys(&answer, "cover");
        has_keys(&answer["cover"], "url width height tint");
        assert_eq!(answer["cover"]["width"], width);
        let item = detail(&admin, item);
        assert_eq!(item["cover"], answer["cover"]);
        assert_eq!(item["sources"]["cover"], "person");
        assert_eq!(item["locked"], json!(["cover"]));
    }
    scan(&admin, library);
    until("the end of all jobs", || is_idle(&admin).then_some(()));
    assert_eq!(detail(&admin, item)["cover"]["width"], 302);
}

#[test]
fn deleted_choice_returns_to_the_automatic_cover() {
    let (_server, admin, _) = server("media");
    let card = card_with(&admin, |cover| !cover.is_null());
    let item = &card["id"];
    let path = format!("/items/{item}/cover");
    put(&admin, item, "image/jpeg", &picture(300, 400, [1, 2, 250])).expect(200);
    for _ in 0..2 {
        admin.delete(&path).expect(204);
        let now = detail(&admin, item);
        assert_eq!(now["cover"], card["cover"]);
        assert_eq!(
            (&now["sources"]["cover"], &now["locked"]),
            (&json!("file"), &json!([]))
        );
    }
    until("the end of all jobs", || is_idle(&admin).then_some(()));
    assert_eq!(detail(&admin, item)["cover"], card["cover"]);
}

#[test]
fn item_without_picture_has_no_cover_after_deletion() {
    let (server, admin, library) = server("media");
    let card = card_with(&admin, |cover| !cover.is_null());
    let item = &card["id"];
    let file = server.folder().join("media/Satie - Gymnopédies.abc");
    fs::write(file, b"X:1\nno picture").expect("a file");
    scan(&admin, library);
    card_with(&admin, Value::is_null);
    assert_eq!(candidates(&admin, item), Vec::<Value>::new());
    put(&admin, item, "image/png", &ledge_fixtures::png(50, 60, 3)).expect(200);
    admin.delete(&format!("/items/{item}/cover")).expect(204);
    assert_eq!(detail(&admin, item)["cover"], Value::Null);
    let kept = candidates(&admin, item);
    assert_eq!(sources(&kept), [("upload", 50, false)]);
    choose(&admin, item, &kept[0]["id"]).expect(200);
    assert_eq!(detail(&admin, item)["cover"]["width"], 50);
}

#[test]
fn candidates_are_pictures_in_and_beside_files_and_uploads() {
    let (server, admin, library) = server("media");
    let beside = server.folder().join("media/Satie - Gymnopédies.png");
    fs::write(&beside, ledge_fixtures::png(80, 90, 5)).expect("a file");
    scan(&admin, library);
    let card = card_with(&admin, |cover| cover["width"] == 1200);
    let item = &card["id"];
    let found = candidates(&admin, item);
    assert_eq!(
        sources(&found),
        [("embedded", 1200, true), ("folder", 80, false)]
    );
    for one in &found {
        has_keys(one, "id source width height url chosen");
        let url = one["url"].as_str().expect("a path");
        let path = url.strip_prefix("/api/v1").expect("below the API");
        let image = admin.get(&format!("{path}&size=large")).expect(200);
        assert_eq!(image.header("content-type"), "image/jpeg");
        let year = "private, max-age=31536000, immutable";
        assert_eq!(image.header("cache-control"), year);
        let width = i64::from(dimensions(&image.body).0);
        assert_eq!(width, one["width"].as_i64().expect("a width").min(960));
    }
    let chosen = choose(&admin, item, &found[1]["id"]).expect(200).json();
    assert_eq!(chosen["cover"]["width"], 80);
    assert_eq!(detail(&admin, item)["locked"], json!(["cover"]));
    put(&admin, item, "image/jpeg", &picture(70, 70, [9, 9, 9])).expect(200);
    let all = candidates(&admin, item);
    let expected = [
        ("embedded", 1200, false),
        ("folder", 80, false),
        ("upload", 70, true),
    ];
    assert_eq!(sources(&all), expected);
    assert_eq!(
        (&all[0]["id"], &all[1]["id"]),
        (&found[0]["id"], &found[1]["id"])
    );
    // The chosen picture stays a candidate after its file is gone; the others do not.
    choose(&admin, item, &all[1]["id"]).expect(200);
    fs::remove_file(&beside).expect("gone");
    let rest = candidates(&admin, item);
    assert_eq!(
        sources(&rest),
        [
            ("embedded", 1200, false),
            ("folder", 80, true),
            ("upload", 70, false)
        ]
    );
    choose(&admin, item, &all[2]["id"]).expect(200);
    let rest = candidates(&admin, item);
    assert_eq!(
        sources(&rest),
        [("embedded", 1200, false), ("upload", 70, true)]
    );
    invalid(&choose(&admin, item, &all[1]["id"]), "candidate");
    let gone = admin.get(&format!("/items/{item}/covers/{}", all[1]["id"]));
    refused(&gone, 404, "not_found");
}

#[test]
fn unacceptable_covers_are_refused_and_change_nothing() {
    let (_server, admin, _) = server("media");
    let card = card_with(&admin, |cover| !cover.is_null());
    let item = &card["id"];
    let small = picture(40, 40, [1, 1, 1]);
    for media_type in ["image/gif", "text/plain", "application/octet-stream", ""] {
        refused(
            &put(&admin, item, media_type, &small),
            415,
            "unsupported_media_type",
        );
    }
    let path = format!("/items/{item}/cover");
    let untyped = admin.send("PUT", &path, &[], Some(&small));
    refused(&untyped, 415, "unsupported_media_type");
    let gif = encoded(10, 10, [1, 1, 1], ImageFormat::Gif);
    let cut = picture(400, 400, [3, 3, 3]);
    let huge = hostile_png(10_001, 10_000);
    for body in [&b""[..], b"no picture", &gif, &cut[..60], &huge] {
        invalid(&put(&admin, item, "image/jpeg", body), "cover");
    }
    let long = vec![0xff; (20 << 20) + 1];
    refused(
        &put(&admin, item, "image/png", &long),
        413,
        "payload_too_large",
    );
    for (body, field) in [
        (json!({}), "candidate"),
        (json!({"candidate": 987_654}), "candidate"),
        (json!({"candidate": "x"}), "candidate"),
        (json!({"candidate": 1, "size": 2}), "size"),
    ] {
        let body = body.to_string();
        invalid(
            &put(&admin, item, "application/json", body.as_bytes()),
            field,
        );
    }
    refused(
        &put(&admin, item, "application/json", b"{"),
        400,
        "bad_request",
    );
    assert_eq!(detail(&admin, item)["cover"], card["cover"]);
    // The limits themselves are accepted.
    let mut padded = picture(60, 60, [7, 7, 7]);
    padded.resize(20 << 20, 0);
    put(&admin, item, "image/jpeg", &padded).expect(200);
}

/// Returns a PNG whose header declares a size, without the pixels.
fn hostile_png(width: u32, height: u32) -> Vec<u8> {
    let mut png = ledge_fixtures::png(1, 1, 1);
    png[16..20].copy_from_slice(&width.to_be_bytes());
    png[20..24].copy_from_slice(&height.to_be_bytes());
    png
}

#[test]
fn covers_are_for_administrators_with_the_grant() {
    let (server, admin, library) = server("media");
    let card = card_with(&admin, |cover| !cover.is_null());
    let item = &card["id"];
    let (id, user) = server.user(&admin, "mia");
    let grant = format!("/libraries/{library}/grants/{id}");
    admin.send("PUT", &grant, &[], None).expect(204);
    let body = picture(40, 40, [1, 1, 1]);
    let path = format!("/items/{item}/cover");
    let other = candidates(&admin, item)[0]["id"].clone();
    let all = |client: &Client| {
        [
            put(client, item, "image/jpeg", &body).status,
            put(client, item, "image/gif", &body).status,
            client.delete(&path).status,
            client.get(&format!("/items/{item}/covers")).status,
            client.get(&format!("/items/{item}/covers/{other}")).status,
        ]
    };
    assert_eq!(all(&user), [403; 5]);
    let own = admin.get("/auth/me").expect(200).json()["id"].clone();
    admin
        .delete(&format!("/libraries/{library}/grants/{own}"))
        .expect(204);
    assert_eq!(all(&admin), [404; 5]);
    assert_eq!(detail(&user, item)["cover"], card["cover"]);
}

#[test]
fn item_offers_at_most_ten_uploads() {
    let (_server, admin, _) = server("media");
    let card = card_with(&admin, |cover| !cover.is_null());
    let item = &card["id"];
    for width in 20..32 {
        put(&admin, item, "image/png", &ledge_fixtures::png(width, 9, 1)).expect(200);
    }
    let all = candidates(&admin, item);
    let uploads: Vec<_> = sources(&all)
        .into_iter()
        .filter(|row| row.0 == "upload")
        .collect();
    assert_eq!(uploads.len(), 10);
    assert_eq!((uploads[0].1, uploads[9]), (22, ("upload", 31, true)));
}
