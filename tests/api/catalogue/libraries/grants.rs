//! Grants of libraries: who sees them, and who manages them.

use ledge_tests::Server;
use ledge_tests::server::scan;
use serde_json::{Value, json};

use super::{LIBRARY, SCAN_STATUS, create, folder};
use crate::http::conventions::{has_keys, id_of, invalid, library_of, list, page, refused};

#[test]
fn grants_at_creation_require_existing_users() {
    let server = Server::start();
    let admin = server.admin();
    let (mia, client) = server.user(&admin, "mia");
    let media = folder(&server, "media");
    let create = |grants: Value| {
        let body = json!({"name": "Media", "path": media, "grants": grants});
        admin.post("/libraries", &body)
    };
    invalid(&create(json!([mia, 98765])), "grants");
    assert_eq!(
        list(&admin.get("/libraries")),
        [] as [Value; 0],
        "nothing was made"
    );
    create(json!([mia, mia])).expect(201);
    assert_eq!(list(&client.get("/libraries")).len(), 1);
}

#[test]
fn user_sees_granted_library_without_path() {
    let (server, admin, id) = library_of(&[("A.epub", "a")]);
    create(&admin, "Other", &folder(&server, "other")).expect(201);
    let (mia, client) = server.user(&admin, "mia");
    let path = format!("/libraries/{id}");
    assert_eq!(list(&client.get("/libraries")), [] as [Value; 0]);
    refused(&client.get(&path), 404, "not_found");
    refused(
        &client.get(&format!("{path}/scan/status")),
        404,
        "not_found",
    );
    let grant = format!("{path}/grants/{mia}");
    for _ in 0..2 {
        let answer = admin.send("PUT", &grant, &[], None).expect(204);
        assert!(answer.body.is_empty());
    }
    let seen = list(&client.get("/libraries"));
    assert_eq!(seen.len(), 1);
    has_keys(&seen[0], LIBRARY);
    assert_eq!(
        (&seen[0]["name"], &seen[0]["path"], &seen[0]["granted"]),
        (&json!("Media"), &Value::Null, &json!(true))
    );
    assert_eq!(client.get(&path).expect(200).json(), seen[0]);
    let status = client
        .get(&format!("{path}/scan/status"))
        .expect(200)
        .json();
    has_keys(&status, SCAN_STATUS);
    assert_eq!(page(&client.get(&format!("{path}/items"))).len(), 1);
    let root = server.folder().to_string_lossy().into_owned();
    for path in ["/libraries", "/items", "/missing", "/items/1"] {
        let text = String::from_utf8(client.get(path).body).expect("text");
        assert!(!text.contains(&root), "{path}: {text}");
    }
    for _ in 0..2 {
        admin.delete(&grant).expect(204);
    }
    refused(&client.get(&path), 404, "not_found");
}

#[test]
fn administrator_without_grant_manages_but_cannot_read() {
    let (_server, admin, id) = library_of(&[("A.epub", "a")]);
    let own = id_of(&admin.get("/auth/me").expect(200).json());
    let item = id_of(&page(&admin.get("/items"))[0]);
    let detail = admin.get(&format!("/items/{item}")).expect(200).json();
    let file = id_of(&detail["files"][0]);
    let path = format!("/libraries/{id}");
    admin.delete(&format!("{path}/grants/{own}")).expect(204);
    let shown = admin.get(&path).expect(200).json();
    assert_eq!(shown["granted"], false);
    assert!(shown["path"].is_string(), "{shown}");
    assert_eq!(list(&admin.get("/libraries")), [shown]);
    admin.get(&format!("{path}/scan/status")).expect(200);
    admin.patch(&path, &json!({"name": "Managed"})).expect(200);
    assert_eq!(scan(&admin, id)["status"], "done");
    for path in [
        format!("{path}/items"),
        format!("/items/{item}"),
        format!("/files/{file}/content"),
    ] {
        refused(&admin.get(&path), 404, "not_found");
    }
    assert_eq!(page(&admin.get("/items")), [] as [Value; 0]);
    admin
        .send("PUT", &format!("{path}/grants/{own}"), &[], None)
        .expect(204);
    admin.get(&format!("/items/{item}")).expect(200);
}

#[test]
fn grants_are_listed_and_require_existing_users() {
    let (server, admin, id) = library_of(&[]);
    let (mia, _) = server.user(&admin, "mia");
    let grants = format!("/libraries/{id}/grants");
    let own = id_of(&admin.get("/auth/me").expect(200).json());
    assert_eq!(
        list(&admin.get(&grants)),
        [json!({"user_id": own, "username": "admin"})]
    );
    let put = |path: &str| admin.send("PUT", path, &[], None);
    put(&format!("{grants}/{mia}")).expect(204);
    let listed = list(&admin.get(&grants));
    assert_eq!(listed.len(), 2);
    assert!(listed.contains(&json!({"user_id": mia, "username": "mia"})));
    refused(&put(&format!("{grants}/98765")), 404, "not_found");
    refused(
        &put(&format!("/libraries/98765/grants/{mia}")),
        404,
        "not_found",
    );
    refused(&admin.get("/libraries/98765/grants"), 404, "not_found");
}
