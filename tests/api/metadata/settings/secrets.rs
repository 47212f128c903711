//! Keys of providers: encrypted at rest, never returned, and lost with the key file.

use std::fs;

use ledge_tests::server::is_idle;

use super::*;

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes
        .windows(text.len())
        .any(|part| part == text.as_bytes())
}

#[test]
fn stored_key_is_used_at_once_and_is_encrypted_at_rest() {
    let backups = tempfile::tempdir().expect("a folder");
    let folder = backups.path().to_str().expect("a path");
    let mut house = House::with(&[("LEDGE_BACKUP_DIR", folder), ("LEDGE_LOG", "trace")]);
    let events = house.admin.events();
    let changed = house.store_key(KEY);
    assert_eq!(house.key()["source"], "stored");
    house.change(&json!({ "order": { "sheets": ["vault"] } }));
    assert_eq!(house.enrich()["matched"], 1);
    assert_eq!(house.match_ids()["vault"], "V1");
    assert_eq!(
        house.vault.asked()[0].body,
        KEY.as_bytes(),
        "it is sent to the provider"
    );
    let seen = events.until(|name, data| name == "enrichment" && data["status"] == "done");
    let queued = house.admin.post("/backups", &json!({})).expect(202).json();
    ended(&house.admin, &queued["job_id"]);
    let texts = [
        changed.to_string(),
        house.settings().to_string(),
        house.test("vault").to_string(),
        house
            .admin
            .get("/jobs?limit=500")
            .expect(200)
            .json()
            .to_string(),
        format!("{seen:?}"),
        house.server.log(),
    ];
    for text in texts {
        assert!(!text.contains(KEY), "a key was shown: {text}");
    }
    let export = house.admin.get("/me/export").expect(200);
    assert!(!contains(&export.body, KEY));
    let mut files = 0;
    for folder in [house.server.folder(), backups.path()] {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_file() {
                files += 1;
                let bytes = fs::read(&path).expect("a file");
                assert!(!contains(&bytes, KEY), "{}", path.display());
            }
        }
    }
    assert!(
        files >= 4,
        "database, log of writes, key and backup: {files}"
    );
    let wal = house.server.folder().join("ledge.db-wal");
    assert!(
        fs::metadata(wal).is_ok_and(|wal| wal.len() > 0),
        "the log of writes is in use"
    );
    house.restart();
    assert_eq!(house.key()["source"], "stored");
    assert_eq!(house.enrich()["matched"], 1);
}

#[test]
fn deleted_key_closes_its_provider() {
    let house = House::new();
    house.store_key(KEY);
    assert_eq!(house.test("vault")["ok"], true);
    let settings = json!({ "LEDGE_VAULT_KEY": null });
    house.change(&json!({ "providers": { "vault": { "settings": settings } } }));
    assert_eq!(house.key()["set"], false);
    let test = house.test("vault");
    assert_eq!(test["outcome"], "incomplete");
    assert!(
        test["message"].to_string().contains("LEDGE_VAULT_KEY"),
        "{test}"
    );
}

#[test]
fn new_key_replaces_the_token_of_the_previous_one() {
    let house = House::new();
    house.store_key(KEY);
    house.change(&json!({ "order": { "sheets": ["vault"] } }));
    house.enrich();
    house.enrich();
    assert_eq!(house.vault.count("/token"), 1);
    house.store_key("another-key");
    house.enrich();
    assert_eq!(house.vault.count("/token"), 2);
    let bodies: Vec<Vec<u8>> = house
        .vault
        .asked()
        .into_iter()
        .map(|one| one.body)
        .collect();
    assert!(bodies.contains(&b"another-key".to_vec()));
}

#[test]
fn replaced_key_file_loses_only_the_stored_keys() {
    let mut house = House::with(&[("LEDGE_LOG", "info")]);
    house.store_key(KEY);
    let languages = json!(["de"]);
    house.change(&json!({ "languages": languages, "after_scans": true }));
    for key_file in [Some([7_u8; 32]), None] {
        house.server.terminate();
        match key_file {
            Some(bytes) => fs::write(house.key_file(), bytes).expect("a key"),
            None => fs::remove_file(house.key_file()).expect("a key"),
        }
        house.restart();
        let key = house.key();
        assert_eq!(
            (&key["set"], &key["source"]),
            (&json!(false), &json!("absent"))
        );
        assert_eq!(key["is_unreadable"], true);
        let settings = house.settings();
        assert_eq!(settings["languages"], languages);
        assert_eq!(settings["after_scans"], true);
        assert_eq!(house.test("vault")["outcome"], "incomplete");
        assert_eq!(house.enrich()["matched"], 1, "the other providers work");
        let log = house.server.log();
        assert!(log.contains("key file of the server was replaced"), "{log}");
        house.store_key(KEY);
        assert_eq!(house.key()["source"], "stored");
        assert_eq!(house.key()["is_unreadable"], false);
        assert_eq!(house.test("vault")["ok"], true);
    }
    ledge_tests::server::until("idle", || is_idle(&house.admin).then_some(()));
}
