//! Credentials, open routes, refusals and limits.

use serde_json::json;

use super::{Device, message, world};
use crate::protocols::devices::{self, issue};

#[test]
fn login_needs_an_app_password_with_the_scope() {
    let world = world();
    let authorized = world.device.send("GET", "/users/auth", None).expect(200);
    assert_eq!(authorized.json(), json!({ "authorized": "OK" }));
    let secret = |scopes: &[&str]| issue(&world.mia, scopes)["secret"].clone();
    let other = secret(&["publications"]);
    let other = Device::new(&world.server, "mia", other.as_str().expect("a secret"));
    let anonymous = Device::new(&world.server, "", "");
    for device in [&other, &anonymous] {
        for (method, path) in [
            ("GET", "/users/auth"),
            ("GET", "//users/auth"),
            ("PUT", "/syncs/progress"),
            ("PUT", "//syncs/progress"),
            ("GET", "/syncs/progress/d"),
            ("GET", "//syncs/progress/d"),
        ] {
            let refused = device.send(method, path, None).expect(401).json();
            assert_eq!(refused["code"], 2001, "{path}");
            assert!(refused["message"].is_string());
        }
    }
    let basic = secret(&["places"]);
    let basic = devices::Device::new(&world.server, "MIA", basic.as_str().expect("a secret"));
    basic.get("/kosync/users/auth").expect(200);
}

#[test]
fn failures_are_limited_and_the_right_secret_still_passes() {
    let world = world();
    let wrong = Device::new(&world.server, "mia", "wrong");
    for _ in 0..5 {
        wrong.send("GET", "/users/auth", None).expect(401);
    }
    let limited = wrong.send("GET", "/users/auth", None).expect(429);
    assert_eq!(limited.json()["code"], 2000);
    assert!(!limited.header("retry-after").is_empty());
    world.device.send("GET", "/users/auth", None).expect(200);
}

#[test]
fn every_route_is_reached_with_one_or_two_slashes() {
    let world = world();
    let anonymous = Device::new(&world.server, "", "");
    for slash in ["", "/"] {
        let health = anonymous.send("GET", &format!("{slash}/healthcheck"), None);
        assert_eq!(health.expect(200).json(), json!({ "state": "OK" }));
        let path = format!("{slash}/users/create");
        for body in ["", "{", "{\"username\": \"x\", \"password\": \"y\"}"] {
            let refused = anonymous.send("POST", &path, Some(body.as_bytes()));
            assert_eq!(
                refused.expect(402).json(),
                json!({"code": 2005, "message": "Make an app password in Ledge, then log in."})
            );
        }
        let path = format!("{slash}/syncs/progress");
        let body = message("d", "1", 0.5).to_string();
        let stored = world.device.send("PUT", &path, Some(body.as_bytes()));
        assert_eq!(stored.expect(200).json()["document"], "d");
        let found = world.device.send("GET", &format!("{path}/d"), None);
        assert_eq!(found.expect(200).json()["progress"], "1");
    }
}

#[test]
fn pages_of_other_sites_may_sync() {
    let world = world();
    let headers = [
        ("origin", "https://reader.example"),
        ("access-control-request-method", "PUT"),
        ("access-control-request-headers", "x-auth-user,x-auth-key"),
    ];
    let anonymous = world.server.client().anonymous();
    let allowed = anonymous.send("OPTIONS", "//kosync/syncs/progress", &headers, None);
    let allowed = allowed.expect(200);
    assert_eq!(allowed.header("access-control-allow-origin"), "*");
    assert!(
        allowed
            .header("access-control-allow-methods")
            .contains("PUT")
    );
}

#[test]
fn invalid_messages_have_the_codes_of_the_protocol() {
    let world = world();
    for (field, value, code) in [
        ("document", json!(null), 2004),
        ("document", json!("a:b"), 2004),
        ("document", json!("x".repeat(129)), 2004),
        ("progress", json!(null), 2003),
        ("progress", json!("x".repeat(1025)), 2003),
        ("percentage", json!(1.5), 2003),
        ("device", json!("x".repeat(101)), 2003),
    ] {
        let mut message = message("d", "1", 0.5);
        message[field] = value;
        let refused = world.device.put(&message).expect(403).json();
        assert_eq!(refused["code"], code, "{field}");
    }
    let large = vec![b' '; (1 << 20) + 1];
    let refused = world.device.send("PUT", "/syncs/progress", Some(&large));
    assert_eq!(refused.expect(413).json()["code"], 2000);
    for document in ["unknown", "a:b", "%FF", &"x".repeat(300)] {
        assert_eq!(world.device.get(document), json!({}));
    }
}
