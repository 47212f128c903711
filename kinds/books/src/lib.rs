//! The books kind: books and comics, read from their names and embedded metadata.

pub mod accepts;
pub mod archive;
#[cfg(test)]
mod fixtures;
pub mod formats;
pub mod grouping;
pub mod inspect;
pub mod isbn;
#[cfg(test)]
mod mutations;
pub mod names;
pub mod routes;
mod subkind;

use ledge_core::http::KindRoutes;
use ledge_core::registry::{MediaKind, Shape, Unit, WorkForm};
pub use ledge_core::text::markup as html;
pub use ledge_core::text::markup::{text, xml};

/// Descriptor of the books kind.
pub const KIND: MediaKind = MediaKind {
    rank: 10,
    icon: "M12 7v14M3 18a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1h5a4 4 0 0 1 4 4 4 4 0 0 1 4-4h5a1 1 0 0 1 1 1v13a1 1 0 0 1-1 1h-6a3 3 0 0 0-3 3 3 3 0 0 0-3-3z",
    hue: 78,
    shape: Shape::Book,
    aspect: 0.667,
    verb: "read",
    unit: Unit::Page,
    sidecars: formats::SIDECARS,
    reading_version: 4,
    grouping_version: 4,
    accepts: Some(|candidate| accepts::accepts(candidate).into()),
    partition: Some(grouping::partition),
    group: grouping::group,
    inspect: Some(inspect::inspect),
    cover: Some(inspect::cover),
    subkinds: subkind::SUBKINDS,
    subkind_of: subkind::subkind_of,
    work_form: |_| Some(WorkForm::Text),
    match_rules: subkind::match_rules,
    search_title: names::search_title,
    section_of: Some(inspect::section_of),
    ..MediaKind::new("books", "Book", "Books", formats::FORMATS)
};

inventory::submit! { KIND }
inventory::submit! { KindRoutes { kind: KIND.id, router: routes::router } }
inventory::submit! { routes::publications::PUBLICATIONS }
