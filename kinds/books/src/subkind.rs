//! Comics and prose.

use ledge_core::registry::{ItemTraits, Subkind, Translation};

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

/// The subkinds in order.
pub(crate) const SUBKINDS: &[Subkind] = &[PROSE, COMIC];

/// Returns a comic for an item that has no file in another format, else prose.
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
