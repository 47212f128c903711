//! Provider for Google Books: books with their authors, years, descriptions and covers. It needs no
//! key.

mod parse;
mod requests;
#[cfg(test)]
mod tests;

use ledge_core::registry::provider::{MetadataProvider, RateLimit, SentData, Setting, SettingKind};

const URL: Setting = Setting {
    variable: "LEDGE_GOOGLEBOOKS_URL",
    help: "base URL of Google Books and its covers",
    kind: SettingKind::BaseUrl {
        default: "https://www.googleapis.com/books/v1",
    },
};

/// Descriptor of Google Books.
pub const PROVIDER: MetadataProvider = MetadataProvider {
    rank: 20,
    settings: &[URL],
    // Requests without a key share a small quota.
    pace: RateLimit { per_second: 1.0 },
    sends: &[SentData::Title, SentData::People, SentData::Isbn],
    further_hosts: &["books.google.com"],
    ..MetadataProvider::new("googlebooks", "Google Books", &["books"], |settings| {
        Ok(Box::new(requests::GoogleBooks::new(settings)))
    })
};

inventory::submit! { PROVIDER }
