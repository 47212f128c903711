//! What lies beside: the metadata files that calibre and Audiobookshelf put into a book's folder.
//! A provider that needs no network.

mod ask;
mod json;
mod opf;
#[cfg(test)]
mod tests;

use ledge_core::registry::provider::MetadataProvider;

/// The descriptor of the files beside.
pub const PROVIDER: MetadataProvider = MetadataProvider {
    // Whoever wrote a file beside the book knew the book: it is asked before everybody else.
    rank: 5,
    asks_somebody: false,
    ..MetadataProvider::new("beside", "Files beside", &["books", "audio"], |_| {
        Ok(Box::new(ask::Beside))
    })
};

inventory::submit! { PROVIDER }
