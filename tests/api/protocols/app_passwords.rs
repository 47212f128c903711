//! App passwords: their life, their scopes, and that nothing else opens a protocol.

use std::fs;

use ledge_tests::server::{PASSWORD, program, until};
use ledge_tests::{Client, Server};
use serde_json::{Value, json};

use super::devices::{Device, issue, reader};
use crate::http::conventions::{has_keys, id_of, invalid, refused};

/// Returns a server with an ordinary user, the user's id and client.
fn server() -> (Server, Client, (i64, Client)) {
    let server = Server::start();
    let admin = server.admin();
    let mia = server.user(&admin, "mia");
    (server, admin, mia)
}

fn list(owner: &Client) -> Vec<Value> {
    let answer = owner.get("/app-passwords").expect(200).json();
    answer["items"].as_array().expect("a list").clone()
}

#[test]
fn secret_is_in_the_response_to_its_creation_only() {
    let server = Server::with(&program("ledge-example"), &[("LEDGE_LOG", "debug")]);
    let (_, mia) = server.user(&server.admin(), "mia");
    let issued = issue(&mia, &["publications", "places", "places"]);
    has_keys(
        &issued,
        "id name scopes pages_move_place created_at last_used_at last_address last_client \
         last_protocol secret",
    );
    assert_eq!(issued["scopes"], json!(["publications", "places"]));
    assert_eq!(issued["pages_move_place"], false);
    let secret = issued["secret"].as_str().expect("a secret");
    assert_eq!(secret.len(), 20);
    assert!(
        secret
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    );
    let listed = list(&mia);
    assert_eq!(listed.len(), 1);
    assert!(listed[0].get("secret").is_none());
    // Neither the database nor the log contains the secret.
    Device::new(&server, "mia", secret).get("/opds").expect(200);
    for suffix in ["", "-wal"] {
        let mut path = server.database().into_os_string();
        path.push(suffix);
        let bytes = fs::read(path).unwrap_or_default();
        let is_inside = bytes
            .windows(secret.len())
            .any(|part| part == secret.as_bytes());
        assert!(!is_inside, "{suffix}");
    }
    assert!(!server.log().contains(secret));
}

#[test]
fn names_scopes_and_number_are_limited() {
    let (_server, _, (_, mia)) = server();
    let body = |name: &str, scopes: Value| json!({"name": name, "scopes": scopes});
    let create = |body: Value| mia.post("/app-passwords", &body);
    invalid(&create(body("", json!(["places"]))), "name");
    invalid(&create(body("a\nb", json!(["places"]))), "name");
    invalid(&create(body(&"x".repeat(201), json!(["places"]))), "name");
    invalid(&create(body("a", json!([]))), "scopes");
    invalid(&create(body("a", json!(["everything"]))), "scopes");
    for _ in 0..32 {
        issue(&mia, &["places"]);
    }
    refused(&create(body("a", json!(["places"]))), 409, "conflict");
    let first = id_of(&list(&mia)[0]);
    mia.delete(&format!("/app-passwords/{first}")).expect(204);
    create(body("a", json!(["places"]))).expect(201);
}

#[test]
fn app_passwords_of_others_are_absent() {
    let (server, admin, (mia_id, mia)) = server();
    let (_, ben) = server.user(&admin, "ben");
    let id = id_of(&issue(&mia, &["publications"]));
    let path = format!("/app-passwords/{id}");
    for other in [&ben, &admin] {
        let absent = other.patch("/app-passwords/999", &json!({})).expect(404);
        assert_eq!(other.patch(&path, &json!({})).expect(404).body, absent.body);
        other.delete(&path).expect(404);
        assert!(list(other).is_empty());
    }
    let changed = mia.patch(&path, &json!({"name": "Phone", "pages_move_place": true}));
    let changed = changed.expect(200).json();
    assert_eq!(
        (&changed["name"], &changed["pages_move_place"]),
        (&json!("Phone"), &json!(true))
    );
    // An administrator reads names and times, and revokes.
    let of_mia = format!("/users/{mia_id}/app-passwords");
    let seen = admin.get(&of_mia).expect(200).json();
    assert_eq!(seen["items"][0]["name"], "Phone");
    admin.get("/users/999/app-passwords").expect(404);
    admin.delete(&format!("{of_mia}/999")).expect(404);
    ben.get(&of_mia).expect(403);
    admin.delete(&format!("{of_mia}/{id}")).expect(204);
    assert!(list(&mia).is_empty());
}

#[test]
fn only_app_passwords_open_a_protocol_and_they_open_nothing_else() {
    let (server, _, (_, mia)) = server();
    let secret = issue(&mia, &["publications"]);
    let secret = secret["secret"].as_str().expect("a secret");
    let anonymous = server.client().anonymous();
    let status = |headers: &[(&str, &str)]| anonymous.send("GET", "//opds", headers, None).status;
    assert_eq!(status(&[]), 401);
    let token = mia.token().expect("a token");
    assert_eq!(
        status(&[("Authorization", &format!("Bearer {token}"))]),
        401
    );
    assert_eq!(
        status(&[("Cookie", &format!("ledge_session={token}"))]),
        401
    );
    for (name, secret, expected) in [
        ("mia", secret, 200),
        ("MIA", secret, 200),
        ("mia", PASSWORD, 401),
        ("mia", token, 401),
        ("mia", "", 401),
        ("", secret, 401),
        ("admin", secret, 401),
        ("nobody", secret, 401),
        ("mia%", secret, 401),
    ] {
        let answer = Device::new(&server, name, secret).get("/opds");
        assert_eq!(answer.status, expected, "{name}");
    }
    let bearer = format!("Bearer {secret}");
    let api = anonymous.send("GET", "/auth/me", &[("Authorization", &bearer)], None);
    refused(&api, 401, "unauthenticated");
    let cookie = format!("ledge_session={secret}");
    let api = anonymous.send("GET", "/auth/me", &[("Cookie", &cookie)], None);
    refused(&api, 401, "unauthenticated");
}

