//! Accounts: management by administrators, and changes they cannot make to their own account.

use std::fs;

use ledge_tests::server::PASSWORD;
use ledge_tests::{Client, Server};
use serde_json::{Value, json};

use crate::http::conventions::{has_keys, id_of, invalid, is_time, library_of, list, refused};

const USER: &str = "id username role disabled created_at last_seen_at";

fn names(admin: &Client) -> Vec<String> {
    let users = list(&admin.get("/users"));
    let name = |user: &Value| user["username"].as_str().expect("a name").to_owned();
    users.iter().map(name).collect()
}

fn own_id(client: &Client) -> i64 {
    id_of(&client.get("/auth/me").expect(200).json())
}

#[test]
fn user_is_created_listed_and_returned() {
    let server = Server::start();
    let admin = server.admin();
    let body = json!({"username": " mia ", "password": PASSWORD});
    let answer = admin.post("/users", &body).expect(201);
    let mia = answer.json();
    has_keys(&mia, USER);
    is_time(&mia["created_at"]);
    assert_eq!(
        (&mia["username"], &mia["role"], &mia["disabled"]),
        (&json!("mia"), &json!("user"), &json!(false))
    );
    assert_eq!(mia["last_seen_at"], Value::Null, "never here");
    let body = json!({"username": "root", "password": PASSWORD, "role": "admin"});
    assert_eq!(
        admin.post("/users", &body).expect(201).json()["role"],
        "admin"
    );
    let users = list(&admin.get("/users"));
    for user in &users {
        has_keys(user, USER);
    }
    assert!(users.contains(&mia));
    assert_eq!(names(&admin), ["admin", "mia", "root"]);
    let detail = admin
        .get(&format!("/users/{}", id_of(&mia)))
        .expect(200)
        .json();
    has_keys(&detail, &format!("{USER} libraries"));
    assert_eq!(detail["libraries"], json!([]));
    let own = list(&admin.get("/users"))[0].clone();
    is_time(&own["last_seen_at"]);
}

#[test]
fn username_is_unique_ignoring_case() {
    let server = Server::start();
    let admin = server.admin();
    let (mia, _) = server.user(&admin, "Mia");
    let (tom, _) = server.user(&admin, "tom");
    for name in ["Mia", "mia", "MIA", " mia "] {
        let body = json!({"username": name, "password": PASSWORD});
        refused(&admin.post("/users", &body), 409, "conflict");
        let rename = admin.patch(&format!("/users/{tom}"), &json!({"username": name}));
        refused(&rename, 409, "conflict");
    }
    assert_eq!(names(&admin), ["admin", "Mia", "tom"]);
    let own = admin.patch(&format!("/users/{mia}"), &json!({"username": "MIA"}));
    assert_eq!(own.expect(200).json()["username"], "MIA");
}

#[test]
fn usernames_and_passwords_have_limits() {
    let server = Server::start();
    let admin = server.admin();
    let (mia, _) = server.user(&admin, "mia");
    let (path, password_path) = (format!("/users/{mia}"), format!("/users/{mia}/password"));
    for name in ["", "  ", "a\nb", "a\u{202e}b", &"x".repeat(65)] {
        let body = json!({"username": name, "password": PASSWORD});
        invalid(&admin.post("/users", &body), "username");
        invalid(&admin.patch(&path, &json!({"username": name})), "username");
    }
    for password in ["", "7 bytes", "äöü", &"x".repeat(1025)] {
        let body = json!({"username": "new", "password": password});
        invalid(&admin.post("/users", &body), "password");
        invalid(
            &admin.put(&password_path, &json!({"password": password})),
            "password",
        );
    }
    for (n, password) in ["8 bytes!", "äöüß", &"x".repeat(1024)].iter().enumerate() {
        let name = format!("user {n}");
        let body = json!({"username": name, "password": password});
        admin.post("/users", &body).expect(201);
        let _ = server.client().sign_in(&name, password);
    }
}

#[test]
fn role_change_applies_to_next_request() {
    let server = Server::start();
    let admin = server.admin();
    let (mia, client) = server.user(&admin, "mia");
    let path = format!("/users/{mia}");
    refused(&client.get("/users"), 403, "forbidden");
    let promoted = admin.patch(&path, &json!({"role": "admin"})).expect(200);
    has_keys(&promoted.json(), USER);
    assert_eq!(promoted.json()["role"], "admin");
    client.get("/users").expect(200);
    admin.patch(&path, &json!({"role": "user"})).expect(200);
    refused(&client.get("/users"), 403, "forbidden");
    let unchanged = admin.patch(&path, &json!({})).expect(200).json();
    assert_eq!(unchanged["username"], "mia");
}

#[test]
fn disabled_user_is_signed_out_until_enabled() {
    let server = Server::start();
    let admin = server.admin();
    let (mia, client) = server.user(&admin, "mia");
    let path = format!("/users/{mia}");
    let disabled = admin.patch(&path, &json!({"disabled": true})).expect(200);
    assert_eq!(disabled.json()["disabled"], true);
    refused(&client.get("/auth/me"), 401, "unauthenticated");
    let login = json!({"username": "mia", "password": PASSWORD});
    refused(
        &server.client().post("/auth/login", &login),
        401,
        "unauthenticated",
    );
    admin.patch(&path, &json!({"disabled": false})).expect(200);
    refused(&client.get("/auth/me"), 401, "unauthenticated");
    let _ = server.client().sign_in("mia", PASSWORD);
}

