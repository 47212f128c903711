//! Provider of local metadata files, which calibre and Audiobookshelf write into a book's folder.
//! It needs no network.

mod json;
mod local_files;
mod opf;
#[cfg(test)]
mod tests;

use ledge_core::registry::provider::MetadataProvider;

/// Descriptor of the provider of local metadata files.
pub const PROVIDER: MetadataProvider = MetadataProvider {
    // A file in the book's folder was made for exactly this book, so this provider comes first.
    rank: 5,
    is_remote: false,
    ..MetadataProvider::new("local_files", "Local files", &["books", "audio"], |_| {
        Ok(Box::new(local_files::LocalFiles))
    })
};

inventory::submit! { PROVIDER }
