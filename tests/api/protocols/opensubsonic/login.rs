//! Login methods, and their errors in every format.

use std::fmt::Write as _;

use ledge_tests::Answer;
use ledge_tests::server::PASSWORD;
use md5::{Digest as _, Md5};
use roxmltree::Document;

use super::{Music, music};
use crate::protocols::devices::issue;

fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        write!(text, "{byte:02x}").expect("a text");
    }
    text
}

fn token(secret: &str, salt: &str) -> String {
    hex(&Md5::digest(format!("{secret}{salt}")))
}

/// Returns the status in the envelope and the code of an error, of a response in any format.
fn result(answer: &Answer, format: &str) -> (String, Option<i64>) {
    let text = String::from_utf8(answer.body.clone()).expect("UTF-8");
    if format.starts_with("f=xml") || format.is_empty() {
        let document = Document::parse(&text).expect("well-formed XML");
        let root = document.root_element();
        let error = root
            .children()
            .find(|node| node.has_tag_name(("http://subsonic.org/restapi", "error")));
        let code = error.and_then(|error| error.attribute("code")?.parse().ok());
        return (
            root.attribute("status").unwrap_or_default().to_owned(),
            code,
        );
    }
    let json = if format.contains("jsonp") {
        let inside = text
            .strip_prefix("app.read(")
            .and_then(|text| text.strip_suffix(");"));
        inside.expect("a call").to_owned()
    } else {
        text
    };
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let response = &json["subsonic-response"];
    let status = response["status"].as_str().unwrap_or_default().to_owned();
    (status, response["error"]["code"].as_i64())
}

fn anonymous(music: &Music, query: &str) -> Answer {
    let query = query.replace(' ', "+");
    let client = music.server.client().anonymous();
    client.get(&format!("//rest/ping?{query}"))
}

#[test]
fn each_login_works_in_each_format() {
    let music = music();
    let secret = music.app.secret.as_str();
    let enc = hex(secret.as_bytes());
    let t = token(secret, "salt");
    let logins = [
        format!("apiKey={secret}"),
        format!("u=mia&p={secret}"),
        format!("u=MIA&p={secret}"),
        format!("u=mia&p=enc:{enc}"),
        format!("u=mia&t={t}&s=salt"),
        format!("u=mia&t={}&s=salt", t.to_uppercase()),
    ];
    for login in &logins {
        for format in ["", "f=xml", "f=json", "f=jsonp&callback=app.read"] {
            let answer = anonymous(&music, &format!("{login}&{format}")).expect(200);
            assert_eq!(
                result(&answer, format),
                ("ok".to_owned(), None),
                "{login} {format}"
            );
        }
    }
    // The header and the cookie of a session are ignored.
    let answer = music
        .mia
        .get(&format!("//rest/ping.view?{}", logins[0]))
        .expect(200);
    assert_eq!(result(&answer, "").0, "ok");
}

#[test]
fn wrong_logins_have_their_codes_in_each_format() {
    let music = music();
    let secret = music.app.secret.as_str();
    let places = issue(&music.mia, &["places"]);
    let places = places["secret"].as_str().expect("a secret");
    let (empty, t) = (token("", "s"), token(secret, "s"));
    let wrong = [
        (String::new(), 10),
        ("u=mia".to_owned(), 10),
        (format!("u=mia&t={t}"), 10),
        (format!("p={secret}"), 10),
        ("u=mia&p=".to_owned(), 40),
        (format!("u=mia&t={empty}&s=s"), 40),
        ("u=mia&t=abc&s=s".to_owned(), 40),
        (format!("u=mia&t={t}&s="), 40),
        ("u=mia&p=enc:xyz".to_owned(), 40),
        ("u=mia&p=enc:".to_owned(), 40),
        (format!("u=nobody&p={secret}"), 40),
        (format!("u=m%25&p={secret}"), 40),
        (format!("u=mi_&p={secret}"), 40),
        (format!("u=mia&p={PASSWORD}"), 40),
        (format!("u=mia&p={places}"), 40),
        ("apiKey=wrong".to_owned(), 44),
        (format!("apiKey={secret}&u=mia"), 43),
        (format!("u=mia&p={secret}&t={t}&s=s"), 43),
        (format!("u=mia&p={secret}&p={secret}"), 43),
        (format!("u=mia&u=admin&p={secret}"), 43),
        (format!("apiKey={secret}&apiKey={secret}"), 43),
    ];
    for (at, (login, code)) in wrong.iter().enumerate() {
        let formats = ["f=xml", "f=json", "f=jsonp&callback=app.read"];
        let format = formats[at % formats.len()];
        let answer = anonymous(&music, &format!("{login}&{format}"));
        // The rate limit counts failures of one client.
        let limited = answer.status == 429;
        let expected = if limited { 40 } else { *code };
        assert_eq!(
            result(&answer, format),
            ("failed".to_owned(), Some(expected)),
            "{login}"
        );
        if limited {
            assert!(!answer.header("retry-after").is_empty());
        } else {
            assert_eq!(answer.status, 200, "{login}");
        }
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        assert!(!text.contains(secret) && !text.contains("mia"), "{text}");
    }
}

#[test]
fn form_and_query_are_combined() {
    let music = music();
    let client = music.server.client().anonymous();
    let headers = [("Content-Type", "application/x-www-form-urlencoded")];
    let form = format!("u=mia&p={}", music.app.secret);
    let answer = client
        .send(
            "POST",
            "//rest/ping.view?f=json",
            &headers,
            Some(form.as_bytes()),
        )
        .expect(200);
    assert_eq!(result(&answer, "f=json").0, "ok");
    let twice = format!("//rest/ping?u=mia&f=json&p={}", music.app.secret);
    let answer = client
        .send("POST", &twice, &headers, Some(form.as_bytes()))
        .expect(200);
    assert_eq!(result(&answer, "f=json").1, Some(43));
}

#[test]
fn sessions_and_account_passwords_open_nothing() {
    let music = music();
    let password = PASSWORD.replace(' ', "+");
    for query in ["", "u=mia", &format!("u=mia&p={password}")] {
        let answer = music.mia.get(&format!("//rest/getArtists?f=json&{query}"));
        assert_eq!(result(&answer, "f=json").0, "failed", "{query}");
    }
    // The app password opens nothing else.
    music
        .server
        .client()
        .with_token(&music.app.secret)
        .get("/items")
        .expect(401);
    // A disabled user's app passwords are suspended.
    let users = music.admin.get("/users").expect(200).json();
    let users = users["items"].as_array().expect("users").clone();
    let mia = users
        .iter()
        .find(|user| user["username"] == "mia")
        .expect("mia");
    let path = format!("/users/{}", mia["id"]);
    music
        .admin
        .patch(&path, &serde_json::json!({"disabled": true}))
        .expect(200);
    assert_eq!(music.app.code("ping"), 44);
}

#[test]
fn extensions_need_no_login() {
    let music = music();
    let client = music.server.client().anonymous();
    for path in [
        "getOpenSubsonicExtensions",
        "getOpenSubsonicExtensions.view",
    ] {
        let json = client
            .get(&format!("//rest/{path}?f=json"))
            .expect(200)
            .json();
        let extensions = json["subsonic-response"]["openSubsonicExtensions"].clone();
        let names = super::all(&extensions, "name");
        assert!(
            names.contains(&"apiKeyAuthentication".to_owned()),
            "{names:?}"
        );
        assert!(!names.contains(&"transcoding".to_owned()), "{names:?}");
        assert_eq!(extensions[0]["versions"], serde_json::json!([1]));
    }
}
