//! Bookmarks and highlights: access, validation and order.

use ledge_tests::Client;
use serde_json::{Value, json};

use crate::http::conventions::{
    has_keys, id_of, invalid, is_time, library_of, list, page, refused,
};

const KEYS: &str = "id file_id position locator type text note color created_at";

fn shelf() -> (ledge_tests::Server, Client, String, Vec<i64>) {
    let (server, admin, _) = library_of(&[
        ("Album/01 - One.mp3", "a"),
        ("Album/02 - Two.mp3", "b"),
        ("Emma.epub", "c"),
    ]);
    let items = page(&admin.get("/items"));
    let album = items.iter().find(|item| item["kind"] == "audio");
    let album = format!("/items/{}", id_of(album.expect("an album")));
    let detail = admin.get(&album).expect(200).json();
    let files = detail["files"].as_array().expect("files");
    let files = files.iter().map(id_of).collect();
    (server, admin, format!("{album}/annotations"), files)
}

#[test]
fn annotations_are_created_listed_changed_and_deleted() {
    let (_server, admin, path, files) = shelf();
    assert_eq!(list(&admin.get(&path)), [] as [Value; 0]);
    let sent = json!({
        "file_id": files[1], "position": 7, "type": "highlight", "locator": "/4/2:7",
        "text": "It is a truth", "note": "Why?", "color": "#ffcc00",
    });
    let made = admin.post(&path, &sent).expect(201).json();
    has_keys(&made, KEYS);
    is_time(&made["created_at"]);
    for (key, value) in sent.as_object().expect("an object") {
        assert_eq!(&made[key], value, "{key}");
    }
    let least = json!({"file_id": files[1], "position": 3, "type": "bookmark"});
    let bookmark = admin.post(&path, &least).expect(201).json();
    assert_eq!(
        (
            &bookmark["text"],
            &bookmark["note"],
            &bookmark["color"],
            &bookmark["locator"]
        ),
        (&Value::Null, &Value::Null, &Value::Null, &Value::Null)
    );
    let first = json!({"file_id": files[0], "position": 99, "type": "bookmark"});
    let first = admin.post(&path, &first).expect(201).json();
    assert_eq!(list(&admin.get(&path)), [first, bookmark, made.clone()]);

    let own = format!("{path}/{}", made["id"]);
    let change = json!({"note": null, "color": "yellow", "position": 8});
    let changed = admin.patch(&own, &change).expect(200).json();
    let mut expected = made.clone();
    expected["note"] = Value::Null;
    expected["color"] = json!("yellow");
    expected["position"] = json!(8);
    assert_eq!(changed, expected);
    assert_eq!(admin.patch(&own, &json!({})).expect(200).json(), expected);
    assert_eq!(list(&admin.get(&path))[2], expected);
    admin.delete(&own).expect(204);
    refused(&admin.delete(&own), 404, "not_found");
    assert_eq!(list(&admin.get(&path)).len(), 2);
}

#[test]
fn invalid_field_is_named() {
    let (_server, admin, path, files) = shelf();
    let other = page(&admin.get("/items?kind=books"));
    let other = admin
        .get(&format!("/items/{}", id_of(&other[0])))
        .expect(200)
        .json();
    let good = json!({"file_id": files[0], "position": 1, "type": "bookmark"});
    let made = admin.post(&path, &good).expect(201).json();
    let own = format!("{path}/{}", made["id"]);
    for (field, value) in [
        ("file_id", other["files"][0]["id"].clone()),
        ("file_id", json!(987_654_321)),
        ("file_id", Value::Null),
        ("file_id", json!("1")),
        ("position", json!(-1)),
        ("position", json!(1.5)),
        ("position", Value::Null),
        ("type", json!("stain")),
        ("type", Value::Null),
        ("text", json!("x".repeat(10_001))),
        ("note", json!("x".repeat(10_001))),
        ("locator", json!("x".repeat(1025))),
        ("color", json!("")),
        ("color", json!("#ff")),
        ("color", json!("#gggggg")),
        ("color", json!("red;background:url(x)")),
        ("color", json!("x".repeat(33))),
        ("user_id", json!(1)),
    ] {
        let mut body = good.clone();
        body[field] = value.clone();
        invalid(&admin.post(&path, &body), field);
        if !["file_id", "type"].contains(&field) {
            invalid(&admin.patch(&own, &json!({ field: value })), field);
        }
    }
    invalid(&admin.patch(&own, &json!({"type": "highlight"})), "type");
    for field in ["text", "note"] {
        let mut body = good.clone();
        body[field] = json!("ü".repeat(10_000));
        admin.post(&path, &body).expect(201);
    }
    assert_eq!(list(&admin.get(&path)).len(), 3);
    assert_eq!(list(&admin.get(&path))[0], made);
}

#[test]
fn only_file_is_default() {
    let (_server, admin, _, _) = shelf();
    let book = id_of(&page(&admin.get("/items?kind=books"))[0]);
    let path = format!("/items/{book}/annotations");
    let body = json!({"position": 0, "type": "bookmark"});
    let made = admin.post(&path, &body).expect(201).json();
    let detail = admin.get(&format!("/items/{book}")).expect(200).json();
    assert_eq!(made["file_id"], detail["files"][0]["id"]);
}