#[test]
fn scope_is_required() {
    let (server, _, (_, mia)) = server();
    let secret = issue(&mia, &["recordings", "places"]);
    let secret = secret["secret"].as_str().expect("a secret");
    let answer = Device::new(&server, "mia", secret).get("/opds").expect(401);
    let reason = answer.json()["description"].clone();
    assert!(
        reason
            .as_str()
            .is_some_and(|text| text.contains("publications")),
        "{answer:?}"
    );
    assert!(!answer.header("www-authenticate").is_empty());
}

#[test]
fn app_password_ends_with_its_deletion_and_with_a_new_password() {
    let (server, admin, (id, mia)) = server();
    let device = reader(&server, &mia, "mia");
    device.get("/opds").expect(200);
    let first = id_of(&list(&mia)[0]);
    mia.delete(&format!("/app-passwords/{first}")).expect(204);
    device.get("/opds").expect(401);
    // The user's own change ends app passwords unless the user keeps them.
    let kept = reader(&server, &mia, "mia");
    let change = |from: &str, to: &str, keeps: bool| {
        let body = json!({"current_password": from, "new_password": to,
                          "keep_app_passwords": keeps});
        mia.put("/auth/password", &body).expect(204);
    };
    change(PASSWORD, "purple staple shark", true);
    kept.get("/opds").expect(200);
    change("purple staple shark", PASSWORD, false);
    kept.get("/opds").expect(401);
    // A reset by an administrator ends them too.
    let reset = reader(&server, &mia, "mia");
    reset.get("/opds").expect(200);
    let body = json!({"password": "another long one"});
    admin
        .put(&format!("/users/{id}/password"), &body)
        .expect(204);
    reset.get("/opds").expect(401);
}

#[test]
fn app_password_is_suspended_with_its_user_and_deleted_with_it() {
    let (server, admin, (id, mia)) = server();
    let device = reader(&server, &mia, "mia");
    let user = format!("/users/{id}");
    admin.patch(&user, &json!({"disabled": true})).expect(200);
    device.get("/opds").expect(401);
    admin.patch(&user, &json!({"disabled": false})).expect(200);
    device.get("/opds").expect(200);
    admin.delete(&user).expect(204);
    device.get("/opds").expect(401);
}

#[test]
fn failures_are_limited_but_a_correct_secret_passes() {
    let (server, _, (_, mia)) = server();
    let right = reader(&server, &mia, "mia");
    let wrong = Device::new(&server, "mia", "00000000000000000000");
    for _ in 0..5 {
        wrong.get("/opds").expect(401);
    }
    let limited = wrong.get("/opds");
    refused(&limited, 429, "too_many_requests");
    assert!(!limited.header("retry-after").is_empty());
    right.get("/opds").expect(200);
    // The login of the web interface has limits of its own.
    let signed_in = server.client().anonymous().sign_in("mia", PASSWORD);
    signed_in.get("/auth/me").expect(200);
}

#[test]
fn last_use_is_recorded() {
    let (server, _, (_, mia)) = server();
    let device = reader(&server, &mia, "mia");
    device.get("/opds").expect(200);
    let used = until("a recorded use", || {
        let password = list(&mia).remove(0);
        (!password["last_used_at"].is_null()).then_some(password)
    });
    assert_eq!(used["last_address"], "127.0.0.1");
    assert_eq!(used["last_protocol"], "opds");
}

#[test]
fn lost_key_leaves_other_logins_intact() {
    let (mut server, _, (_, mia)) = server();
    let secret = issue(&mia, &["publications"]);
    let secret = secret["secret"].as_str().expect("a secret").to_owned();
    server.terminate();
    let key = server.database().with_extension("key");
    assert_eq!(fs::read(&key).expect("a key").len(), 32);
    fs::remove_file(&key).expect("lost");
    server.restart();
    Device::new(&server, "mia", &secret)
        .get("/opds")
        .expect(200);
    assert!(key.exists());
}

#[test]
fn disabled_protocol_is_absent() {
    let server = Server::with(&program("ledge-example"), &[("LEDGE_PROTOCOLS", "off")]);
    let admin = server.admin();
    let device = reader(&server, &admin, "admin");
    let unknown = device.get("/opds/unknown").expect(404);
    assert_eq!(device.get("/opds").expect(404).body, unknown.body);
    let protocols = admin.get("/protocols").expect(200).json();
    assert_eq!(protocols["items"], json!([]));
}

#[test]
fn protocols_are_listed_with_addresses_and_steps() {
    let (server, _, (_, mia)) = server();
    let protocols = mia.get("/protocols").expect(200).json();
    let opds = &protocols["items"][0];
    has_keys(opds, "id label scope address app_address setup");
    assert_eq!(
        (&opds["id"], &opds["scope"]),
        (&json!("opds"), &json!("publications"))
    );
    let address = format!("http://127.0.0.1:{}/opds", server.port());
    assert_eq!(opds["address"], address);
    assert_eq!(opds["app_address"], address);
    // Music apps add the mount themselves.
    let music = &protocols["items"][1];
    let origin = format!("http://127.0.0.1:{}", server.port());
    assert_eq!(
        (&music["address"], &music["app_address"]),
        (&json!(format!("{origin}/rest")), &json!(origin))
    );
    assert!(
        opds["setup"]
            .as_array()
            .is_some_and(|steps| !steps.is_empty())
    );
}
