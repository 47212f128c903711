//! Validation of single values.

use std::ffi::{OsStr, OsString};
use std::net::{IpAddr, ToSocketAddrs as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ipnet::IpNet;
use ledge_core::http::protocol::Protocol;
use rustix::fs::{Access, access};
use tracing_subscriber::EnvFilter;

use super::{ConfigError, Environment, LogFormat};
use crate::http::session::csrf::PublicUrl;

/// Limit of job workers; more would only compete for the disk.
const MAX_WORKERS: usize = 64;

/// Maximum length of the operator's address in characters.
const MAX_CONTACT: usize = 200;

/// Shortest interval; the scheduler does not check more often.
const SHORTEST_INTERVAL: Duration = Duration::from_secs(1);
/// Longest interval: one year. Longer intervals are better expressed as `off`.
const LONGEST_INTERVAL: Duration = Duration::from_hours(365 * 24);

type Checked<T> = Result<T, ConfigError>;

pub(super) fn socket(variable: &'static str, text: &str) -> Checked<()> {
    let problem = |why: String| {
        let problem = format!("`{text}` is not an address to listen on, like 127.0.0.1:8484{why}.");
        ConfigError::new(variable, problem)
    };
    match text.trim().to_socket_addrs() {
        Ok(addresses) if addresses.len() > 0 => Ok(()),
        Ok(_) => Err(problem(String::new())),
        Err(error) => Err(problem(format!(": {error}"))),
    }
}

pub(super) fn log_filter(variable: &'static str, text: &str) -> Checked<()> {
    EnvFilter::builder().parse(text).map(drop).map_err(|error| {
        let problem = format!("`{text}` is no filter, like info or ledge=debug: {error}.");
        ConfigError::new(variable, problem)
    })
}

pub(super) fn log_format(variable: &'static str, text: &str) -> Checked<LogFormat> {
    match text.trim() {
        "text" | "" => Ok(LogFormat::Text),
        "json" => Ok(LogFormat::Json),
        other => {
            let problem = format!("`{other}` is neither text nor json.");
            Err(ConfigError::new(variable, problem))
        }
    }
}

pub(super) fn networks(variable: &'static str, text: &str) -> Checked<Vec<IpNet>> {
    text.split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(|part| {
            let address = || part.parse::<IpAddr>().map(IpNet::from);
            part.parse::<IpNet>().or_else(|_| address()).map_err(|_| {
                let problem = format!("`{part}` is no network, like 10.0.0.0/8 or 192.0.2.1.");
                ConfigError::new(variable, problem)
            })
        })
        .collect()
}

pub(super) fn public_url(variable: &'static str, text: &str) -> Checked<Option<PublicUrl>> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    PublicUrl::parse(text).map(Some).ok_or_else(|| {
        let problem = format!(
            "`{text}` is no address of a server, like https://books.example, without a path."
        );
        ConfigError::new(variable, problem)
    })
}

pub(super) fn workers(variable: &'static str, text: &str) -> Checked<usize> {
    number(variable, text, MAX_WORKERS)
}

/// Parses a number between 1 and `max`.
pub(super) fn number(variable: &'static str, text: &str, max: usize) -> Checked<usize> {
    let number = text.trim().parse().ok();
    number
        .filter(|number| (1..=max).contains(number))
        .ok_or_else(|| {
            let problem = format!("`{text}` is no number between 1 and {max}.");
            ConfigError::new(variable, problem)
        })
}

/// Parses an interval: a number and a unit, or `off`.
pub(super) fn interval(variable: &'static str, text: &str) -> Checked<Option<Duration>> {
    let text = text.trim();
    if text.eq_ignore_ascii_case("off") {
        return Ok(None);
    }
    let read = || {
        let unit = text.find(|c: char| !c.is_ascii_digit())?;
        let (number, unit) = text.split_at_checked(unit)?;
        let seconds: u64 = match unit {
            "s" => 1,
            "m" => 60,
            "h" => 60 * 60,
            "d" => 24 * 60 * 60,
            _ => return None,
        };
        let seconds = number.parse::<u64>().ok()?.checked_mul(seconds)?;
        let interval = Duration::from_secs(seconds);
        (SHORTEST_INTERVAL..=LONGEST_INTERVAL)
            .contains(&interval)
            .then_some(interval)
    };
    read().map(Some).ok_or_else(|| {
        let problem =
            format!("`{text}` is neither a time from 1s to 365d, like 30m, 6h or 1d, nor off.");
        ConfigError::new(variable, problem)
    })
}

pub(super) fn switch(variable: &'static str, text: &str) -> Checked<bool> {
    match text.trim() {
        "on" => Ok(true),
        "off" => Ok(false),
        other => {
            let problem = format!("`{other}` is neither on nor off.");
            Err(ConfigError::new(variable, problem))
        }
    }
}

/// Returns a switch, or `None` if it is not set.
pub(super) fn optional_switch(variable: &'static str, text: &str) -> Checked<Option<bool>> {
    if text.is_empty() {
        return Ok(None);
    }
    switch(variable, text).map(Some)
}

/// Returns the address of the operator. It becomes a comment of the header field `User-Agent`
/// (RFC 9110, section 5.6.5), in which parentheses and backslashes have a meaning.
pub(super) fn contact(variable: &'static str, text: &str) -> Checked<Option<String>> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let is_plain = |c: char| matches!(c, ' '..='~') && !matches!(c, '(' | ')' | '\\');
    if text.len() <= MAX_CONTACT && text.chars().all(is_plain) {
        return Ok(Some(text.to_owned()));
    }
    let problem = format!(
        "It is not an email address or URL of at most {MAX_CONTACT} ASCII characters without \
         parentheses and backslashes."
    );
    Err(ConfigError::new(variable, problem))
}

