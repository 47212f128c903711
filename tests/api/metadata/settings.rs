//! Settings of metadata providers, changed by administrators while the server runs.

mod checks;
mod secrets;

use std::fs;
use std::path::PathBuf;

use ledge_tests::server::{program, scan, scanned_library, until};
use ledge_tests::{Asked, Client, Fake, Reply, Server};
use serde_json::{Value, json};

use super::enrich::ended;

const TUNE: &str = "Turlough O'Carolan - Si Bheag Si Mhor.abc";
const SETTINGS: &str = "/metadata/settings";
/// A key of the vault, which must never appear outside of its requests.
const KEY: &str = "k3y-of-the-vault-7f2c91";

/// Server with one tune, and three catalogues that have it. The vault has no key.
struct House {
    server: Server,
    admin: Client,
    library: i64,
    sheetcat: Fake,
    tunebook: Fake,
    vault: Fake,
}

/// Replies with a work to every search.
fn catalogue(id: &'static str) -> impl Fn(&Asked) -> Reply + Send + Sync {
    move |asked| {
        let work = json!({
            "id": id, "title": "Si Bheag, Si Mhor", "authors": ["Turlough O'Carolan"],
        });
        match asked.path.as_str() {
            "/token" => Reply::json(&json!({ "token": "issued", "seconds": 5_000_000 })),
            path if path.starts_with("/search") => Reply::json(&json!({ "works": [work] })),
            _ => Reply::status(404),
        }
    }
}

impl House {
    fn new() -> Self {
        Self::with(&[])
    }

    fn with(further: &[(&str, &str)]) -> Self {
        let [sheetcat, tunebook, vault] = ["SC1", "TB1", "V1"].map(|id| Fake::start(catalogue(id)));
        let (one, two, three) = (sheetcat.url(), tunebook.url(), vault.url());
        let mut settings = vec![
            ("LEDGE_SHEETCAT_URL", one.as_str()),
            ("LEDGE_TUNEBOOK_URL", two.as_str()),
            ("LEDGE_VAULT_URL", three.as_str()),
        ];
        settings.extend(further);
        let server = Server::with(&program("ledge-example"), &settings);
        let media = server.folder().join("media");
        fs::create_dir(&media).expect("a folder");
        fs::write(media.join(TUNE), "X:1\nK:C\n").expect("a file");
        let admin = server.admin();
        let (library, _) = scanned_library(&admin, "Sheets", &media);
        Self {
            server,
            admin,
            library,
            sheetcat,
            tunebook,
            vault,
        }
    }

    fn settings(&self) -> Value {
        self.admin.get(SETTINGS).expect(200).json()
    }

    fn change(&self, change: &Value) -> Value {
        self.admin.patch(SETTINGS, change).expect(200).json()
    }

    /// Stores a key of the vault.
    fn store_key(&self, key: &str) -> Value {
        let settings = json!({ "LEDGE_VAULT_KEY": key });
        self.change(&json!({ "providers": { "vault": { "settings": settings } } }))
    }

    /// Returns the state of the vault's key.
    fn key(&self) -> Value {
        setting(&self.settings(), "vault", "LEDGE_VAULT_KEY")
    }

    fn test(&self, provider: &str) -> Value {
        let path = format!("/metadata/providers/{provider}/test");
        self.admin.send("POST", &path, &[], None).expect(200).json()
    }

    /// Enriches the library, without regard to earlier answers, and returns the result.
    fn enrich(&self) -> Value {
        let path = format!("/libraries/{}/enrich", self.library);
        let queued = self.admin.post(&path, &json!({ "force": true }));
        ended(&self.admin, &queued.expect(202).json()["job_id"])
    }

    fn match_ids(&self) -> Value {
        let items = self.admin.get("/items").expect(200).json();
        let path = format!("/items/{}", items["items"][0]["id"]);
        self.admin.get(&path).expect(200).json()["provider_ids"].clone()
    }

    /// Returns the numbers of requests to the three catalogues.
    fn asked(&self) -> [usize; 3] {
        [&self.sheetcat, &self.tunebook, &self.vault].map(|fake| fake.asked().len())
    }

    fn restart(&mut self) {
        self.server.restart();
        self.admin = self.server.admin();
    }

    fn key_file(&self) -> PathBuf {
        self.server.folder().join("ledge.key")
    }
}

