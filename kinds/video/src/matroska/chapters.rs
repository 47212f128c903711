//! Chapters: those of the edition that is played.

use ledge_core::registry::reading::Chapter;

use super::element::{children, unsigned};
use crate::media::MOST_CHAPTERS;
use crate::text;

/// Reads a `Chapters`.
pub(super) fn read(content: &[u8]) -> Vec<Chapter> {
    let editions = || {
        children(content)
            .filter(|(id, _)| *id == 0x45b9)
            .map(|(_, edition)| edition)
    };
    let says = |edition: &[u8], flag: u32| {
        children(edition).any(|(id, value)| id == flag && unsigned(value) != 0)
    };
    let chosen = editions()
        .find(|edition| says(edition, 0x45db))
        .or_else(|| editions().find(|edition| !says(edition, 0x45bd)));
    let atoms = children(chosen.unwrap_or_default()).filter(|(id, _)| *id == 0xb6);
    atoms
        .filter_map(|(_, atom)| chapter(atom))
        .take(MOST_CHAPTERS)
        .collect()
}

#[expect(clippy::cast_precision_loss, reason = "a fraction of a second at most")]
fn chapter(atom: &[u8]) -> Option<Chapter> {
    let (mut start, mut title) = (None, None);
    for (id, value) in children(atom) {
        match id {
            0x91 => start = Some(unsigned(value) as f64 / 1e9),
            0x80 if title.is_none() => {
                let said = children(value).find(|(id, _)| *id == 0x85);
                title = said.and_then(|(_, value)| text::of_bytes(value));
            }
            // Hidden, or not in use.
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
