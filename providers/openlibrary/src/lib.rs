//! Provider for Open Library: books with their authors, first years and covers. It needs no key.

mod id;
mod parse;
mod requests;
#[cfg(test)]
mod tests;

use ledge_core::registry::provider::{MetadataProvider, RateLimit, SentData, Setting, SettingKind};

const URL: Setting = Setting {
    variable: "LEDGE_OPENLIBRARY_URL",
    help: "base URL of Open Library",
    kind: SettingKind::BaseUrl {
        default: "https://openlibrary.org",
    },
};

const COVERS_URL: Setting = Setting {
    variable: "LEDGE_OPENLIBRARY_COVERS_URL",
    help: "base URL of Open Library's covers",
    kind: SettingKind::BaseUrl {
        default: "https://covers.openlibrary.org",
    },
};

/// Descriptor of Open Library.
pub const PROVIDER: MetadataProvider = MetadataProvider {
    rank: 10,
    settings: &[URL, COVERS_URL],
    // Rate limit of Open Library for clients that send no contact address.
    pace: RateLimit { per_second: 1.0 },
    sends: &[SentData::Title, SentData::People, SentData::Isbn],
    ..MetadataProvider::new("openlibrary", "Open Library", &["books"], |settings| {
        Ok(Box::new(requests::OpenLibrary::new(settings)))
    })
};

inventory::submit! { PROVIDER }
