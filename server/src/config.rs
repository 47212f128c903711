//! Configuration from the environment. Every value is validated before anything starts.

mod backups;
mod providers;
mod secrets;
mod value;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::builder::{OsStringValueParser, TypedValueParser as _};
use ipnet::IpNet;
use ledge_core::app::BackupSettings;
use ledge_core::db::place;
use ledge_core::http::protocol::Protocol;
use ledge_core::registry::provider::Settings as ProviderSettings;

use crate::http::session::csrf::PublicUrl;

/// An invalid value; the message is one line that names the variable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{variable}: {problem}")]
pub(crate) struct ConfigError {
    /// Name of the environment variable.
    variable: &'static str,
    /// Problem as a sentence.
    problem: String,
}

impl ConfigError {
    fn new(variable: &'static str, problem: impl Into<String>) -> Self {
        Self {
            variable,
            problem: problem.into(),
        }
    }
}

/// Location of the database, for every command except `healthcheck`.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct DatabaseArgs {
    /// The database file
    #[arg(
        long,
        value_name = "FILE",
        env = "LEDGE_DATABASE",
        default_value = "./ledge.db",
        value_parser = OsStringValueParser::new().map(PathBuf::from)
    )]
    database: PathBuf,
}

impl DatabaseArgs {
    /// Returns the path with symbolic links resolved, so that all processes use the same file.
    pub(crate) fn real(&self) -> Result<PathBuf, ConfigError> {
        if self.database.as_os_str().is_empty() {
            let problem = "it is empty, and names no file.";
            return Err(ConfigError::new("LEDGE_DATABASE", problem));
        }
        Ok(place::real(&self.database))
    }
}

/// Arguments of `serve` with their environment variables, before validation.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = format!("{SECRETS}{}", providers::help()))]
pub(crate) struct ServeArgs {
    /// Address and port to listen on
    #[arg(long, value_name = "ADDRESS", env = "LEDGE_LISTEN", default_value = DEFAULT_LISTEN)]
    listen: String,
    #[command(flatten)]
    database: DatabaseArgs,
    /// Log level, or a filter in the syntax of tracing
    #[arg(long, value_name = "FILTER", env = "LEDGE_LOG", default_value = "info")]
    log: String,
    /// Log format: `text` or `json`
    #[arg(
        long,
        value_name = "FORMAT",
        env = "LEDGE_LOG_FORMAT",
        default_value = "text"
    )]
    log_format: String,
    /// Networks of reverse proxies whose forwarding headers are trusted, separated by commas
    #[arg(
        long,
        value_name = "CIDRS",
        env = "LEDGE_TRUSTED_PROXIES",
        default_value = ""
    )]
    trusted_proxies: String,
    /// Public address of the server behind a reverse proxy: `https://books.example`
    #[arg(long, value_name = "URL", env = "LEDGE_PUBLIC_URL", default_value = "")]
    public_url: String,
    /// Path of the ffprobe executable, or `off`; the default is ffprobe on the PATH
    #[arg(long, value_name = "PATH", env = "LEDGE_FFPROBE", default_value = "")]
    ffprobe: OsString,
    /// Number of background jobs that run at once
    #[arg(long, value_name = "N", env = "LEDGE_JOB_WORKERS", default_value = "4")]
    job_workers: String,
    /// Scan each library this long after its last scan: `30m`, `6h`, `1d`, or `off`
    #[arg(
        long,
        value_name = "TIME",
        env = "LEDGE_SCAN_INTERVAL",
        default_value = "24h"
    )]
    scan_interval: String,

    /// Watch the folders of libraries and scan changes: `on` or `off`
    #[arg(
        long,
        value_name = "SWITCH",
        env = "LEDGE_WATCH",
        default_value = "off"
    )]
    watch: String,

    /// Query metadata providers about a library after each scan: `on` or `off`; the default is the
    /// setting of the web interface
    #[arg(long, value_name = "SWITCH", env = "LEDGE_ENRICH", default_value = "")]
    enrich: String,

    /// Email address or URL of the operator, which requests to metadata providers then contain
    #[arg(
        long,
        value_name = "ADDRESS",
        env = "LEDGE_CONTACT",
        default_value = ""
    )]
    contact: String,

    /// Protocols for other programs, separated by commas, or `off`; the default is all of them
    #[arg(
        long,
        value_name = "IDS",
        env = "LEDGE_PROTOCOLS",
        default_value = "all"
    )]
    protocols: String,

    /// File of the key that app passwords are derived from; the default is next to the database
    #[arg(
        long,
        value_name = "FILE",
        env = "LEDGE_SECRET_KEY_FILE",
        default_value = ""
    )]
    secret_key_file: OsString,

    /// Folder that contains `cores` and `bios`; the default is the folder of the database
    #[arg(long, value_name = "FOLDER", env = "LEDGE_DATA", default_value = "")]
    data: OsString,
    #[command(flatten)]
    backups: backups::BackupArgs,
}