#[test]
fn deleted_user_loses_sessions_and_id_is_not_reused() {
    let (server, admin, library) = library_of(&[]);
    let (mia, client) = server.user(&admin, "mia");
    admin
        .send(
            "PUT",
            &format!("/libraries/{library}/grants/{mia}"),
            &[],
            None,
        )
        .expect(204);
    let path = format!("/users/{mia}");
    assert!(admin.delete(&path).expect(204).body.is_empty());
    refused(&client.get("/auth/me"), 401, "unauthenticated");
    for answer in [
        admin.get(&path),
        admin.delete(&path),
        admin.patch(&path, &json!({})),
        admin.put(&format!("{path}/password"), &json!({"password": PASSWORD})),
        admin.put(&format!("{path}/libraries"), &json!({"library_ids": []})),
    ] {
        refused(&answer, 404, "not_found");
    }
    assert_eq!(names(&admin), ["admin"]);
    let grants = list(&admin.get(&format!("/libraries/{library}/grants")));
    assert_eq!(grants.len(), 1, "{grants:?}");
    let (again, client) = server.user(&admin, "mia");
    assert!(again > mia, "{again}");
    assert_eq!(list(&client.get("/libraries")), [] as [Value; 0]);
}

#[test]
fn last_enabled_administrator_cannot_be_removed() {
    let server = Server::start();
    let admin = server.admin();
    let own = format!("/users/{}", own_id(&admin));
    let body = json!({"username": "second", "password": PASSWORD, "role": "admin"});
    let second = id_of(&admin.post("/users", &body).expect(201).json());
    let second_path = format!("/users/{second}");
    // A disabled administrator does not count.
    admin
        .patch(&second_path, &json!({"disabled": true}))
        .expect(200);
    for change in [
        json!({"role": "user"}),
        json!({"disabled": true}),
        json!({"username": "renamed", "role": "user"}),
    ] {
        refused(&admin.patch(&own, &change), 409, "conflict");
    }
    refused(&admin.delete(&own), 409, "conflict");
    let unchanged = admin.get(&own).expect(200).json();
    assert_eq!(
        (
            &unchanged["username"],
            &unchanged["role"],
            &unchanged["disabled"]
        ),
        (&json!("admin"), &json!("admin"), &json!(false))
    );
    // Even with a second administrator, a user cannot delete the own account. The other one can.
    admin
        .patch(&second_path, &json!({"disabled": false}))
        .expect(200);
    refused(&admin.delete(&own), 409, "conflict");
    let second = server.client().sign_in("second", PASSWORD);
    second.delete(&own).expect(204);
    refused(&admin.get("/auth/me"), 401, "unauthenticated");
    refused(
        &second.patch(&second_path, &json!({"role": "user"})),
        409,
        "conflict",
    );
    second.get("/users").expect(200);
}

#[test]
fn administrator_can_demote_self_if_another_exists() {
    let server = Server::start();
    let admin = server.admin();
    let body = json!({"username": "second", "password": PASSWORD, "role": "admin"});
    admin.post("/users", &body).expect(201);
    let own = format!("/users/{}", own_id(&admin));
    admin.patch(&own, &json!({"role": "user"})).expect(200);
    refused(&admin.get("/users"), 403, "forbidden");
}

#[test]
fn password_reset_ends_other_sessions() {
    let server = Server::start();
    let admin = server.admin();
    let (mia, client) = server.user(&admin, "mia");
    let reset = |id: i64, password: &str| {
        admin
            .put(
                &format!("/users/{id}/password"),
                &json!({"password": password}),
            )
            .expect(204)
    };
    assert!(reset(mia, "another password").body.is_empty());
    refused(&client.get("/auth/me"), 401, "unauthenticated");
    let _ = server.client().sign_in("mia", "another password");
    let elsewhere = server.admin();
    reset(own_id(&admin), "another password");
    admin.get("/auth/me").expect(200);
    refused(&elsewhere.get("/auth/me"), 401, "unauthenticated");
}

#[test]
fn grants_are_replaced_exactly() {
    let (server, admin, first) = library_of(&[("A.epub", "a")]);
    let second_folder = server.folder().join("second");
    fs::create_dir(&second_folder).expect("a folder");
    let body = json!({"name": "Second", "path": second_folder});
    let second = id_of(&admin.post("/libraries", &body).expect(201).json());
    let (mia, client) = server.user(&admin, "mia");
    let set = |ids: Value| {
        admin.put(
            &format!("/users/{mia}/libraries"),
            &json!({"library_ids": ids}),
        )
    };
    let granted = || admin.get(&format!("/users/{mia}")).expect(200).json()["libraries"].clone();
    let items = || client.get("/items").expect(200).json()["total"].clone();
    assert!(set(json!([first, second])).expect(204).body.is_empty());
    assert_eq!((granted(), items()), (json!([first, second]), json!(1)));
    set(json!([second, second])).expect(204);
    assert_eq!((granted(), items()), (json!([second]), json!(0)));
    invalid(&set(json!([first, 98765])), "library_ids");
    assert_eq!((granted(), items()), (json!([second]), json!(0)));
    set(json!([first])).expect(204);
    assert_eq!((granted(), items()), (json!([first]), json!(1)));
    set(json!([])).expect(204);
    assert_eq!((granted(), items()), (json!([]), json!(0)));
    assert_eq!(list(&client.get("/libraries")), [] as [Value; 0]);
    let absent = admin.put("/users/98765/libraries", &json!({"library_ids": []}));
    refused(&absent, 404, "not_found");
}
