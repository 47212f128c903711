//! The video kind: films, shows and clips.

mod accepts;
pub mod asf;
pub mod avi;
pub mod codec;
mod container;
mod episode;
mod extras;
mod film;
#[cfg(test)]
mod fixtures;
pub mod flv;
pub mod formats;
mod grouping;
pub mod input;
pub mod inspect;
pub mod matroska;
pub mod media;
pub mod mp4;
#[cfg(test)]
mod mutations;
mod name;
pub mod nfo;
pub mod ogg;
#[cfg(test)]
mod older;
pub mod place;
pub mod poster;
pub mod program;
mod routes;
mod season;
mod show;
mod subkind;
pub mod subtitles;
pub mod text;
pub mod title;
pub mod transport;

use ledge_core::registry::{MediaKind, Shape, Unit};

/// The descriptor.
pub const KIND: MediaKind = MediaKind {
    rank: 30,
    icon: "M4 4h16a1 1 0 0 1 1 1v14a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1zM7 4v16M17 4v16\
        M3 8h4M3 12h18M3 16h4M17 8h4M17 16h4",
    hue: 245,
    shape: Shape::Case,
    aspect: 2.0 / 3.0,
    verb: "watch",
    unit: Unit::Second,
    sidecars: formats::SIDECARS,
    notes: nfo::NOTES,
    reading_version: 3,
    grouping_version: 3,
    contested: formats::CONTESTED,
    accepts: Some(|candidate| accepts::accepts(candidate).into()),
    group: grouping::group,
    families: Some(grouping::families),
    inspect: Some(inspect::inspect),
    probe: Some(inspect::probe),
    cover: Some(inspect::cover),
    routes: Some(routes::router),
    cover_stems: poster::STEMS,
    subkinds: subkind::SUBKINDS,
    subkind_of: subkind::subkind_of,
    ..MediaKind::new("video", "Video", "Video", formats::FORMATS)
};

inventory::submit! { KIND }
