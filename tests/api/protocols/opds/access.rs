//! Credentials, grants and addresses.

use super::{shelf, titles, xml};
use crate::http::conventions::id_of;
use crate::protocols::devices::{Device, issue};

#[test]
fn invisible_content_is_absent_byte_for_byte() {
    let shelf = shelf();
    let (item, file) = (shelf.item("Hidden"), shelf.file("Hidden"));
    let song = shelf.file("song");
    let pairs = [
        (
            format!("/opds/items/{item}"),
            "/opds/items/99999".to_owned(),
        ),
        (
            format!("/opds/items/{item}/cover.jpg"),
            "/opds/items/99999/cover.jpg".to_owned(),
        ),
        (
            format!("/opds/files/{file}/hidden.epub"),
            "/opds/files/99999/hidden.epub".to_owned(),
        ),
        (
            format!("/opds/files/{song}/song.mp3"),
            "/opds/files/99999/song.mp3".to_owned(),
        ),
        (
            format!("/opds/files/{file}/pages/0"),
            "/opds/files/99999/pages/0".to_owned(),
        ),
        (
            format!("/opds/v1.2/publications?library={}", shelf.secret),
            "/opds/v1.2/publications?library=99999".to_owned(),
        ),
    ];
    for (hidden, absent) in pairs {
        let hidden = shelf.app.get(&hidden).expect(404);
        assert_eq!(hidden.body, shelf.app.get(&absent).expect(404).body);
    }
}

#[test]
fn names_and_titles_of_other_libraries_appear_nowhere() {
    let shelf = shelf();
    let people = shelf.admin.get("/people?q=nora").expect(200).json();
    let nora = id_of(&people["items"][0]);
    let of_nora = shelf
        .app
        .get(&format!("/opds/v1.2/publications?author={nora}"))
        .expect(404);
    let absent = shelf
        .app
        .get("/opds/v1.2/publications?author=99999")
        .expect(404);
    assert_eq!(of_nora.body, absent.body);
    for path in [
        "/opds/v1.2/authors",
        "/opds/v1.2/publications",
        "/opds/v1.2/publications?q=hidden",
    ] {
        let feed = shelf.app.get(path).expect(200);
        assert!(
            !String::from_utf8_lossy(&feed.body).contains("Nora"),
            "{path}"
        );
        assert!(!titles(&feed).contains(&"Hidden".to_owned()), "{path}");
    }
    // A grant that ends takes effect at once.
    let users = shelf.admin.get("/users").expect(200).json();
    let mia = users["items"].as_array().expect("users").iter();
    let mia = id_of(
        mia.into_iter()
            .find(|user| user["username"] == "mia")
            .expect("mia"),
    );
    shelf
        .admin
        .delete(&format!("/libraries/{}/grants/{mia}", shelf.books))
        .expect(204);
    assert!(titles(&shelf.app.get("/opds/v1.2/publications").expect(200)).is_empty());
}

#[test]
fn every_route_needs_an_app_password_with_the_scope() {
    let shelf = shelf();
    let (item, file) = (shelf.item("In the Fog"), shelf.file("In the Fog"));
    let anonymous = shelf.server.client().anonymous();
    let places = issue(&shelf.mia, &["places"]);
    let places = Device::new(
        &shelf.server,
        "mia",
        places["secret"].as_str().expect("a secret"),
    );
    for route in ledge_protocol_opds::PROTOCOL.routes {
        let id = if route.path.contains("items") {
            item
        } else {
            file
        };
        let path = route.path.replace("{id}", &id.to_string());
        let path = path.replace("{name}", "x.cbz").replace("{n}", "0");
        let status = anonymous.get(&format!("/{path}")).status;
        let expected = if path == "/opds/auth" { 200 } else { 401 };
        assert_eq!(status, expected, "{path}");
        if path != "/opds/auth" {
            places.get(&path).expect(401);
        }
        shelf.app.get(&path).expect(200);
        assert_eq!(
            shelf.app.get(&path).header("referrer-policy"),
            "no-referrer",
            "{path}"
        );
        shelf.app.send("POST", &path).expect(405);
    }
}

#[test]
fn refusal_contains_the_authentication_document() {
    let shelf = shelf();
    let anonymous = shelf.server.client().anonymous();
    let refused = anonymous.get("//opds/v1.2/publications").expect(401);
    assert_eq!(
        refused.header("content-type"),
        "application/opds-authentication+json"
    );
    assert_eq!(
        refused.header("www-authenticate"),
        "Basic realm=\"Ledge\", charset=\"UTF-8\""
    );
    let address = format!("http://127.0.0.1:{}/opds/auth", shelf.server.port());
    assert!(refused.header("link").starts_with("</opds/auth>;"));
    let document = refused.json();
    assert_eq!(document["id"], address);
    assert_eq!(
        document["authentication"][0]["type"],
        "http://opds-spec.org/auth/basic"
    );
    let open = anonymous.get("//opds/auth").expect(200);
    assert_eq!(open.json(), document);
}

#[test]
fn addresses_are_paths_if_a_stranger_claims_to_be_a_proxy() {
    let shelf = shelf();
    let issued = issue(&shelf.mia, &["publications"]);
    let secret = issued["secret"].as_str().expect("a secret");
    let app = Device::new(&shelf.server, "mia", secret);
    let forwarded = [
        ("X-Forwarded-Proto", "https"),
        ("X-Forwarded-Host", "evil.example"),
    ];
    let feed = app.send_with("GET", "/opds", &forwarded).expect(200);
    let text = xml(&feed);
    assert!(
        text.contains("href=\"/opds\"") && !text.contains("evil"),
        "{text}"
    );
}
