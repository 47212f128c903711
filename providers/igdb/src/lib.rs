//! Provider for IGDB: games with their developers, years and covers. It needs a Twitch
//! application's credentials.

mod parse;
mod platforms;
mod query;
mod requests;
#[cfg(test)]
mod tests;
mod token;

use ledge_core::registry::provider::{MetadataProvider, RateLimit, SentData, Setting, SettingKind};

const URL: Setting = Setting {
    variable: "LEDGE_IGDB_URL",
    help: "base URL of IGDB",
    kind: SettingKind::BaseUrl {
        default: "https://api.igdb.com/v4",
    },
};

const TOKEN_URL: Setting = Setting {
    variable: "LEDGE_IGDB_TOKEN_URL",
    help: "URL that issues IGDB's access tokens",
    kind: SettingKind::BaseUrl {
        default: "https://id.twitch.tv/oauth2/token",
    },
};

const IMAGES_URL: Setting = Setting {
    variable: "LEDGE_IGDB_IMAGES_URL",
    help: "base URL of IGDB's covers",
    kind: SettingKind::BaseUrl {
        default: "https://images.igdb.com",
    },
};

const CLIENT_ID: Setting = Setting {
    variable: "LEDGE_IGDB_CLIENT_ID",
    help: "client identifier of a Twitch application, for IGDB",
    kind: SettingKind::Text,
};

const CLIENT_SECRET: Setting = Setting {
    variable: "LEDGE_IGDB_CLIENT_SECRET",
    help: "client secret of that application",
    kind: SettingKind::Secret,
};

/// Descriptor of IGDB.
pub const PROVIDER: MetadataProvider = MetadataProvider {
    rank: 10,
    settings: &[CLIENT_ID, CLIENT_SECRET, URL, TOKEN_URL, IMAGES_URL],
    pace: RateLimit { per_second: 4.0 },
    sends: &[SentData::Title, SentData::Platform],
    ..MetadataProvider::new("igdb", "IGDB", &["games"], requests::open)
};

inventory::submit! { PROVIDER }
