//! Settings of providers, and their stored values.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ledge_tests::server::program;
use ledge_tests::{Fake, Reply};
use serde_json::json;

use super::{House, TUNE, work};

#[test]
fn invalid_value_is_named_and_prevents_start() {
    for (variable, value) in [
        ("LEDGE_SHEETCAT_URL", "sheetcat"),
        ("LEDGE_SHEETCAT_URL", "ftp://127.0.0.1"),
        ("LEDGE_VAULT_KEY_FILE", "/no/such/file"),
        ("LEDGE_VAULT_KEY", "   "),
        ("LEDGE_ENRICH", "maybe"),
        ("LEDGE_CONTACT", "me (at home)"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let output = Command::new(program("ledge-example"))
            .arg("serve")
            .env("LEDGE_DATABASE", folder.path().join("ledge.db"))
            .env(variable, value)
            .stdin(Stdio::null())
            .output()
            .expect("the program");
        assert_eq!(output.status.code(), Some(1), "{variable}");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains(&format!("{variable}: ")), "{text}");
        assert_eq!(text.trim().lines().count(), 1, "{text}");
    }
}

#[test]
fn help_lists_every_provider_variable() {
    let output = Command::new(program("ledge-example"))
        .args(["serve", "--help"])
        .output()
        .expect("the program");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    for variable in ["LEDGE_ENRICH", "LEDGE_SHEETCAT_URL", "LEDGE_VAULT_KEY_FILE"] {
        assert!(text.contains(variable), "{text}");
    }
}

#[test]
fn provider_without_key_is_disabled_and_logged_once() {
    let house = House::with(&[TUNE], &[("LEDGE_LOG", "info")]);
    house.enrich(&json!({}));
    let log = house.server.log();
    let lines = log.lines().filter(|line| line.contains("LEDGE_VAULT_KEY"));
    assert_eq!(lines.count(), 1, "{log}");
}

#[test]
fn token_survives_restart_and_is_renewed_when_rejected() {
    let is_expired = Arc::new(AtomicBool::new(false));
    let expired = is_expired.clone();
    let vault = Fake::start(move |asked| {
        if asked.path == "/token" {
            let fresh = if expired.load(Ordering::SeqCst) {
                "second"
            } else {
                "first"
            };
            return Reply::json(&json!({ "token": fresh, "seconds": 5_000_000 }));
        }
        let wanted = if expired.load(Ordering::SeqCst) {
            "Bearer second"
        } else {
            "Bearer first"
        };
        if asked.header("authorization") != wanted {
            return Reply::status(401);
        }
        let work = work("V1", "Si Bheag Si Mhor", "Turlough O'Carolan");
        Reply::json(&json!({ "works": [work] }))
    });
    let url = vault.url();
    let mut house = House::with(
        &[TUNE],
        &[
            ("LEDGE_VAULT_URL", &url),
            ("LEDGE_VAULT_KEY", "hunter2"),
            ("LEDGE_LOG", "trace"),
        ],
    );
    let tokens = || vault.count("/token");
    assert_eq!(house.enrich(&json!({ "force": true }))["matched"], 1);
    house.enrich(&json!({ "force": true }));
    assert_eq!((tokens(), vault.count("/search")), (1, 2));
    assert_eq!(vault.asked()[0].body, b"hunter2");
    let log = house.server.log();
    house.server.terminate();
    house.server.restart();
    house.admin = house.server.admin();
    house.enrich(&json!({ "force": true }));
    assert_eq!(tokens(), 1, "the token is kept");
    is_expired.store(true, Ordering::SeqCst);
    house.enrich(&json!({ "force": true }));
    assert_eq!(tokens(), 2, "and renewed once");
    assert_eq!(house.item(TUNE)["provider_ids"]["vault"], "V1");
    for text in [log, house.server.log()] {
        assert!(
            !text.contains("hunter2") && !text.contains("Bearer"),
            "a secret was logged"
        );
    }
}