#[test]
fn annotations_are_private_to_user() {
    let (server, admin, path, files) = shelf();
    let (mia, client) = server.user(&admin, "mia");
    refused(&client.get(&path), 404, "not_found");
    let library = id_of(&list(&admin.get("/libraries"))[0]);
    let grant = format!("/libraries/{library}/grants/{mia}");
    admin.send("PUT", &grant, &[], None).expect(204);
    let body = json!({"file_id": files[0], "position": 1, "type": "bookmark"});
    let made = admin.post(&path, &body).expect(201).json();
    let own = format!("{path}/{}", made["id"]);
    assert_eq!(list(&client.get(&path)), [] as [Value; 0]);
    refused(&client.patch(&own, &json!({"note": "x"})), 404, "not_found");
    // Absence is checked before the body.
    refused(&client.patch(&own, &json!({"nope": "x"})), 404, "not_found");
    refused(&client.delete(&own), 404, "not_found");
    // They do not belong to another item either.
    let book = id_of(&page(&admin.get("/items?kind=books"))[0]);
    let elsewhere = format!("/items/{book}/annotations/{}", made["id"]);
    refused(
        &admin.patch(&elsewhere, &json!({"note": "x"})),
        404,
        "not_found",
    );
    refused(&admin.delete(&elsewhere), 404, "not_found");
    let id = &made["id"];
    let odd = [
        format!("+{id}"),
        format!("%2B{id}"),
        format!("00{id}"),
        format!("%20{id}"),
    ];
    let absent = ["0", "x", "99999999999999999999", "987654321"].map(str::to_owned);
    for id in odd.iter().chain(&absent) {
        refused(&admin.delete(&format!("{path}/{id}")), 404, "not_found");
    }
    assert_eq!(list(&admin.get(&path)), [made]);
}

#[test]
fn revoked_grant_hides_annotations_until_restored() {
    let (server, admin, path, files) = shelf();
    let (mia, client) = server.user(&admin, "mia");
    let library = id_of(&list(&admin.get("/libraries"))[0]);
    let grant = format!("/libraries/{library}/grants/{mia}");
    admin.send("PUT", &grant, &[], None).expect(204);
    let body = json!({"file_id": files[0], "position": 1, "type": "bookmark"});
    let made = client.post(&path, &body).expect(201).json();
    let own = format!("{path}/{}", made["id"]);
    admin.delete(&grant).expect(204);
    for answer in [
        client.get(&path),
        client.post(&path, &body),
        client.patch(&own, &json!({"note": "x"})),
        client.delete(&own),
    ] {
        refused(&answer, 404, "not_found");
    }
    admin.send("PUT", &grant, &[], None).expect(204);
    assert_eq!(list(&client.get(&path)), [made]);
}

#[test]
fn item_accepts_four_mebibytes_of_annotations_per_user() {
    let (server, admin, path, files) = shelf();
    let words = "ü".repeat(10_000);
    let body = json!({
        "file_id": files[0], "position": 1, "type": "highlight", "text": words, "note": words,
    });
    // Each annotation takes 40,000 bytes.
    let made: Vec<Value> = (0..104)
        .map(|_| admin.post(&path, &body).expect(201).json())
        .collect();
    let full = admin.post(&path, &body);
    refused(&full, 409, "conflict");
    let message = full.json()["error"]["message"].to_string();
    assert!(message.contains("4 MiB"), "{message}");
    let other = json!({"file_id": files[1], "position": 1, "type": "bookmark"});
    let short = admin.post(&path, &other).expect(201).json();
    let longer = json!({"text": words, "note": words});
    let own = |annotation: &Value| format!("{path}/{}", annotation["id"]);
    refused(&admin.patch(&own(&short), &longer), 409, "conflict");
    admin
        .patch(&own(&made[0]), &json!({"note": null}))
        .expect(200);
    admin
        .patch(&own(&short), &json!({"note": words}))
        .expect(200);
    assert_eq!(list(&admin.get(&path)).len(), 105);
    let (mia, client) = server.user(&admin, "mia");
    let library = id_of(&list(&admin.get("/libraries"))[0]);
    let grant = format!("/libraries/{library}/grants/{mia}");
    admin.send("PUT", &grant, &[], None).expect(204);
    client.post(&path, &body).expect(201);
}

#[test]
fn only_present_file_is_default() {
    let (server, admin, path, files) = shelf();
    let body = json!({"position": 0, "type": "bookmark"});
    let message = |answer: &ledge_tests::Answer| {
        invalid(answer, "file_id");
        answer.json()["error"]["message"]
            .as_str()
            .map(str::to_owned)
    };
    let progress = path.replace("annotations", "progress");
    let place = json!({"position": 0});
    let several = Some("The item has several files: name one of them in `file_id`.".to_owned());
    assert_eq!(message(&admin.post(&path, &body)), several);
    assert_eq!(message(&admin.put(&progress, &place)), several);
    let unknown = Some("The item has no such file.".to_owned());
    let named = json!({"position": 0, "type": "bookmark", "file_id": 98765});
    assert_eq!(message(&admin.post(&path, &named)), unknown);
    let named = json!({"position": 0, "file_id": 98765});
    assert_eq!(message(&admin.put(&progress, &named)), unknown);
    let media = server.folder().join("media");
    std::fs::remove_file(media.join("Album/01 - One.mp3")).expect("gone");
    let library = id_of(&list(&admin.get("/libraries"))[0]);
    assert_eq!(ledge_tests::server::scan(&admin, library)["missing"], 1);
    let made = admin.post(&path, &body).expect(201).json();
    assert_eq!(made["file_id"], files[1]);
    let saved = admin.put(&progress, &place).expect(200).json();
    assert_eq!(saved["file_id"], files[1]);
}
