//! Subkinds of books: comics and prose.

use ledge_core::http::publications::Work;
use ledge_core::registry::{ItemTraits, MatchRules, Subkind, Translation};

use crate::formats::is_comic;

const PROSE: Subkind = Subkind {
    translations: &[Translation {
        language: "de",
        label: "Prosa",
        label_plural: "Prosa",
    }],
    ..Subkind::new("prose", "Prose", "Prose")
};

const COMIC: Subkind = Subkind {
    translations: &[Translation {
        language: "de",
        label: "Comic",
        label_plural: "Comics",
    }],
    ..Subkind::new("comic", "Comic", "Comics")
};

/// Subkinds in display order.
pub(crate) const SUBKINDS: &[Subkind] = &[PROSE, COMIC];

/// Returns the form of the works of a subkind.
pub(crate) fn work(subkind: Option<&str>) -> Work {
    if subkind == Some(COMIC.id) {
        Work::Comic
    } else {
        Work::Book
    }
}

/// Returns the rules of matches: series of comics with one title differ in their years.
pub(crate) fn match_rules(subkind: Option<&str>) -> MatchRules {
    if subkind == Some(COMIC.id) {
        MatchRules::SERIALS
    } else {
        MatchRules::EDITIONS
    }
}

/// Returns comic if all files of the item are comics, otherwise prose.
pub(crate) fn subkind_of(item: &ItemTraits<'_>) -> Option<&'static str> {
    let comics = item
        .formats
        .iter()
        .filter(|format| is_comic(format.extension));
    match (item.formats.len(), comics.count()) {
        (0, _) => None,
        (all, comics) if all == comics => Some(COMIC.id),
        _ => Some(PROSE.id),
    }
}
