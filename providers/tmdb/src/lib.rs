//! Provider for The Movie Database (TMDB): films and series with people, pictures and episodes. It
//! needs a key of the user.
//!
//! It uses version 3 of the API, as <https://developer.themoviedb.org/docs> described it on
//! 26 November 2026: at most 20 appended responses per request, and about 40 requests per second.

mod id;
mod language;
mod parse;
mod requests;
#[cfg(test)]
mod tests;

use ledge_core::registry::provider::{
    Attribution, MetadataProvider, People, RateLimit, SentData, Setting, SettingKind,
};

const URL: Setting = Setting {
    variable: "LEDGE_TMDB_URL",
    help: "base URL of TMDB's API",
    kind: SettingKind::BaseUrl {
        default: "https://api.themoviedb.org/3",
    },
};

const IMAGES_URL: Setting = Setting {
    variable: "LEDGE_TMDB_IMAGES_URL",
    help: "base URL of TMDB's pictures",
    kind: SettingKind::BaseUrl {
        default: "https://image.tmdb.org/t/p",
    },
};

const KEY: Setting = Setting {
    variable: "LEDGE_TMDB_KEY",
    help: "API read access token or API key of a TMDB account",
    kind: SettingKind::Secret,
};

const ATTRIBUTION: Attribution = Attribution {
    text: "This product uses the TMDB API but is not endorsed or certified by TMDB.",
    url: "https://www.themoviedb.org",
};

/// Descriptor of TMDB.
pub const PROVIDER: MetadataProvider = MetadataProvider {
    rank: 10,
    subkinds: &["film", "series"],
    attribution: Some(ATTRIBUTION),
    settings: &[KEY, URL, IMAGES_URL],
    pace: RateLimit { per_second: 10.0 },
    sends: &[
        SentData::Title,
        SentData::Year,
        SentData::ExternalIds,
        SentData::Languages,
    ],
    people: People {
        databases: &["tmdb"],
        attribution: Some(ATTRIBUTION),
    },
    ..MetadataProvider::new("tmdb", "TMDB", &["video"], requests::open)
};

inventory::submit! { PROVIDER }
