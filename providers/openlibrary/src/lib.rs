//! Open Library: books, their authors, first years and covers. Keyless.

mod ask;
mod id;
mod parse;
#[cfg(test)]
mod tests;

use ledge_core::registry::provider::{MetadataProvider, Pace, Setting, SettingKind};

const URL: Setting = Setting {
    variable: "LEDGE_OPENLIBRARY_URL",
    help: "where Open Library is reached",
    kind: SettingKind::BaseUrl {
        default: "https://openlibrary.org",
    },
};

const COVERS_URL: Setting = Setting {
    variable: "LEDGE_OPENLIBRARY_COVERS_URL",
    help: "where Open Library's covers are reached",
    kind: SettingKind::BaseUrl {
        default: "https://covers.openlibrary.org",
    },
};

/// The descriptor of Open Library.
pub const PROVIDER: MetadataProvider = MetadataProvider {
    rank: 10,
    settings: &[URL, COVERS_URL],
    // What Open Library asks of programs that do not say whom to write to.
    pace: Pace { per_second: 1.0 },
    ..MetadataProvider::new("openlibrary", "Open Library", &["books"], |settings| {
        Ok(Box::new(ask::OpenLibrary::of(settings)))
    })
};

inventory::submit! { PROVIDER }