fn provider(settings: &Value, id: &str) -> Value {
    let all = settings["providers"].as_array().expect("providers");
    let found = all.iter().find(|one| one["id"] == id);
    found
        .unwrap_or_else(|| panic!("no {id}: {settings}"))
        .clone()
}

fn setting(settings: &Value, id: &str, name: &str) -> Value {
    let provider = provider(settings, id);
    let all = provider["settings"].as_array().expect("settings");
    let found = all.iter().find(|one| one["name"] == name);
    found
        .unwrap_or_else(|| panic!("no {name}: {provider}"))
        .clone()
}

#[test]
fn settings_state_hosts_data_and_defaults() {
    let house = House::new();
    let settings = house.settings();
    assert_eq!(settings["languages"], json!(["en"]));
    assert_eq!(
        (&settings["remote"], &settings["after_scans"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(settings["after_scans_source"], "absent");
    let order = &settings["order"]["sheets"];
    assert_eq!(*order, json!(["sheetcat", "tunebook", "vault"]));
    let vault = provider(&settings, "vault");
    let host = house.vault.url().replace("http://", "");
    assert_eq!(vault["hosts"], json!([host, "pictures.vault.example"]));
    assert_eq!(vault["sends"], json!(["title", "languages"]));
    assert_eq!(vault["kinds"], json!(["sheets"]));
    assert_eq!(vault["missing"], json!(["LEDGE_VAULT_KEY"]));
    assert_eq!(vault["attribution"]["url"], "https://vault.example/terms");
    assert_eq!(
        (&vault["enabled"], &vault["is_remote"]),
        (&json!(true), &json!(true))
    );
    let key = house.key();
    assert_eq!(
        (&key["kind"], &key["set"]),
        (&json!("secret"), &json!(false))
    );
    assert_eq!(key["source"], "absent");
    let url = setting(&settings, "vault", "LEDGE_VAULT_URL");
    assert_eq!(
        (&url["kind"], &url["source"]),
        (&json!("base_url"), &json!("environment"))
    );
    assert_eq!(url["value"], house.vault.url());
    assert_eq!(house.asked(), [0, 0, 0], "a scan connects to nobody");
}

#[test]
fn only_administrators_read_and_change_settings() {
    let house = House::new();
    let (_, mia) = house.server.user(&house.admin, "mia");
    mia.get(SETTINGS).expect(403);
    mia.patch(SETTINGS, &json!({ "remote": false })).expect(403);
    let test = "/metadata/providers/sheetcat/test";
    mia.send("POST", test, &[], None).expect(403);
    assert_eq!(house.settings()["remote"], true);
    assert_eq!(house.asked(), [0, 0, 0]);
}

#[test]
fn order_decides_which_provider_answers() {
    let house = House::new();
    house.enrich();
    assert_eq!(house.match_ids(), json!({ "sheetcat": "SC1" }));
    let before = house.asked();
    let order = json!({ "sheets": ["tunebook"] });
    let settings = house.change(&json!({ "order": order }));
    let stored = &settings["order"]["sheets"];
    assert_eq!(*stored, json!(["tunebook", "sheetcat", "vault"]));
    house.enrich();
    assert_eq!(house.match_ids()["tunebook"], "TB1");
    let after = house.asked();
    assert_eq!(after[0], before[0], "the second one is not asked");
    assert!(after[1] > before[1]);
}

#[test]
fn disabled_provider_gets_no_request() {
    let house = House::new();
    let switch = |id: &str, enabled: bool| {
        let change = json!({ "providers": { id: { "enabled": enabled } } });
        provider(&house.change(&change), id)["enabled"].clone()
    };
    assert_eq!(switch("sheetcat", false), false);
    house.enrich();
    assert_eq!(house.match_ids(), json!({ "tunebook": "TB1" }));
    assert_eq!(house.asked()[0], 0);
    let listed = house.admin.get("/providers").expect(200).json();
    assert!(!listed.to_string().contains("sheetcat"), "{listed}");
    house.change(&json!({ "remote": false }));
    let before = house.asked();
    house.enrich();
    assert_eq!(house.test("tunebook")["outcome"], "off");
    assert_eq!(house.asked(), before, "no remote provider is asked");
    house.change(&json!({ "remote": true }));
    assert_eq!(switch("sheetcat", true), true);
    house.enrich();
    assert!(house.asked()[0] > 0);
}

#[test]
fn lookups_after_scans_start_without_restart() {
    let mut house = House::new();
    scan(&house.admin, house.library);
    assert_eq!(house.asked(), [0, 0, 0]);
    let settings = house.change(&json!({ "after_scans": true }));
    assert_eq!(
        (&settings["after_scans"], &settings["after_scans_source"]),
        (&json!(true), &json!("stored"))
    );
    scan(&house.admin, house.library);
    until("the match", || {
        (house.match_ids() == json!({ "sheetcat": "SC1" })).then_some(())
    });
    house.restart();
    assert_eq!(house.settings()["after_scans"], true);
}

#[test]
fn environment_takes_precedence_over_stored_settings() {
    let house = House::with(&[("LEDGE_VAULT_KEY", KEY), ("LEDGE_ENRICH", "off")]);
    let key = house.key();
    assert_eq!(
        (&key["set"], &key["source"]),
        (&json!(true), &json!("environment"))
    );
    assert_eq!(house.settings()["after_scans_source"], "environment");
    let settings = json!({ "LEDGE_VAULT_KEY": "other" });
    for change in [
        json!({ "providers": { "vault": { "settings": settings } } }),
        json!({ "after_scans": true }),
    ] {
        let refused = house.admin.patch(SETTINGS, &change).expect(409);
        let text = refused.json().to_string();
        assert!(
            text.contains("environment") && !text.contains(KEY),
            "{text}"
        );
    }
    let first = json!({ "sheets": ["vault"] });
    house.change(&json!({ "order": first }));
    house.enrich();
    assert_eq!(house.vault.asked()[0].body, KEY.as_bytes());
}

#[test]
fn languages_are_part_of_every_query() {
    let house = House::new();
    house.enrich();
    assert_eq!(house.sheetcat.asked()[0].header("accept-language"), "en");
    let languages = json!(["German", "pt-br", "de"]);
    let settings = house.change(&json!({ "languages": languages }));
    assert_eq!(settings["languages"], json!(["de", "pt-BR"]));
    house.enrich();
    let items = house.admin.get("/items").expect(200).json();
    let search = format!("/items/{}/matches/sheetcat/search", items["items"][0]["id"]);
    house
        .admin
        .post(&search, &json!({ "query": "Bheag" }))
        .expect(200);
    let asked = house.sheetcat.asked();
    for request in asked.iter().skip(1) {
        assert_eq!(
            request.header("accept-language"),
            "de, pt-BR",
            "{request:?}"
        );
    }
    assert!(asked.len() >= 3, "{asked:?}");
    let settings = house.change(&json!({ "languages": [] }));
    assert_eq!(settings["languages"], json!(["en"]));
}

#[test]
fn invalid_change_is_refused_as_a_whole() {
    let house = House::new();
    let before = house.settings();
    let of_vault = |settings: Value| json!({ "vault": { "settings": settings } });
    for change in [
        json!({ "languages": ["de", "?"] }),
        json!({ "languages": ["aa", "ab", "af", "ak", "am", "an", "ar", "as", "av", "ay", "az"] }),
        json!({ "order": { "vinyl": [] } }),
        json!({ "order": { "sheets": ["openlibrary"] } }),
        json!({ "order": { "sheets": ["vault", "vault"] } }),
        json!({ "providers": { "nobody": { "enabled": true } } }),
        json!({ "providers": of_vault(json!({ "LEDGE_OTHER": "x" })) }),
        json!({ "providers": of_vault(json!({ "LEDGE_VAULT_KEY": "  " })) }),
        json!({ "providers": of_vault(json!({ "LEDGE_VAULT_KEY": "two\nlines" })) }),
        json!({ "providers": of_vault(json!({ "LEDGE_VAULT_KEY": "x".repeat(2001) })) }),
        json!({ "nonsense": 1 }),
    ] {
        let mut change = change;
        change["remote"] = json!(false);
        house.admin.patch(SETTINGS, &change).expect(422);
        assert_eq!(house.settings(), before, "{change}");
    }
}

#[test]
fn address_of_a_provider_cannot_be_changed() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::in_folder(&program("ledge-example"), folder.path(), &[]);
    let settings = json!({ "LEDGE_VAULT_URL": "http://127.0.0.1:9" });
    let change = json!({ "providers": { "vault": { "settings": settings } } });
    let admin = server.admin();
    let refused = admin.patch(SETTINGS, &change).expect(422).json();
    assert!(refused.to_string().contains("environment"), "{refused}");
    let settings = admin.get(SETTINGS).expect(200).json();
    let url = setting(&settings, "vault", "LEDGE_VAULT_URL");
    assert_eq!(url["value"], "https://vault.example");
}
