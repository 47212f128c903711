//! Provider for TVmaze: series with people and episodes, in English. It needs no key.
//!
//! The API is described at <https://www.tvmaze.com/api>, checked on 26 November 2026. At least 20
//! requests in 10 seconds are permitted. The licence of the data is CC BY-SA.

mod episodes;
mod parse;
mod requests;
#[cfg(test)]
mod tests;

use ledge_core::registry::provider::{
    Attribution, MetadataProvider, RateLimit, SentData, Setting, SettingKind,
};

const URL: Setting = Setting {
    variable: "LEDGE_TVMAZE_URL",
    help: "base URL of TVmaze's API",
    kind: SettingKind::BaseUrl {
        default: "https://api.tvmaze.com",
    },
};

const IMAGES_URL: Setting = Setting {
    variable: "LEDGE_TVMAZE_IMAGES_URL",
    help: "base URL of TVmaze's pictures",
    kind: SettingKind::BaseUrl {
        default: "https://static.tvmaze.com",
    },
};

/// Descriptor of TVmaze.
pub const PROVIDER: MetadataProvider = MetadataProvider {
    rank: 20,
    subkinds: &["series"],
    attribution: Some(Attribution {
        text: "Series data by TVmaze, licensed under CC BY-SA 4.0.",
        url: "https://www.tvmaze.com",
    }),
    settings: &[URL, IMAGES_URL],
    pace: RateLimit { per_second: 2.0 },
    sends: &[SentData::Title, SentData::ExternalIds],
    ..MetadataProvider::new("tvmaze", "TVmaze", &["video"], |settings| {
        Ok(Box::new(requests::TvMaze::new(settings)))
    })
};

inventory::submit! { PROVIDER }
