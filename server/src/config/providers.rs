//! Settings of metadata providers. Each provider declares its variables; the environment contains
//! the values.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ledge_core::registry::MetadataProvider;
use ledge_core::registry::provider::{Setting, SettingKind, Settings};

use super::{ConfigError, Environment, value};

/// Returns the registered providers, ordered by rank and id.
fn linked() -> Vec<&'static MetadataProvider> {
    let mut linked: Vec<_> = inventory::iter::<MetadataProvider>().collect();
    linked.sort_by_key(|provider| (provider.rank, provider.id));
    linked
}

/// Reads the settings of every provider.
pub(super) fn settings(
    environment: Environment<'_>,
) -> Result<BTreeMap<&'static str, Settings>, ConfigError> {
    linked()
        .into_iter()
        .map(|provider| Ok((provider.id, of(provider.settings, environment)?)))
        .collect()
}

fn of(settings: &'static [Setting], environment: Environment<'_>) -> Result<Settings, ConfigError> {
    let mut values = Settings::defaults(settings);
    for setting in settings {
        let Some((variable, value)) = given(setting, environment)? else {
            continue;
        };
        values.set(setting, &value).map_err(|error| {
            // Addresses and choices are not secret, so the message may contain them.
            ConfigError::new(variable, format!("`{value}` {error}."))
        })?;
    }
    Ok(values)
}

/// Returns a setting's value with the variable that contains it.
fn given(
    setting: &Setting,
    environment: Environment<'_>,
) -> Result<Option<(&'static str, String)>, ConfigError> {
    let variable = setting.variable;
    if setting.kind == SettingKind::Secret {
        let file = file_variable(variable);
        let found = value::secret(variable, file, environment)?;
        return match found {
            Some((variable, value)) if value.trim().is_empty() => {
                Err(ConfigError::new(variable, "It is blank."))
            }
            found => Ok(found),
        };
    }
    let Some(value) = environment(variable).filter(|value| !value.is_empty()) else {
        return Ok(None);
    };
    match value.into_string() {
        Ok(value) if value.trim().is_empty() => Err(ConfigError::new(variable, "It is blank.")),
        Ok(value) => Ok(Some((variable, value))),
        Err(_) => Err(ConfigError::new(variable, "The value is not UTF-8.")),
    }
}

/// Returns the name of the variable for a secret's file. The leak is bounded: each name is created
/// once, at the start.
fn file_variable(variable: &'static str) -> &'static str {
    Box::leak(format!("{variable}_FILE").into_boxed_str())
}

/// Returns a line for each variable, for `serve --help`.
pub(super) fn help() -> String {
    let mut help = String::new();
    for provider in linked() {
        if provider.settings.is_empty() {
            continue;
        }
        // Writing to a string cannot fail.
        let _ = write!(help, "\n\n{}:", provider.label);
        for Setting {
            variable,
            help: text,
            kind,
        } in provider.settings
        {
            let _ = match kind {
                SettingKind::BaseUrl { default } => {
                    write!(help, "\n  {variable}  {text} [default: {default}]")
                }
                SettingKind::Text | SettingKind::Choice { .. } => {
                    write!(help, "\n  {variable}  {text}")
                }
                SettingKind::Secret => {
                    write!(help, "\n  {variable}, {variable}_FILE  {text}")
                }
            };
        }
    }
    help
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    const SETTINGS: &[Setting] = &[
        Setting {
            variable: "LEDGE_X_REGION",
            help: "a region",
            kind: SettingKind::Choice {
                values: &["uk", "us"],
                aliases: &[("gb", "uk")],
            },
        },
        Setting {
            variable: "LEDGE_X_URL",
            help: "where it is",
            kind: SettingKind::BaseUrl {
                default: "https://x.example",
            },
        },
        Setting {
            variable: "LEDGE_X_NAME",
            help: "an account",
            kind: SettingKind::Text,
        },
        Setting {
            variable: "LEDGE_X_KEY",
            help: "its secret",
            kind: SettingKind::Secret,
        },
    ];

    fn read(variables: &[(&str, &str)]) -> Result<Settings, String> {
        let find = |name: &str| {
            let found = variables.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| OsString::from(value))
        };
        of(SETTINGS, &find).map_err(|error| error.to_string())
    }

    #[test]
    fn provider_settings_come_from_environment_and_secret_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("key");
        std::fs::write(&file, "hunter2\n").expect("a file");
        let file = file.to_str().expect("a path");
        let values = read(&[
            ("LEDGE_X_URL", " http://127.0.0.1:8080/ "),
            ("LEDGE_X_NAME", "mia"),
            ("LEDGE_X_KEY_FILE", file),
        ])
        .expect("settings");
        assert_eq!(values.base("LEDGE_X_URL").origin(), "http://127.0.0.1:8080");
        assert_eq!(values.text("LEDGE_X_NAME"), Some("mia"));
        let secret = values.secret("LEDGE_X_KEY").expect("a secret");
        assert_eq!(secret.reveal(), "hunter2");
        let defaults = read(&[("LEDGE_X_URL", "")]).expect("settings");
        assert_eq!(defaults.base("LEDGE_X_URL").origin(), "https://x.example");
    }

    #[test]
    fn unusable_provider_setting_names_its_variable_and_no_secret() {
        for (variable, value) in [
            ("LEDGE_X_URL", "openlibrary"),
            ("LEDGE_X_URL", "ftp://x.example"),
            ("LEDGE_X_URL", "http://x.example/?key=1"),
            ("LEDGE_X_NAME", "  "),
            ("LEDGE_X_REGION", "nowhere"),
            ("LEDGE_X_KEY", " "),
            ("LEDGE_X_KEY_FILE", "/no/such/file"),
        ] {
            let error = read(&[(variable, value)]).expect_err(value);
            assert!(error.starts_with(&format!("{variable}: ")), "{error}");
            assert!(!error.contains('\n'), "{error}");
        }
        let both = read(&[("LEDGE_X_KEY", "hunter2"), ("LEDGE_X_KEY_FILE", "/x")]);
        assert!(!both.expect_err("both").contains("hunter2"));
    }
}
