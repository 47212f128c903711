//! Changes of settings while the server runs.

use super::*;
use crate::registry::provider::{Absent, AskError, Candidate, Net, Query, Setting, SettingKind};
use crate::store::matches::provider_setting::{GeneralSettings, StoredValue};

const URL: Setting = Setting {
    variable: "FIRST_URL",
    help: "",
    kind: SettingKind::BaseUrl {
        default: "https://first.example",
    },
};
const KEY: Setting = Setting {
    variable: "SECOND_KEY",
    help: "",
    kind: SettingKind::Secret,
};

#[derive(Debug)]
struct Nothing;

impl Lookup for Nothing {
    fn search(&self, _: &Query, _: &dyn Net) -> Result<Vec<Candidate>, AskError> {
        Ok(Vec::new())
    }

    fn by_id(&self, _: &str, _: &Query, _: &dyn Net) -> Result<Option<Candidate>, AskError> {
        Ok(None)
    }
}

const FIRST: MetadataProvider = MetadataProvider {
    rank: 1,
    settings: &[URL],
    further_hosts: &["pictures.example", "first.example"],
    ..MetadataProvider::new("first", "First", &["sheets", "papers"], |_| {
        Ok(Box::new(Nothing))
    })
};
const SECOND: MetadataProvider = MetadataProvider {
    rank: 2,
    settings: &[KEY],
    ..MetadataProvider::new("second", "Second", &["sheets"], |settings| {
        let key = settings.secret(KEY.variable);
        let missing = vec![KEY.variable];
        key.map(|_| Box::new(Nothing) as Box<dyn Lookup>)
            .ok_or(Absent { missing })
    })
};
const LOCAL: MetadataProvider = MetadataProvider {
    rank: 3,
    is_remote: false,
    ..MetadataProvider::new("local", "Local", &["sheets"], |_| Ok(Box::new(Nothing)))
};

struct World {
    db: Db,
    providers: Providers,
    _folder: tempfile::TempDir,
}

impl World {
    fn new(environment: ProviderEnvironment) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let db = Db::open(&folder.path().join("ledge.db")).expect("a database");
        let providers = providers(&db, environment, [1; 32]);
        Self {
            db,
            providers,
            _folder: folder,
        }
    }

    fn change(
        &self,
        change: impl FnOnce(&rusqlite::Transaction<'_>) -> StoreResult<()> + Send + 'static,
    ) {
        self.db.write_blocking(change).expect("a change");
        self.providers.reload(&self.db).expect("a reload");
    }

    fn store_key(&self) {
        let sealed = self.providers.seal("second", KEY.variable, "hunter2");
        let value = StoredValue::Sealed(sealed.expect("a key"));
        self.change(move |tx| {
            provider_setting::set_value(tx, "second", KEY.variable, Some(&value))
        });
    }

    fn source(&self) -> (SettingSource, bool) {
        let all = self.providers.status();
        let second = all.iter().find(|one| one.descriptor.id == "second");
        let setting = &second.expect("the provider").settings[0];
        (setting.source, setting.is_unreadable)
    }
}

fn providers(db: &Db, environment: ProviderEnvironment, key: [u8; 32]) -> Providers {
    let clock = Clock::system();
    let hosts = HostLimits::new(Some(db.clone()), clock.clone());
    let descriptors = vec![&FIRST, &SECOND, &LOCAL];
    let key = Some(SealingKey::new(&key));
    let providers = Providers::with_hosts(descriptors, environment, key, hosts, clock);
    providers.reload(db).expect("the settings");
    providers
}

#[test]
fn stored_key_opens_a_provider_without_restart() {
    let world = World::new(ProviderEnvironment::default());
    let ids = || world.providers.ids_of_kind("sheets");
    assert_eq!(ids(), ["first", "local"]);
    assert_eq!(world.source(), (SettingSource::Absent, false));
    world.store_key();
    assert_eq!(ids(), ["first", "second", "local"]);
    assert_eq!(world.source(), (SettingSource::Stored, false));
    let second = world.providers.get("second").expect("the provider");
    let key = second.settings.secret(KEY.variable).expect("a key");
    assert_eq!(key.reveal(), "hunter2");
    world.change(|tx| provider_setting::set_value(tx, "second", KEY.variable, None));
    assert_eq!(ids(), ["first", "local"]);
}

#[test]
fn key_of_environment_takes_precedence() {
    let mut settings = Settings::defaults(SECOND.settings);
    settings.set(&KEY, "from the environment").expect("a key");
    let world = World::new(ProviderEnvironment {
        settings: BTreeMap::from([("second", settings)]),
        after_scans: Some(false),
        contact: None,
    });
    world.store_key();
    assert_eq!(world.source(), (SettingSource::Environment, false));
    let second = world.providers.get("second").expect("the provider");
    let key = second.settings.secret(KEY.variable).expect("a key");
    assert_eq!(key.reveal(), "from the environment");
    world.change(|tx| {
        let general = GeneralSettings {
            after_scans: true,
            ..GeneralSettings::default()
        };
        provider_setting::set_general(tx, &general)
    });
    let after_scans = world.providers.after_scans();
    assert_eq!(after_scans, (false, SettingSource::Environment));
}