const SECRETS: &str = "\
Secrets come from the environment only:
  LEDGE_ADMIN_PASSWORD       password of the administrator made at the first start
  LEDGE_ADMIN_PASSWORD_FILE  file that holds it
  LEDGE_METRICS_TOKEN        token that opens /metrics for monitoring; without it there is no /metrics
  LEDGE_METRICS_TOKEN_FILE   file that holds it";

/// Default address of the listener.
pub(crate) const DEFAULT_LISTEN: &str = "127.0.0.1:8484";

/// Format of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogFormat {
    /// Text for people.
    Text,
    /// One JSON object per line.
    Json,
}

/// A secret that is never logged; its `Debug` output is a constant.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(pub(crate) String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// Validated configuration of a server.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    /// Address and port, or host name and port.
    pub(crate) listen: String,
    /// Path of the database file.
    pub(crate) database: PathBuf,
    /// Log filter.
    pub(crate) log: String,
    /// Log format.
    pub(crate) log_format: LogFormat,
    /// Networks whose forwarding headers are trusted.
    pub(crate) trusted_proxies: Vec<IpNet>,
    /// Public address behind a reverse proxy.
    pub(crate) public_url: Option<PublicUrl>,
    /// Path of the ffprobe executable, if there is one.
    pub(crate) ffprobe: Option<PathBuf>,
    /// Number of jobs that run at once.
    pub(crate) job_workers: usize,
    /// Interval between scans of a library; `None` disables scheduled scans.
    pub(crate) scan_interval: Option<Duration>,
    /// `true` if the folders of libraries are watched.
    pub(crate) watch: bool,
    /// `true` if libraries are enriched after scans; `None` if the stored setting applies.
    pub(crate) enrich: Option<bool>,
    /// Address of the operator for requests to metadata providers.
    pub(crate) contact: Option<String>,
    /// Settings of the metadata providers, by provider id.
    pub(crate) providers: BTreeMap<&'static str, ProviderSettings>,
    /// Enabled protocols by rank.
    pub(crate) protocols: Vec<&'static Protocol>,
    /// Path of the key's file.
    pub(crate) secret_key: PathBuf,
    /// Folder that contains `cores` and `bios`.
    pub(crate) data: PathBuf,
    /// Backups that the server writes, if a folder is configured.
    pub(crate) backups: Option<BackupSettings>,
    /// Token that gives access to the metrics; without it, access is disabled.
    pub(crate) metrics_token: Option<Secret>,
    /// Password of the first administrator.
    pub(crate) admin_password: Option<Secret>,
}

/// Look-up of an environment variable; tests pass their own environment.
pub(crate) type Environment<'a> = &'a dyn Fn(&str) -> Option<OsString>;

