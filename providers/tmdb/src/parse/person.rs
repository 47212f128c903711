//! Entry of a person.

use ledge_core::enrich::lenient_json;
use ledge_core::registry::provider::{AskError, Base, DetailLink, PersonDetails};
use serde_json::Value;

use super::people::PORTRAIT;
use super::{extras, number, picture};
use crate::language::{Languages, Translations};

/// Parses the entry of a person. Returns `None` if it has another number.
pub(crate) fn details(
    entry: &Value,
    person: u64,
    languages: &Languages,
    images: &Base,
) -> Result<Option<PersonDetails>, AskError> {
    if number(entry, "id")? != person {
        return Ok(None);
    }
    let translations = Translations::read(entry);
    let mut translated = translations.wanted(languages);
    let biography = translated.find_map(|one| one.overview.clone());
    let site = lenient_json::line(entry, "homepage");
    let path = entry.get("profile_path");
    Ok(Some(PersonDetails {
        // The field of the entry is in the first language.
        biography: biography.or_else(|| lenient_json::long(entry, "biography")),
        born: lenient_json::line(entry, "birthday"),
        died: lenient_json::line(entry, "deathday"),
        birthplace: lenient_json::line(entry, "place_of_birth"),
        links: site
            .map(|url| DetailLink::new("Official site", url))
            .into_iter()
            .collect(),
        external_ids: extras::person_ids(entry),
        portrait: path.and_then(|path| picture(path, PORTRAIT, images)),
        ..PersonDetails::default()
    }))
}
