//! Chapters of the default edition.

use ledge_core::registry::reading::Chapter;

use crate::container::media::MAX_CHAPTERS;
use crate::reading::text;
use ledge_formats::ebml::{children, unsigned};

/// Parses a `Chapters` element.
pub(super) fn read(content: &[u8]) -> Vec<Chapter> {
    let editions = || {
        children(content)
            .filter(|(id, _)| *id == 0x45b9)
            .map(|(_, edition)| edition)
    };
    let has_flag = |edition: &[u8], flag: u32| {
        children(edition).any(|(id, value)| id == flag && unsigned(value) != 0)
    };
    let chosen = editions()
        .find(|edition| has_flag(edition, 0x45db))
        .or_else(|| editions().find(|edition| !has_flag(edition, 0x45bd)));
    let atoms = children(chosen.unwrap_or_default()).filter(|(id, _)| *id == 0xb6);
    atoms
        .filter_map(|(_, atom)| chapter(atom))
        .take(MAX_CHAPTERS)
        .collect()
}

#[expect(clippy::cast_precision_loss, reason = "a fraction of a second at most")]
fn chapter(atom: &[u8]) -> Option<Chapter> {
    let (mut start, mut title) = (None, None);
    for (id, value) in children(atom) {
        match id {
            0x91 => start = Some(unsigned(value) as f64 / 1e9),
            0x80 if title.is_none() => {
                let element = children(value).find(|(id, _)| *id == 0x85);
                title = element.and_then(|(_, value)| text::from_bytes(value));
            }
            // `ChapterFlagHidden` is set, or `ChapterFlagEnabled` is cleared.
            0x98 if unsigned(value) != 0 => return None,
            0x4598 if unsigned(value) == 0 => return None,
            _ => {}
        }
    }
    Some(Chapter {
        title: title.unwrap_or_default(),
        start: start?,
    })
}
