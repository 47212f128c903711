//! Descriptor of a source: another program whose data can be imported.

use super::ImportResult;
use super::database::SourceData;
use super::rows::{Rows, SourceUser};

/// Another program. Sources register with `inventory`.
#[derive(Debug, Clone, Copy)]
pub struct ImportSource {
    /// Identifier in the command line and the API.
    pub id: &'static str,
    /// Name for users.
    pub label: &'static str,
    /// Name of the file or folder that is read.
    pub input: &'static str,
    /// `true` if the input is a folder, `false` if it is an SQLite database.
    pub is_folder: bool,
    /// Name of a second database, which is then required.
    pub library: Option<&'static str>,
    /// Tables of data that is refused, with the line for the administrator.
    pub refused: &'static [(&'static str, &'static str)],
    /// Oldest and newest known version, if the program stores one.
    pub versions: Option<(&'static str, &'static str)>,
    /// Tables with their columns that must exist. Those of the second database have the prefix
    /// `library.`.
    pub tables: &'static [(&'static str, &'static [&'static str])],
    /// Returns the version of the data.
    pub version: fn(&SourceData) -> ImportResult<Option<String>>,
    /// Returns the users.
    pub users: fn(&SourceData) -> ImportResult<Vec<SourceUser>>,
    /// Sends all rows.
    pub read: fn(&SourceData, &mut dyn Rows) -> ImportResult<()>,
}

inventory::collect!(ImportSource);

/// Returns all linked sources, ordered by id.
pub fn all() -> Vec<&'static ImportSource> {
    let mut sources: Vec<_> = inventory::iter::<ImportSource>().collect();
    sources.sort_by_key(|source| source.id);
    sources
}

/// Returns the source with this id.
pub fn find(id: &str) -> Option<&'static ImportSource> {
    inventory::iter::<ImportSource>().find(|source| source.id == id)
}

/// Compares versions by their numbers: `2.9.0` is older than `2.17.0`.
pub(super) fn is_in_range(version: &str, (oldest, newest): (&str, &str)) -> bool {
    let version = numbers(version);
    numbers(oldest) <= version && version <= numbers(newest)
}

fn numbers(version: &str) -> Vec<u64> {
    let parts = version.trim().trim_start_matches('v').split('.');
    let number = |part: &str| {
        let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().unwrap_or(0)
    };
    parts.map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::is_in_range;

    #[test]
    fn versions_are_compared_by_number() {
        let range = ("2.17.0", "2.36.0");
        for version in ["2.17.0", "v2.20.1", "2.36.0"] {
            assert!(is_in_range(version, range), "{version}");
        }
        for version in ["2.9.0", "2.16.9", "2.36.1", "3", ""] {
            assert!(!is_in_range(version, range), "{version}");
        }
        let range = ("20240331172900", "20241011172428");
        assert!(is_in_range("20240401000000_Name", range));
        assert!(!is_in_range("20250101000000", range));
    }
}
