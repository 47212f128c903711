//! Google Books: books, their authors, years, descriptions and covers. Keyless.

mod ask;
mod parse;
#[cfg(test)]
mod tests;

use ledge_core::registry::provider::{MetadataProvider, Pace, Setting, SettingKind};

const URL: Setting = Setting {
    variable: "LEDGE_GOOGLEBOOKS_URL",
    help: "where Google Books and its covers are reached",
    kind: SettingKind::BaseUrl {
        default: "https://www.googleapis.com/books/v1",
    },
};

/// The descriptor of Google Books.
pub const PROVIDER: MetadataProvider = MetadataProvider {
    rank: 20,
    settings: &[URL],
    // Who asks without a key shares a small allowance.
    pace: Pace { per_second: 1.0 },
    ..MetadataProvider::new("googlebooks", "Google Books", &["books"], |settings| {
        Ok(Box::new(ask::GoogleBooks::of(settings)))
    })
};

inventory::submit! { PROVIDER }
