//! Subkinds of games: the platforms.

use ledge_core::registry::{ItemTraits, Subkind};
use serde_json::Value;

use crate::formats::platforms::PLATFORMS;

/// One subkind per platform, in table order. Their names are the same in every language.
pub(crate) static SUBKINDS: [Subkind; PLATFORMS.len()] = subkinds();

const fn subkinds() -> [Subkind; PLATFORMS.len()] {
    let mut subkinds = [Subkind::new("", "", ""); PLATFORMS.len()];
    let (mut slots, mut rows) = (subkinds.as_mut_slice(), PLATFORMS);
    while let (Some((slot, more_slots)), Some((row, more_rows))) =
        (slots.split_first_mut(), rows.split_first())
    {
        *slot = Subkind::new(row.id, row.name, row.name);
        (slots, rows) = (more_slots, more_rows);
    }
    subkinds
}

/// Returns the platform in the item's facts.
pub(crate) fn subkind_of(item: &ItemTraits<'_>) -> Option<&'static str> {
    let platform = item.facts.get("platform").and_then(Value::as_str)?;
    let mut ids = SUBKINDS.iter().map(|subkind| subkind.id);
    ids.find(|id| *id == platform)
}
