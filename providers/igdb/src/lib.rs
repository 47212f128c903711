//! IGDB: games, their developers, years and covers. Asked with a client's credentials.

mod ask;
mod parse;
mod platforms;
mod query;
#[cfg(test)]
mod tests;
mod token;

use ledge_core::registry::provider::{MetadataProvider, Pace, Setting, SettingKind};

const URL: Setting = Setting {
    variable: "LEDGE_IGDB_URL",
    help: "where IGDB is reached",
    kind: SettingKind::BaseUrl {
        default: "https://api.igdb.com/v4",
    },
};

const TOKEN_URL: Setting = Setting {
    variable: "LEDGE_IGDB_TOKEN_URL",
    help: "where IGDB's access tokens are given out",
    kind: SettingKind::BaseUrl {
        default: "https://id.twitch.tv/oauth2/token",
    },
};

const IMAGES_URL: Setting = Setting {
    variable: "LEDGE_IGDB_IMAGES_URL",
    help: "where IGDB's covers are reached",
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

/// The descriptor of IGDB.
pub const PROVIDER: MetadataProvider = MetadataProvider {
    rank: 10,
    settings: &[CLIENT_ID, CLIENT_SECRET, URL, TOKEN_URL, IMAGES_URL],
    pace: Pace { per_second: 4.0 },
    ..MetadataProvider::new("igdb", "IGDB", &["games"], ask::open)
};

inventory::submit! { PROVIDER }
