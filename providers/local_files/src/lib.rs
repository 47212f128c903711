//! Provider of local metadata files, which other programs write next to media: calibre,
//! Audiobookshelf, Kodi, Jellyfin, Emby, comic managers and `EmulationStation`. It needs no network
//! and writes nothing.

mod album;
mod comic;
mod gamelist;
mod json;
mod local_files;
mod local_pictures;
mod nfo;
mod node;
mod opf;
mod pictures;
mod season;
mod show;
#[cfg(test)]
mod tests;

use ledge_core::registry::provider::MetadataProvider;

pub use local_files::parse_every_format;

/// Descriptor of the provider of local metadata files.
pub const PROVIDER: MetadataProvider = MetadataProvider {
    // A file in the item's folder was made for exactly this item, so this provider comes first.
    rank: 5,
    is_remote: false,
    ..MetadataProvider::new(
        "local_files",
        "Local files",
        &["books", "audio", "video", "games"],
        |_| Ok(Box::new(local_files::LocalFiles)),
    )
};

inventory::submit! { PROVIDER }
