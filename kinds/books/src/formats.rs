//! File formats of books and comics, with a reader for each.

pub mod comic;
mod date;
pub mod epub;
pub mod fb2;
pub mod mobi;
pub mod pdf;
pub mod picture;
pub mod places;
pub mod plain;
mod relators;

use ledge_core::registry::{Format, Unit};

/// Extensions of books and comics. Media types are the registered ones if there are any, otherwise
/// those of freedesktop.org's shared MIME-info database.
pub const FORMATS: &[Format] = &[
    // Reflowable books
    Format::new("epub", "application/epub+zip", "epub", Unit::Section),
    Format::new(
        "mobi",
        "application/x-mobipocket-ebook",
        "epub",
        Unit::Section,
    ),
    Format::new(
        "prc",
        "application/x-mobipocket-ebook",
        "epub",
        Unit::Section,
    ),
    Format::new("azw", "application/vnd.amazon.ebook", "epub", Unit::Section),
    Format::new(
        "azw3",
        "application/vnd.amazon.mobi8-ebook",
        "epub",
        Unit::Section,
    ),
    Format::new(
        "kf8",
        "application/vnd.amazon.mobi8-ebook",
        "epub",
        Unit::Section,
    ),
    Format::new(
        "fb2",
        "application/x-fictionbook+xml",
        "epub",
        Unit::Section,
    ),
    Format::new(
        "fbz",
        "application/x-zip-compressed-fb2",
        "epub",
        Unit::Section,
    ),
    Format::new(
        "fb2.zip",
        "application/x-zip-compressed-fb2",
        "epub",
        Unit::Section,
    ),
    // Pages
    Format::new("pdf", "application/pdf", "pdf", Unit::Page),
    Format::new("djvu", "image/vnd.djvu", "download", Unit::Page),
    Format::new("djv", "image/vnd.djvu", "download", Unit::Page),
    // Comics
    Format::new("cbz", "application/vnd.comicbook+zip", "comic", Unit::Page),
    Format::new("cbr", "application/vnd.comicbook-rar", "comic", Unit::Page),
    Format::new("cb7", "application/x-cb7", "comic", Unit::Page),
    Format::new("cbt", "application/x-cbt", "comic", Unit::Page),
    // Formats that no browser displays
    Format::new("txt", "text/plain", "download", Unit::None),
    Format::new("rtf", "application/rtf", "download", Unit::None),
    Format::new("lit", "application/x-ms-reader", "download", Unit::None),
    Format::new("chm", "application/vnd.ms-htmlhelp", "download", Unit::None),
    Format::new(
        "kfx",
        "application/vnd.amazon.ebook",
        "download",
        Unit::None,
    ),
    Format::new(
        "azw4",
        "application/vnd.amazon.ebook",
        "download",
        Unit::None,
    ),
    Format::new("lrf", "application/x-sony-bbeb", "download", Unit::None),
    Format::new("pdb", "application/vnd.palm", "download", Unit::None),
    Format::new("cba", "application/x-cba", "download", Unit::None),
    Format::new(
        "xps",
        "application/vnd.ms-xpsdocument",
        "download",
        Unit::None,
    ),
    Format::new("oxps", "application/oxps", "download", Unit::None),
];

/// Extensions of metadata and cover files in a book's folder.
pub const SIDECARS: &[&str] = &[
    "opf", "nfo", "json", "xml", "jpg", "jpeg", "png", "webp", "mbp", "apnx",
];

/// Returns true for the extension of a comic.
pub fn is_comic(extension: &str) -> bool {
    matches!(extension, "cbz" | "cbr" | "cb7" | "cbt" | "cba")
}
