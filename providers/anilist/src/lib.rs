//! Provider for AniList: anime series and films, and manga. It needs no key.
//!
//! The API is described at <https://docs.anilist.co>, checked on 26 November 2026. Its documented
//! limit is 90 requests per minute, but a notice there reduces it to 30 for the time being.
//! Entries for adults are found only by their id.

mod id;
mod parse;
mod people;
mod query;
mod requests;
#[cfg(test)]
mod tests;

use ledge_core::registry::provider::{MetadataProvider, RateLimit, SentData, Setting, SettingKind};

const URL: Setting = Setting {
    variable: "LEDGE_ANILIST_URL",
    help: "URL of AniList's API",
    kind: SettingKind::BaseUrl {
        default: "https://graphql.anilist.co",
    },
};

const IMAGES_URL: Setting = Setting {
    variable: "LEDGE_ANILIST_IMAGES_URL",
    help: "base URL of AniList's pictures",
    kind: SettingKind::BaseUrl {
        default: "https://s4.anilist.co",
    },
};

/// Descriptor of AniList.
pub const PROVIDER: MetadataProvider = MetadataProvider {
    rank: 30,
    subkinds: &["film", "series", "comic"],
    settings: &[URL, IMAGES_URL],
    pace: RateLimit { per_second: 0.5 },
    sends: &[SentData::Title, SentData::Series, SentData::ExternalIds],
    ..MetadataProvider::new("anilist", "AniList", &["video", "books"], |settings| {
        Ok(Box::new(requests::AniList::new(settings)))
    })
};

inventory::submit! { PROVIDER }
