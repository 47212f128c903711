//! Wikidata's properties for ids in other databases.

use ledge_core::registry::provider::Query;

/// Property with the ids of a database.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IdProperty {
    /// Name of the database.
    pub(crate) database: &'static str,
    /// Number of the property: `P345`.
    pub(crate) property: &'static str,
    /// Subkind to which the property is limited. Films and shows of a database have separate ids.
    subkind: Option<&'static str>,
}

const fn property(database: &'static str, property: &'static str) -> IdProperty {
    IdProperty {
        database,
        property,
        subkind: None,
    }
}

const fn of_subkind(
    database: &'static str,
    property: &'static str,
    subkind: &'static str,
) -> IdProperty {
    IdProperty {
        database,
        property,
        subkind: Some(subkind),
    }
}

/// Properties of works. Those of single editions are missing: Wikidata writes ISBNs with hyphens
/// and describes few editions.
pub(crate) const IDS: &[IdProperty] = &[
    property("imdb", "P345"),
    of_subkind("tmdb", "P4947", "film"),
    of_subkind("tmdb", "P4983", "series"),
    of_subkind("tvdb", "P4835", "series"),
    property("tvmaze", "P8600"),
    property("anidb", "P5646"),
    property("musicbrainz_release_group", "P436"),
    property("openlibrary", "P648"),
];

/// Returns the properties and values by which an item is found.
pub(crate) fn known(question: &Query) -> Vec<(&'static str, String)> {
    let fits = |id: &&IdProperty| id.subkind.is_none() || id.subkind == question.subkind.as_deref();
    IDS.iter()
        .filter(fits)
        .filter_map(|id| {
            let value = question.external_id(id.database)?;
            is_plain(value).then(|| (id.property, value.to_owned()))
        })
        .collect()
}

/// Returns the number of an item: `Q42`.
pub(crate) fn item_id(text: &str) -> Option<String> {
    let path = text.trim().split(['?', '#']).next()?;
    let id = path.trim_end_matches('/').rsplit(['/', ':']).next()?;
    let digits = id.strip_prefix(['Q', 'q'])?;
    let is_id =
        (1..=12).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_id.then(|| format!("Q{digits}"))
}

/// Returns `true` if a value has no meaning in the syntax of a search.
fn is_plain(value: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    (1..=60).contains(&value.len()) && value.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use ledge_core::registry::provider::ExternalId;

    use super::*;

    #[test]
    fn films_and_shows_have_separate_properties() {
        let query = |subkind: &str, database: &str, id: &str| Query {
            subkind: Some(subkind.to_owned()),
            external_ids: vec![ExternalId::new(database, id)],
            ..Query::default()
        };
        let known = |subkind, database, id| known(&query(subkind, database, id));
        assert_eq!(known("film", "tmdb", "603"), [("P4947", "603".to_owned())]);
        assert_eq!(
            known("series", "tmdb", "603"),
            [("P4983", "603".to_owned())]
        );
        assert_eq!(known("album", "tmdb", "603"), []);
        assert_eq!(known("film", "imdb", "tt1|P31=Q5"), []);
        assert_eq!(known("film", "imdb", "tt1 x"), []);
        assert_eq!(known("film", "unknown", "1"), []);
    }

    #[test]
    fn ids_of_items_are_read_from_addresses() {
        for (text, expected) in [
            ("Q42", Some("Q42")),
            ("q42", Some("Q42")),
            ("https://www.wikidata.org/wiki/Q42#P31", Some("Q42")),
            ("http://www.wikidata.org/entity/Q42", Some("Q42")),
            ("https://www.wikidata.org/wiki/Item:Q42", Some("Q42")),
            ("P31", None),
            ("Q", None),
            ("Q42/..", None),
            ("Q1234567890123", None),
            ("", None),
        ] {
            assert_eq!(item_id(text).as_deref(), expected, "{text}");
        }
    }
}
