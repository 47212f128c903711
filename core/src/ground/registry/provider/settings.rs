//! Settings of a provider: named variables, checked before the server starts.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use url::Url;

/// Variable that configures a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// Name of the environment variable: `LEDGE_OPENLIBRARY_URL`.
    pub variable: &'static str,
    /// Description for `serve --help`: a phrase without a full stop.
    pub help: &'static str,
    /// Type of the value.
    pub kind: SettingKind,
}

/// Type of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingKind {
    /// Base URL of the provider: `https://openlibrary.org`. A configured value replaces scheme,
    /// host and port of the default. If it has a path, it also replaces the default path.
    BaseUrl {
        /// URL that applies without configuration.
        default: &'static str,
    },
    /// Plain text, such as an account name.
    Text,
    /// One of several values. Upper and lower case are equal.
    Choice {
        /// Values in lower case, in the order of messages.
        values: &'static [&'static str],
        /// Further spellings in lower case, each with its value.
        aliases: &'static [(&'static str, &'static str)],
    },
    /// Secret. It can also be read from the file that `VARIABLE_FILE` names.
    Secret,
}

/// The provider cannot be used because variables are not set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absent {
    /// Names of the missing variables.
    pub missing: Vec<&'static str>,
}

/// Text that must never be logged.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Creates a secret from this text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the text, for sending it to the provider.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// Values of a provider's settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// Variables that have a value other than the default.
    given: BTreeSet<&'static str>,
    bases: BTreeMap<&'static str, Base>,
    texts: BTreeMap<&'static str, String>,
    secrets: BTreeMap<&'static str, Secret>,
}

impl Settings {
    /// Returns the defaults of a provider's settings.
    ///
    /// # Panics
    ///
    /// Panics if a default is not a URL. The registry has checked this before.
    pub fn defaults(settings: &[Setting]) -> Self {
        let mut values = Self::default();
        for setting in settings {
            if let SettingKind::BaseUrl { default } = setting.kind {
                let base = Base::of(default, None).expect("checked by the registry");
                values.bases.insert(setting.variable, base);
            }
        }
        values
    }

    /// Sets the value of a variable.
    ///
    /// # Errors
    ///
    /// Returns [`SettingError`] if the value must be a base URL or one of several values and is not.
    pub fn set(&mut self, setting: &Setting, value: &str) -> Result<(), SettingError> {
        let value = value.trim();
        match setting.kind {
            SettingKind::BaseUrl { default } => {
                let base = Base::of(default, Some(value))?;
                self.bases.insert(setting.variable, base);
            }
            SettingKind::Text => {
                self.texts.insert(setting.variable, value.to_owned());
            }
            SettingKind::Choice { values, aliases } => {
                let value = choice(value, values, aliases).ok_or(SettingError::Choice(values))?;
                self.texts.insert(setting.variable, value.to_owned());
            }
            SettingKind::Secret => {
                self.secrets.insert(setting.variable, Secret::new(value));
            }
        }
        self.given.insert(setting.variable);
        Ok(())
    }

    /// Returns `true` if the variable has a value other than the default.
    pub fn is_set(&self, variable: &str) -> bool {
        self.given.contains(variable)
    }

    /// Returns the hosts that the base URLs name, in the order of the settings, each once.
    pub fn hosts(&self, settings: &[Setting]) -> Vec<String> {
        let bases = settings
            .iter()
            .filter_map(|one| self.bases.get(one.variable));
        let mut hosts: Vec<String> = Vec::new();
        for host in bases.map(Base::host) {
            if !hosts.iter().any(|known| known == host) {
                hosts.push(host.to_owned());
            }
        }
        hosts
    }

    /// Replaces every secret in a text, so that it can be shown.
    pub fn without_secrets(&self, text: &str) -> String {
        let secrets = self.secrets.values().filter(|secret| !secret.0.is_empty());
        secrets.fold(text.to_owned(), |text, secret| {
            text.replace(&secret.0, "***")
        })
    }

    /// Returns the base URL of a variable.
    ///
    /// # Panics
    ///
    /// Panics if the provider declares no such URL. This is a programming error that every test of
    /// the provider detects.
    pub fn base(&self, variable: &str) -> &Base {
        let base = self.bases.get(variable);
        base.unwrap_or_else(|| panic!("{variable} is not declared as a BaseUrl"))
    }