impl Config {
    /// Validates every value.
    ///
    /// # Errors
    ///
    /// Returns the first invalid value.
    pub(crate) fn check(
        args: &ServeArgs,
        environment: Environment<'_>,
    ) -> Result<Self, ConfigError> {
        value::log_filter("LEDGE_LOG", &args.log)?;
        value::socket("LEDGE_LISTEN", &args.listen)?;
        Ok(Self {
            listen: args.listen.trim().to_owned(),
            log: args.log.clone(),
            log_format: value::log_format("LEDGE_LOG_FORMAT", &args.log_format)?,
            trusted_proxies: value::networks("LEDGE_TRUSTED_PROXIES", &args.trusted_proxies)?,
            public_url: value::public_url("LEDGE_PUBLIC_URL", &args.public_url)?,
            ffprobe: value::ffprobe("LEDGE_FFPROBE", &args.ffprobe, environment)?,
            job_workers: value::workers("LEDGE_JOB_WORKERS", &args.job_workers)?,
            scan_interval: value::interval("LEDGE_SCAN_INTERVAL", &args.scan_interval)?,
            watch: value::switch("LEDGE_WATCH", &args.watch)?,
            enrich: value::optional_switch("LEDGE_ENRICH", &args.enrich)?,
            contact: value::contact("LEDGE_CONTACT", &args.contact)?,
            providers: providers::settings(environment)?,
            protocols: value::protocols("LEDGE_PROTOCOLS", &args.protocols)?,
            secret_key: secret_key(&args.secret_key_file, &args.database.real()?),
            data: value::folder("LEDGE_DATA", &args.data)?
                .unwrap_or_else(|| folder_of(&args.database.database).to_owned()),
            backups: args.backups.check()?,
            metrics_token: secrets::metrics_token(environment)?,
            admin_password: secrets::admin_password(environment)?,
            database: args.database.real()?,
        })
    }
}

/// Returns the path of the key's file: next to the database, with its name.
fn secret_key(given: &OsStr, database: &Path) -> PathBuf {
    if given.is_empty() {
        database.with_extension("key")
    } else {
        PathBuf::from(given)
    }
}

