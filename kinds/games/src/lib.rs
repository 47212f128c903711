//! The games kind: platforms and their cores, release marks in names, discs, ROMs in archives.

pub mod cores;
#[cfg(test)]
mod fixtures;
pub mod formats;
pub mod grouping;
pub mod naming;
pub mod reading;
pub mod routes;
pub mod saves;

use ledge_core::http::KindRoutes;
use ledge_core::registry::{MediaKind, Shape, Unit};

/// Descriptor of the games kind.
pub const KIND: MediaKind = MediaKind {
    rank: 40,
    icon: "M6 11h4M8 9v4M15 12h.01M18 10h.01M17.32 5H6.68a4 4 0 0 0-3.978 3.59C2.604 9.416 2 14.456 2 16a3 3 0 0 0 3 3c1 0 1.5-.5 2-1l1.414-1.414A2 2 0 0 1 9.828 16h4.344a2 2 0 0 1 1.414.586L17 18c.5.5 1 1 2 1a3 3 0 0 0 3-3c0-1.545-.604-6.584-.685-7.258A4 4 0 0 0 17.32 5z",
    hue: 155,
    shape: Shape::Box,
    aspect: 0.75,
    verb: "play",
    unit: Unit::Second,
    sidecars: formats::SIDECARS,
    metadata_sidecars: reading::inspect::METADATA_SIDECARS,
    grouping_version: 3,
    accepts: Some(reading::accepts::accepts),
    partition: Some(grouping::partition),
    group: grouping::group,
    inspect: Some(reading::inspect::inspect),
    cover: Some(reading::inspect::cover),
    cover_stems: formats::COVERS,
    search_title: naming::names::search_title,
    display_title: naming::display::display_title,
    keeps_title: true,
    has_saves: true,
    author_role: |_| "developer",
    subkinds: &formats::subkind::SUBKINDS,
    subkind_of: formats::subkind::subkind_of,
    assets: Some(cores::asset),
    ..MediaKind::new("games", "Game", "Games", formats::FORMATS)
};

inventory::submit! { KIND }
inventory::submit! { KindRoutes { kind: KIND.id, router: routes::router } }