    /// Returns the text or the chosen value of a variable, if it is set.
    pub fn text(&self, variable: &str) -> Option<&str> {
        self.texts.get(variable).map(String::as_str)
    }

    /// Returns the secret of a variable, if it is set.
    pub fn secret(&self, variable: &str) -> Option<&Secret> {
        self.secrets.get(variable)
    }

    /// Returns every base URL, including defaults.
    pub fn bases(&self) -> impl Iterator<Item = &Base> {
        self.bases.values()
    }
}

/// Returns the value that a text names.
fn choice(
    text: &str,
    values: &[&'static str],
    aliases: &[(&'static str, &'static str)],
) -> Option<&'static str> {
    let alias = aliases
        .iter()
        .find(|(alias, _)| alias.eq_ignore_ascii_case(text));
    let named = alias.map_or(text, |(_, value)| value);
    let mut values = values.iter();
    values
        .find(|value| value.eq_ignore_ascii_case(named))
        .copied()
}

/// Error for an invalid value of a setting. The message continues a sentence that begins with the
/// value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// The value is not a base URL.
    #[error(transparent)]
    Base(#[from] BaseError),
    /// The value is not one of these.
    #[error("is not one of {}", .0.join(", "))]
    Choice(&'static [&'static str]),
}

/// Base URL of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    origin: String,
    path: String,
    is_configured: bool,
}

/// Error for a text that is not a base URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not a URL like https://mirror.example, without a query")]
pub struct BaseError;

impl Base {
    /// Parses the default, or the configured value that replaces it.
    pub fn of(default: &str, given: Option<&str>) -> Result<Self, BaseError> {
        let (standard, standard_path) = split(default)?;
        let Some(given) = given else {
            return Ok(Self {
                origin: standard,
                path: standard_path,
                is_configured: false,
            });
        };
        let (origin, path) = split(given)?;
        Ok(Self {
            // An explicitly configured default still means the provider itself, at a public
            // address.
            is_configured: origin != standard,
            origin,
            path: if path.is_empty() { standard_path } else { path },
        })
    }

    /// Returns scheme, host and port: `http://127.0.0.1:8080`, in lower case, without a default
    /// port.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Returns the host, with its port unless it is the default of the scheme.
    pub fn host(&self) -> &str {
        let host = self.origin.split_once("//");
        host.map_or(self.origin.as_str(), |(_, host)| host)
    }

    /// Returns `true` if the configuration points to another origin than the default. Only then may
    /// it be a private address.
    pub fn is_configured(&self) -> bool {
        self.is_configured
    }

    /// Returns the URL of a path below the base: `base.join("search.json")`. An empty path is the
    /// base itself.
    pub fn join(&self, path: &str) -> String {
        let path = path.trim_start_matches('/');
        if path.is_empty() {
            return format!("{}{}", self.origin, self.path);
        }
        format!("{}{}/{path}", self.origin, self.path)
    }

    /// Returns a URL from a provider's response, such as a cover's. If another origin is
    /// configured, that origin replaces the URL's own.
    pub fn rehost(&self, url: &str) -> String {
        if !self.is_configured {
            return url.to_owned();
        }
        let after_scheme = url.split_once("//").map_or(url, |(_, rest)| rest);
        let path = after_scheme
            .find('/')
            .map_or("", |at| after_scheme.get(at..).unwrap_or_default());
        format!("{}{path}", self.origin)
    }
}

/// Returns origin and path of a URL, with the path's trailing slash removed.
fn split(text: &str) -> Result<(String, String), BaseError> {
    let url = Url::parse(text).map_err(|_| BaseError)?;
    let origin = origin(&url).ok_or(BaseError)?;
    if url.query().is_some() || url.fragment().is_some() {
        return Err(BaseError);
    }
    Ok((origin, url.path().trim_end_matches('/').to_owned()))
}