/// Returns the folder of a file.
fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Serve {
        #[command(flatten)]
        args: ServeArgs,
    }

    fn check(given: &[&str], variables: &[(&str, &str)]) -> Result<Config, ConfigError> {
        let args = Serve::parse_from(std::iter::once(&"serve").chain(given)).args;
        let variables: Vec<(String, OsString)> = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.into()))
            .collect();
        Config::check(&args, &|name| {
            let found = variables.iter().find(|(key, _)| key == name);
            found.map(|(_, value)| value.clone())
        })
    }

    #[test]
    fn default_values_are_valid() {
        let config = check(&[], &[]).expect("a configuration");
        assert_eq!(config.listen, "127.0.0.1:8484");
        assert_eq!(config.database, place::real(Path::new("ledge.db")));
        assert_eq!(config.data, Path::new("."));
        assert_eq!(config.job_workers, 4);
        assert!(!config.watch && config.enrich.is_none());
        assert_eq!(config.scan_interval, Some(Duration::from_hours(24)));
        assert_eq!((config.ffprobe, config.contact), (None, None));
        assert!(config.trusted_proxies.is_empty());
    }

    #[test]
    fn database_link_is_resolved_and_keeps_its_own_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a path");
        std::fs::create_dir(root.join("disk")).expect("a folder");
        let link = root.join("ledge.db");
        std::os::unix::fs::symlink("disk/real.db", &link).expect("a link");
        let given = ["--database", link.to_str().expect("text")];
        let config = check(&given, &[]).expect("a configuration");
        assert_eq!(config.database, root.join("disk/real.db"));
        assert_eq!(config.data, root);
    }

    #[test]
    fn unusable_value_is_an_error_that_names_its_variable() {
        for (flag, value, variable) in [
            ("--listen", "8484", "LEDGE_LISTEN"),
            ("--listen", "127.0.0.1:x", "LEDGE_LISTEN"),
            ("--listen", "127.0.0.1:99999", "LEDGE_LISTEN"),
            ("--log", "ledge=loud", "LEDGE_LOG"),
            ("--log-format", "xml", "LEDGE_LOG_FORMAT"),
            ("--trusted-proxies", "10.0.0.0/33", "LEDGE_TRUSTED_PROXIES"),
            ("--trusted-proxies", "proxy", "LEDGE_TRUSTED_PROXIES"),
            ("--public-url", "books.example", "LEDGE_PUBLIC_URL"),
            ("--ffprobe", "/no/such/ffprobe", "LEDGE_FFPROBE"),
            ("--job-workers", "0", "LEDGE_JOB_WORKERS"),
            ("--job-workers", "many", "LEDGE_JOB_WORKERS"),
            ("--watch", "yes", "LEDGE_WATCH"),
            ("--enrich", "yes", "LEDGE_ENRICH"),
            ("--contact", "me (at home)", "LEDGE_CONTACT"),
            ("--scan-interval", "daily", "LEDGE_SCAN_INTERVAL"),
            ("--scan-interval", "0s", "LEDGE_SCAN_INTERVAL"),
            ("--scan-interval", "30", "LEDGE_SCAN_INTERVAL"),
            ("--data", "/no/such/folder", "LEDGE_DATA"),
            ("--backup-interval", "1d", "LEDGE_BACKUP_INTERVAL"),
            ("--backup-keep", "0", "LEDGE_BACKUP_KEEP"),
        ] {
            let error = check(&[flag, value], &[]).expect_err(value).to_string();
            assert!(error.starts_with(&format!("{variable}: ")), "{error}");
            assert!(!error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn trusted_networks_may_be_single_addresses() {
        let given = ["--trusted-proxies", " 10.0.0.0/8, ::1 ,192.0.2.1"];
        let config = check(&given, &[]).expect("a configuration");
        let nets: Vec<String> = config
            .trusted_proxies
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(nets, ["10.0.0.0/8", "::1/128", "192.0.2.1/32"]);
    }

    #[test]
    fn first_password_comes_from_variable_or_file_but_not_both() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("secret");
        std::fs::write(&file, "from the file\n").expect("a file");
        let file = file.to_str().expect("a path");
        let direct = ("LEDGE_ADMIN_PASSWORD", "from the variable");
        let indirect = ("LEDGE_ADMIN_PASSWORD_FILE", file);
        let password = |variables: &[(&str, &str)]| {
            check(&[], variables).map(|config| config.admin_password.map(|secret| secret.0))
        };
        assert_eq!(password(&[]), Ok(None));
        assert_eq!(
            password(&[direct]),
            Ok(Some("from the variable".to_owned()))
        );
        assert_eq!(password(&[indirect]), Ok(Some("from the file".to_owned())));
        for bad in [
            &[direct, indirect][..],
            &[("LEDGE_ADMIN_PASSWORD", "short")],
            &[("LEDGE_ADMIN_PASSWORD_FILE", "/no/such/file")],
        ] {
            let error = password(bad).expect_err("refused").to_string();
            assert!(error.starts_with("LEDGE_ADMIN_PASSWORD"), "{error}");
        }
    }

    #[test]
    fn metrics_token_must_be_a_valid_header_value() {
        let token = |value| {
            let config = check(&[], &[("LEDGE_METRICS_TOKEN", value)]);
            config.map(|config| config.metrics_token.map(|secret| secret.0))
        };
        assert_eq!(token(""), Ok(None));
        assert_eq!(token("s3cret-t0ken"), Ok(Some("s3cret-t0ken".to_owned())));
        for bad in ["with some spaces", "line\nbreaks", "ümlaute-überall"] {
            let error = token(bad).expect_err(bad).to_string();
            assert!(error.starts_with("LEDGE_METRICS_TOKEN: "), "{error}");
            assert!(!error.contains(bad), "{error}");
        }
    }

    #[test]
    fn debug_output_of_a_secret_is_hidden() {
        let config = check(&[], &[("LEDGE_ADMIN_PASSWORD", "hunter2hunter2")]).expect("valid");
        assert!(!format!("{config:?}").contains("hunter2"));
    }
}