pub(super) fn folder(variable: &'static str, given: &OsStr) -> Checked<Option<PathBuf>> {
    if given.is_empty() {
        return Ok(None);
    }
    let path = Path::new(given);
    if path.is_dir() {
        return Ok(Some(path.to_owned()));
    }
    let problem = format!("{} is no folder.", path.display());
    Err(ConfigError::new(variable, problem))
}

pub(super) fn ffprobe(
    variable: &'static str,
    given: &OsStr,
    environment: Environment<'_>,
) -> Checked<Option<PathBuf>> {
    if given.is_empty() {
        return Ok(on_path("ffprobe", environment));
    }
    if given.eq_ignore_ascii_case("off") {
        return Ok(None);
    }
    let path = Path::new(given);
    let found = if path.components().count() > 1 {
        Some(path.to_owned()).filter(|path| is_executable(path))
    } else {
        on_path(path, environment)
    };
    found.map(Some).ok_or_else(|| {
        let problem = format!("{} is no executable; `off` does without.", path.display());
        ConfigError::new(variable, problem)
    })
}

fn on_path(name: impl AsRef<Path>, environment: Environment<'_>) -> Option<PathBuf> {
    let folders = environment("PATH")?;
    std::env::split_paths(&folders)
        .map(|folder| folder.join(&name))
        .find(|path| is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    path.is_file() && access(path, Access::EXEC_OK).is_ok()
}

/// Reads a secret from its variable, or from the file that another variable names. Returns it with
/// the variable that provided it.
pub(super) fn secret(
    direct: &'static str,
    file: &'static str,
    environment: Environment<'_>,
) -> Checked<Option<(&'static str, String)>> {
    let set = |name| environment(name).filter(|value| !value.is_empty());
    match (set(direct), set(file)) {
        (None, None) => Ok(None),
        (Some(_), Some(_)) => {
            let problem = format!("{file} is set too; set one of them.");
            Err(ConfigError::new(direct, problem))
        }
        (Some(value), None) => value
            .into_string()
            .map(|value| Some((direct, value)))
            .map_err(|_| ConfigError::new(direct, "The value is not UTF-8.")),
        (None, Some(path)) => read_secret(file, &path).map(|value| Some((file, value))),
    }
}

fn read_secret(variable: &'static str, path: &OsString) -> Checked<String> {
    let path = Path::new(path);
    let text = std::fs::read_to_string(path).map_err(|error| {
        let problem = format!("{} cannot be read: {error}.", path.display());
        ConfigError::new(variable, problem)
    })?;
    // Editors end a file with a line break, which is not part of the secret.
    Ok(text.trim_end_matches(['\n', '\r']).to_owned())
}

/// Returns the enabled protocols: all, none, or those with the named ids.
pub(super) fn protocols(variable: &'static str, text: &str) -> Checked<Vec<&'static Protocol>> {
    let known = Protocol::collect().map_err(|problem| ConfigError::new(variable, problem))?;
    match text.trim() {
        "" | "all" => return Ok(known),
        "off" => return Ok(Vec::new()),
        _ => {}
    }
    let wanted: Vec<&str> = text.split(',').map(str::trim).collect();
    let unknown = |id: &&str| !known.iter().any(|protocol| protocol.id == *id);
    if let Some(unknown) = wanted.iter().copied().find(unknown) {
        let ids: Vec<&str> = known.iter().map(|protocol| protocol.id).collect();
        let problem = format!(
            "There is no protocol `{unknown}`: name some of {}, or `all` or `off`.",
            ids.join(", ")
        );
        return Err(ConfigError::new(variable, problem));
    }
    let is_wanted = |protocol: &&'static Protocol| wanted.contains(&protocol.id);
    Ok(known.into_iter().filter(is_wanted).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interval_is_a_number_and_a_unit_or_off() {
        let read = |text| interval("V", text);
        for (text, interval) in [
            ("1s", SHORTEST_INTERVAL),
            ("90s", Duration::from_secs(90)),
            ("30m", Duration::from_mins(30)),
            (" 6h ", Duration::from_hours(6)),
            ("1d", Duration::from_hours(24)),
            ("365d", LONGEST_INTERVAL),
        ] {
            assert_eq!(read(text), Ok(Some(interval)), "{text}");
        }
        assert_eq!(read("off"), Ok(None));
        assert_eq!(read("OFF"), Ok(None));
        for text in [
            "",
            "24",
            "h",
            "0m",
            "-1h",
            "1.5h",
            "1 h",
            "0s",
            "366d",
            "1h30m",
            "1w",
            "on",
            "99999999999999999999d",
            "1é",
        ] {
            assert!(read(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn optional_switch_may_be_unset() {
        assert_eq!(optional_switch("V", ""), Ok(None));
        assert_eq!(optional_switch("V", "off"), Ok(Some(false)));
        assert!(optional_switch("V", "yes").is_err());
    }

    #[test]
    fn contact_is_a_short_text_without_special_characters() {
        let read = |text: &str| contact("V", text);
        assert_eq!(read(" "), Ok(None));
        let email = Some("books@example.org".to_owned());
        assert_eq!(read(" books@example.org "), Ok(email));
        assert!(read(&"a".repeat(200)).is_ok());
        let long = "a".repeat(201);
        for text in [
            "a(b",
            "a)",
            "a\\",
            "a\nb",
            "a\u{7f}",
            "bücher@example.org",
            &long,
        ] {
            assert!(read(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn switch_value_is_on_or_off() {
        assert_eq!(switch("V", "on"), Ok(true));
        assert_eq!(switch("V", " off "), Ok(false));
        for text in ["", "yes", "1", "ON "] {
            assert!(switch("V", text).is_err(), "{text:?}");
        }
    }
}
