//! Fields of a change: absent, null, or a value.

use serde::{Deserialize, Deserializer};

/// Deserialises a present field, so that null differs from an absent field. It needs
/// `#[serde(default)]`, which gives `None` for an absent one.
pub(crate) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}
