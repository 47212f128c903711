//! The video kind: films, shows and clips.

mod accepts;
mod episode;
mod extras;
mod film;
mod formats;
mod grouping;
mod name;
mod season;
mod show;

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
    accepts: Some(accepts::accepts),
    group: grouping::group,
    probe: Some(ledge_core::ffprobe::probe),
    ..MediaKind::new("video", "Video", "Video", formats::FORMATS)
};

inventory::submit! { KIND }
