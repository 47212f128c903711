//! What a provider is configured by: named variables, checked before anything starts.

use std::collections::BTreeMap;
use std::fmt;

use ureq::http::Uri;

/// One variable that a provider is configured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// Name of the environment variable: `LEDGE_OPENLIBRARY_URL`.
    pub variable: &'static str,
    /// What it is, for `serve --help`: a phrase without a full stop.
    pub help: &'static str,
    /// What it holds.
    pub kind: SettingKind,
}

/// What a setting holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingKind {
    /// Where the provider is reached: `https://openlibrary.org`. A value takes the place of the
    /// default's scheme, host and port; where it has a path, of the default's path too.
    BaseUrl {
        /// Where it is unless told otherwise.
        default: &'static str,
    },
    /// Plain text, such as an account's name.
    Text,
    /// A secret; also read from the file that `VARIABLE_FILE` names.
    Secret,
}

/// The provider cannot be asked: these variables are not set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absent {
    /// Their names.
    pub missing: Vec<&'static str>,
}

/// A text that never gets into a log.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// A secret of this text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself, to be sent where it belongs.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// The values of a provider's settings.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    bases: BTreeMap<&'static str, Base>,
    texts: BTreeMap<&'static str, String>,
    secrets: BTreeMap<&'static str, Secret>,
}

impl Settings {
    /// The defaults of a provider's settings.
    ///
    /// # Panics
    /// If a default is no address; the registry has checked them by then.
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

    /// Takes the value of a variable, if that can be used.
    pub fn set(&mut self, setting: &Setting, value: &str) -> Result<(), BaseError> {
        let value = value.trim();
        match setting.kind {
            SettingKind::BaseUrl { default } => {
                let base = Base::of(default, Some(value))?;
                self.bases.insert(setting.variable, base);
            }
            SettingKind::Text => {
                self.texts.insert(setting.variable, value.to_owned());
            }
            SettingKind::Secret => {
                self.secrets.insert(setting.variable, Secret::new(value));
            }
        }
        Ok(())
    }

    /// The address behind a variable.
    ///
    /// # Panics
    /// If the provider declares no such address: a mistake of its author that every test meets.
    pub fn base(&self, variable: &str) -> &Base {
        let base = self.bases.get(variable);
        base.unwrap_or_else(|| panic!("{variable} is declared as no BaseUrl"))
    }

    /// The text of a variable, where it is set.
    pub fn text(&self, variable: &str) -> Option<&str> {
        self.texts.get(variable).map(String::as_str)
    }

    /// The secret of a variable, where it is set.
    pub fn secret(&self, variable: &str) -> Option<&Secret> {
        self.secrets.get(variable)
    }

    /// Every address, also those that were left as they are.
    pub fn bases(&self) -> impl Iterator<Item = &Base> {
        self.bases.values()
    }
}

/// Where a provider is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    origin: String,
    path: String,
    is_configured: bool,
}

/// Why a text is no base address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is no address like https://mirror.example, without a query")]
pub struct BaseError;

impl Base {
    /// The default, or what takes its place.
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
            // Whoever writes the default down means the provider itself, at a public address.
            is_configured: origin != standard,
            origin,
            path: if path.is_empty() { standard_path } else { path },
        })
    }

    /// Scheme, host and port: `http://127.0.0.1:8080`, in lower case, without a default port.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Whether somebody pointed it elsewhere; only then may it be a private address.
    pub fn is_configured(&self) -> bool {
        self.is_configured
    }

    /// The address of something below: `base.join("search.json")`. An empty path is the base.
    pub fn join(&self, path: &str) -> String {
        let path = path.trim_start_matches('/');
        if path.is_empty() {
            return format!("{}{}", self.origin, self.path);
        }
        format!("{}{}/{path}", self.origin, self.path)
    }

    /// An address that the provider named itself, such as a cover's: with this scheme, host and
    /// port in place of its own where the base was pointed elsewhere.
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

/// Origin and path of an address, the path without a slash at its end.
fn split(text: &str) -> Result<(String, String), BaseError> {
    let uri: Uri = text.parse().map_err(|_| BaseError)?;
    let origin = origin(&uri).ok_or(BaseError)?;
    if uri.query().is_some() || text.contains('#') {
        return Err(BaseError);
    }
    Ok((origin, uri.path().trim_end_matches('/').to_owned()))
}

/// Scheme, host and port of an absolute address of the web, as they are compared: in lower case,
/// without the scheme's own port. `None` for every other address, and for those with a user's name.
pub(crate) fn origin(uri: &Uri) -> Option<String> {
    let scheme = uri.scheme_str()?.to_ascii_lowercase();
    let standard = match scheme.as_str() {
        "http" => 80,
        "https" => 443,
        _ => return None,
    };
    let authority = uri.authority()?;
    let host = authority.host().to_ascii_lowercase();
    if host.is_empty() || authority.as_str().contains('@') {
        return None;
    }
    let has_port = authority.as_str().len() > authority.host().len();
    match authority.port_u16() {
        Some(0) => None,
        Some(port) if port != standard => Some(format!("{scheme}://{host}:{port}")),
        None if has_port => None,
        _ => Some(format!("{scheme}://{host}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_is_its_default_until_it_is_pointed_elsewhere() {
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
    fn what_is_no_address_is_refused() {
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
    fn a_cover_follows_the_base() {
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
    fn values_are_kept_by_their_variable_and_secrets_are_not_printed() {
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
        assert_eq!(settings.set(&URL, "nonsense"), Err(BaseError));
        assert_eq!(settings.base("X_URL").origin(), "http://[::1]:81");
        assert_eq!(
            settings.secret("X_KEY").map(Secret::reveal),
            Some("hunter2")
        );
        assert!(!format!("{settings:?}").contains("hunter2"));
    }
}
