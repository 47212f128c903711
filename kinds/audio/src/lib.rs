//! The audio kind: music, audiobooks, radio plays and whatever else is heard.

mod accepts;
mod album;
mod clock;
mod cue;
mod disc;
#[cfg(test)]
mod fixtures;
mod formats;
mod grouping;
pub mod inspect;
mod label;
mod lyrics;
#[cfg(test)]
mod mutations;
mod read;
mod routes;
mod said;
mod source;
mod subkind;
mod tags;
mod text;
mod together;
mod track;
mod words;

use ledge_core::registry::{MediaKind, Shape, Unit};

/// The descriptor.
pub const KIND: MediaKind = MediaKind {
    rank: 20,
    icon: "M3 14h3a2 2 0 0 1 2 2v3a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-7a9 9 0 0 1 18 0v7a2 2 0 0 1-2 2\
        h-1a2 2 0 0 1-2-2v-3a2 2 0 0 1 2-2h3",
    hue: 22,
    shape: Shape::Sleeve,
    aspect: 1.0,
    verb: "listen",
    unit: Unit::Second,
    sidecars: formats::SIDECARS,
    notes: cue::NOTES,
    reading_version: 2,
    grouping_version: 3,
    contested: formats::CONTESTED,
    accepts: Some(|candidate| accepts::accepts(candidate).into()),
    group: grouping::group,
    families: Some(grouping::families),
    examine: Some(inspect::examine),
    together: Some(together::together),
    cover: Some(inspect::cover),
    routes: Some(routes::router),
    subkinds: subkind::SUBKINDS,
    subkind_of: subkind::subkind_of,
    ..MediaKind::new("audio", "Recording", "Audio", formats::FORMATS)
};

inventory::submit! { KIND }
