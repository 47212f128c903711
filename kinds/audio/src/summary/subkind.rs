//! Subkinds of the audio kind: albums, audiobooks and single tracks.

use ledge_core::registry::{ItemTraits, MatchRules, PartName, Subkind, Translation, WorkForm};
use serde_json::Value;

pub(super) const AUDIOBOOK: &str = "audiobook";
pub(super) const TRACK: &str = "track";

/// Subkinds in display order. Their ids are the values of the fact `form`.
pub(crate) const SUBKINDS: &[Subkind] = &[
    Subkind {
        translations: &[german("Album", "Alben")],
        part: PartName::Track,
        ..Subkind::new("album", "Album", "Albums")
    },
    Subkind {
        translations: &[german("Hörbuch", "Hörbücher")],
        part: PartName::Chapter,
        ..Subkind::new(AUDIOBOOK, "Audiobook", "Audiobooks")
    },
    Subkind {
        translations: &[german("Einzeltitel", "Einzeltitel")],
        ..Subkind::new(TRACK, "Single track", "Single tracks")
    },
];

const fn german(label: &'static str, label_plural: &'static str) -> Translation {
    Translation {
        language: "de",
        label,
        label_plural,
    }
}

/// Returns the subkind for the fact `form` of an item.
pub(crate) fn subkind_of(item: &ItemTraits<'_>) -> Option<&'static str> {
    let form = item.facts.get("form").and_then(Value::as_str)?;
    let mut ids = SUBKINDS.iter().map(|subkind| subkind.id);
    ids.find(|id| *id == form)
}

/// Returns the role of the people in the author line.
pub(crate) fn author_role(subkind: Option<&str>) -> &'static str {
    if subkind == Some(AUDIOBOOK) {
        "author"
    } else {
        "artist"
    }
}

/// Returns the rules of matches: editions of an audiobook are one work, performances of music are
/// not.
pub(crate) fn match_rules(subkind: Option<&str>) -> MatchRules {
    if subkind == Some(AUDIOBOOK) {
        MatchRules::EDITIONS
    } else {
        MatchRules::PERFORMANCES
    }
}

/// Returns the form of audiobooks. Music is not a form of a text.
pub(crate) fn work_form(subkind: Option<&str>) -> Option<WorkForm> {
    (subkind == Some(AUDIOBOOK)).then_some(WorkForm::Recording)
}
