//! The books kind: books and comics, told by their names and by what they say inside.

pub mod accepts;
pub mod archive;
mod bytes;
pub mod comic;
pub mod date;
pub mod epub;
pub mod fb2;
#[cfg(test)]
mod fixtures;
pub mod formats;
pub mod grouping;
pub mod inspect;
pub mod isbn;
pub mod mobi;
#[cfg(test)]
mod mutations;
pub mod names;
pub mod pdf;
pub mod picture;
pub mod plain;
pub mod relators;
pub mod routes;
mod subkind;

pub use ledge_core::markup::{self as html, text, xml};
use ledge_core::registry::{MediaKind, Shape, Unit};

/// The descriptor of the books kind.
pub const KIND: MediaKind = MediaKind {
    rank: 10,
    icon: "M12 7v14M3 18a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1h5a4 4 0 0 1 4 4 4 4 0 0 1 4-4h5a1 1 0 0 1 1 1v13a1 1 0 0 1-1 1h-6a3 3 0 0 0-3 3 3 3 0 0 0-3-3z",
    hue: 78,
    shape: Shape::Book,
    aspect: 0.667,
    verb: "read",
    unit: Unit::Page,
    sidecars: formats::SIDECARS,
    reading_version: 3,
    grouping_version: 2,
    accepts: Some(|candidate| accepts::accepts(candidate).into()),
    families: Some(grouping::families),
    group: grouping::group,
    inspect: Some(inspect::inspect),
    cover: Some(inspect::cover),
    routes: Some(routes::router),
    subkinds: subkind::SUBKINDS,
    subkind_of: subkind::subkind_of,
    search_title: names::search_title,
    ..MediaKind::new("books", "Book", "Books", formats::FORMATS)
};

inventory::submit! { KIND }