#[test]
fn secret_of_another_key_file_counts_as_absent() {
    let world = World::new(ProviderEnvironment::default());
    world.store_key();
    let replaced = World {
        providers: providers(&world.db, ProviderEnvironment::default(), [2; 32]),
        ..world
    };
    assert_eq!(replaced.source(), (SettingSource::Absent, true));
    assert_eq!(replaced.providers.ids_of_kind("sheets"), ["first", "local"]);
    replaced.store_key();
    assert_eq!(replaced.source(), (SettingSource::Stored, false));
}

#[test]
fn disabled_and_forbidden_providers_are_not_queried() {
    let world = World::new(ProviderEnvironment::default());
    world.store_key();
    let ids = || world.providers.ids_of_kind("sheets");
    world.change(|tx| provider_setting::set_enabled(tx, "first", false));
    assert_eq!(ids(), ["second", "local"]);
    assert!(world.providers.get("first").is_none());
    assert!(world.providers.configured("first").is_some());
    world.change(|tx| {
        let general = GeneralSettings {
            remote: false,
            ..GeneralSettings::default()
        };
        provider_setting::set_general(tx, &general)
    });
    assert_eq!(ids(), ["local"]);
    world.change(|tx| provider_setting::set_general(tx, &GeneralSettings::default()));
    world.change(|tx| provider_setting::set_enabled(tx, "first", true));
    assert_eq!(ids(), ["first", "second", "local"]);
}

#[test]
fn order_of_a_kind_changes_only_that_kind() {
    let world = World::new(ProviderEnvironment::default());
    world.store_key();
    let stored = ["second".to_owned(), "gone".to_owned()];
    world.change(move |tx| provider_setting::set_order(tx, "sheets", &stored));
    assert_eq!(
        world.providers.ids_of_kind("sheets"),
        ["second", "first", "local"]
    );
    assert_eq!(world.providers.ids_of_kind("papers"), ["first"]);
    world.change(|tx| provider_setting::set_order(tx, "sheets", &[]));
    assert_eq!(
        world.providers.ids_of_kind("sheets"),
        ["first", "second", "local"]
    );
}

#[test]
fn unchanged_provider_keeps_its_client() {
    let world = World::new(ProviderEnvironment::default());
    let before = world.providers.get("first").expect("the provider");
    world.store_key();
    let second = world.providers.get("second").expect("the provider");
    world.store_key();
    let after = world.providers.get("first").expect("the provider");
    assert!(Arc::ptr_eq(&before, &after), "its back-off stays");
    let same = world.providers.get("second").expect("the provider");
    assert!(Arc::ptr_eq(&second, &same));
    let sealed = world.providers.seal("second", KEY.variable, "another");
    let value = StoredValue::Sealed(sealed.expect("a key"));
    world.change(move |tx| provider_setting::set_value(tx, "second", KEY.variable, Some(&value)));
    let changed = world.providers.get("second").expect("the provider");
    assert!(!Arc::ptr_eq(&second, &changed));
}

#[test]
fn new_key_deletes_values_of_the_previous_one() {
    use crate::store::matches::provider_state;
    let world = World::new(ProviderEnvironment::default());
    let now = Clock::system().now();
    let until = now.plus(Duration::from_hours(1));
    world.change(move |tx| {
        provider_state::set(tx, "second", ("token", "old"), until)?;
        provider_state::set(tx, "first", ("token", "own"), until)
    });
    world.store_key();
    let token = |provider: &'static str| {
        let read =
            move |conn: &rusqlite::Connection| provider_state::get(conn, provider, "token", now);
        world.db.read_blocking(read).expect("a value")
    };
    assert_eq!(token("second"), None);
    assert_eq!(token("first").as_deref(), Some("own"));
}

#[test]
fn hosts_and_languages_are_stated() {
    let world = World::new(ProviderEnvironment::default());
    let all = world.providers.status();
    assert_eq!(all[0].hosts, ["first.example", "pictures.example"]);
    assert_eq!(all[1].missing, [KEY.variable]);
    assert!(all[2].hosts.is_empty() && all[2].descriptor.sent_data().is_empty());
    assert_eq!(
        all[0].settings[0].value.as_deref(),
        Some("https://first.example")
    );
    assert_eq!(world.providers.languages(), ["en"]);
    world.change(|tx| {
        let general = GeneralSettings {
            languages: vec!["de".to_owned(), "en".to_owned()],
            ..GeneralSettings::default()
        };
        provider_setting::set_general(tx, &general)
    });
    assert_eq!(world.providers.languages(), ["de", "en"]);
}
