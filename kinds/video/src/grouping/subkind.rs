//! Subkinds of the video kind: films and series.

use ledge_core::registry::{ItemTraits, PartName, Subkind, Translation};

const FILM: Subkind = Subkind {
    translations: &[Translation {
        language: "de",
        label: "Film",
        label_plural: "Filme",
    }],
    ..Subkind::new("film", "Film", "Films")
};

const SERIES: Subkind = Subkind {
    translations: &[Translation {
        language: "de",
        label: "Serie",
        label_plural: "Serien",
    }],
    part: PartName::Episode,
    ..Subkind::new("series", "Series", "Series")
};

/// Subkinds in display order.
pub(crate) const SUBKINDS: &[Subkind] = &[FILM, SERIES];

/// Returns `series` for an item with episodes, otherwise `film`. Clips and extras count as films.
#[expect(clippy::unnecessary_wraps, reason = "the descriptor's signature")]
pub(crate) fn subkind_of(item: &ItemTraits<'_>) -> Option<&'static str> {
    Some(if item.has_episodes {
        SERIES.id
    } else {
        FILM.id
    })
}
