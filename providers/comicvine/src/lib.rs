//! Provider for Comic Vine: issues and collected editions of comics. It needs a key of the user.
//!
//! The API is described at <https://comicvine.gamespot.com/api/documentation>, checked on
//! 26 November 2026. It permits 200 requests per resource and hour, and blocks clients that send
//! several requests within a second. The key must be part of the query.

mod issue;
mod number;
mod requests;
#[cfg(test)]
mod tests;
mod volume;

use ledge_core::registry::provider::{
    Attribution, MetadataProvider, RateLimit, SentData, Setting, SettingKind,
};

const URL: Setting = Setting {
    variable: "LEDGE_COMICVINE_URL",
    help: "base URL of Comic Vine's API",
    kind: SettingKind::BaseUrl {
        default: "https://comicvine.gamespot.com/api",
    },
};

const IMAGES_URL: Setting = Setting {
    variable: "LEDGE_COMICVINE_IMAGES_URL",
    help: "base URL of Comic Vine's pictures",
    kind: SettingKind::BaseUrl {
        default: "https://comicvine.gamespot.com",
    },
};

const KEY: Setting = Setting {
    variable: "LEDGE_COMICVINE_KEY",
    help: "API key of a Comic Vine account",
    kind: SettingKind::Secret,
};

/// Descriptor of Comic Vine.
pub const PROVIDER: MetadataProvider = MetadataProvider {
    rank: 7,
    subkinds: &["comic"],
    attribution: Some(Attribution {
        text: "Comic data by Comic Vine.",
        url: "https://comicvine.gamespot.com",
    }),
    settings: &[KEY, URL, IMAGES_URL],
    // At most 200 requests per resource and hour: a run can send all of them to one resource.
    pace: RateLimit { per_second: 0.055 },
    sends: &[SentData::Title, SentData::Series, SentData::ExternalIds],
    ..MetadataProvider::new("comicvine", "Comic Vine", &["books"], requests::open)
};

inventory::submit! { PROVIDER }
