//! The video kind: films, shows and clips.

pub mod container;
#[cfg(test)]
mod fixtures;
pub mod formats;
mod grouping;
mod naming;
pub mod reading;
mod routes;
pub mod subtitles;

use ledge_core::http::KindRoutes;
use ledge_core::registry::{MatchRules, MediaKind, Shape, Unit};

/// Descriptor of the video kind.
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
    metadata_sidecars: reading::nfo::METADATA_SIDECARS,
    reading_version: 5,
    grouping_version: 4,
    contested: formats::CONTESTED,
    accepts: Some(|candidate| reading::accepts::accepts(candidate).into()),
    group: grouping::group,
    partition: Some(grouping::partition),
    inspect: Some(reading::inspect::inspect),
    probe: Some(reading::inspect::probe),
    cover: Some(reading::inspect::cover),
    part_date: Some(reading::inspect::part_date),
    number_of_folder: naming::season::single,
    cover_stems: reading::poster::STEMS,
    subkinds: grouping::subkind::SUBKINDS,
    subkind_of: grouping::subkind::subkind_of,
    author_role: |_| "director",
    match_rules: |_| MatchRules::RELEASES,
    ..MediaKind::new("video", "Video", "Video", formats::FORMATS)
};

inventory::submit! { KIND }
inventory::submit! { KindRoutes { kind: KIND.id, router: routes::router } }