/// Returns scheme, host and port of an `http` or `https` address in a comparable form: lower case,
/// without the scheme's default port. Returns `None` for other addresses, for port 0 and for
/// addresses with a user name.
pub(crate) fn origin(url: &Url) -> Option<String> {
    let is_http = matches!(url.scheme(), "http" | "https");
    let has_user = !url.username().is_empty() || url.password().is_some();
    if !is_http || has_user || url.port() == Some(0) || !url.has_host() {
        return None;
    }
    Some(url.origin().ascii_serialization())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_is_default_until_configured() {
        let of = |given| Base::of("https://api.example/v4", given).expect("a base");
        let standard = of(None);
        assert_eq!(standard.join("/games"), "https://api.example/v4/games");
        assert_eq!(standard.join(""), "https://api.example/v4");
        assert!(!standard.is_configured());
        for given in [
            "http://127.0.0.1:8080",
            "http://127.0.0.1:8080/",
            "HTTP://127.0.0.1:8080/v4/",
        ] {
            let base = of(Some(given));
            assert_eq!(
                base.join("games"),
                "http://127.0.0.1:8080/v4/games",
                "{given}"
            );
            assert!(base.is_configured());
        }
        let mirror = of(Some("https://mirror.example/igdb"));
        assert_eq!(mirror.join("games"), "https://mirror.example/igdb/games");
        assert!(!of(Some("https://API.example:443")).is_configured());
    }

    #[test]
    fn invalid_base_url_is_refused() {
        for given in [
            "",
            "mirror.example",
            "mirror.example:80",
            "ftp://mirror.example",
            "file:///etc/passwd",
            "http://",
            "http://:80",
            "http://host:port",
            "http://host:0",
            "http://host:99999",
            "http://user:word@host",
            "http://host/?q=1",
            "http://host/#part",
            "http://ho st",
            "/books",
        ] {
            assert_eq!(
                Base::of("https://a.example", Some(given)),
                Err(BaseError),
                "{given}"
            );
        }
    }

    #[test]
    fn rehosted_cover_has_configured_origin() {
        let url = "https://covers.example/b/id/1-L.jpg?default=false";
        let pointed =
            Base::of("https://covers.example", Some("http://127.0.0.1:9")).expect("a base");
        assert_eq!(
            pointed.rehost(url),
            "http://127.0.0.1:9/b/id/1-L.jpg?default=false"
        );
        assert_eq!(
            pointed.rehost("//images.example/1.jpg"),
            "http://127.0.0.1:9/1.jpg"
        );
        let left = Base::of("https://covers.example", None).expect("a base");
        assert_eq!(left.rehost(url), url);
    }

    #[test]
    fn values_are_stored_by_variable_and_secrets_are_not_printed() {
        const URL: Setting = Setting {
            variable: "X_URL",
            help: "",
            kind: SettingKind::BaseUrl {
                default: "https://x.example",
            },
        };
        const KEY: Setting = Setting {
            variable: "X_KEY",
            help: "",
            kind: SettingKind::Secret,
        };
        let mut settings = Settings::defaults(&[URL, KEY]);
        assert_eq!(settings.base("X_URL").origin(), "https://x.example");
        assert_eq!(settings.secret("X_KEY"), None);
        settings.set(&KEY, "hunter2\n").expect("a secret");
        settings.set(&URL, "http://[::1]:81").expect("an address");
        assert_eq!(settings.set(&URL, "nonsense"), Err(BaseError.into()));
        assert_eq!(settings.base("X_URL").origin(), "http://[::1]:81");
        assert_eq!(
            settings.secret("X_KEY").map(Secret::reveal),
            Some("hunter2")
        );
        assert!(!format!("{settings:?}").contains("hunter2"));
        assert!(settings.is_set("X_KEY") && settings.is_set("X_URL"));
        assert!(!Settings::defaults(&[URL, KEY]).is_set("X_URL"));
        assert_eq!(settings.hosts(&[KEY, URL]), ["[::1]:81"]);
        assert_eq!(settings.without_secrets("no hunter2 here"), "no *** here");
    }
    #[test]
    fn choice_is_stored_in_its_own_spelling_and_other_values_are_rejected() {
        const REGION: Setting = Setting {
            variable: "X_REGION",
            help: "",
            kind: SettingKind::Choice {
                values: &["uk", "us"],
                aliases: &[("gb", "uk")],
            },
        };
        let mut settings = Settings::defaults(&[REGION]);
        assert_eq!(settings.text("X_REGION"), None);
        for (given, value) in [("us", "us"), (" UK ", "uk"), ("gb", "uk"), ("GB", "uk")] {
            settings.set(&REGION, given).expect(given);
            assert_eq!(settings.text("X_REGION"), Some(value), "{given}");
        }
        let error = settings.set(&REGION, "nowhere").expect_err("no region");
        assert_eq!(error.to_string(), "is not one of uk, us");
        assert_eq!(settings.text("X_REGION"), Some("uk"));
    }
}
