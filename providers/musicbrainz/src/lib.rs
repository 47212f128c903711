//! Provider for MusicBrainz: albums, single tracks and artists, with the covers of the Cover Art
//! Archive. It needs no key.
//!
//! Documentation, as of November 2026:
//!
//! - <https://musicbrainz.org/doc/MusicBrainz_API>
//! - <https://musicbrainz.org/doc/MusicBrainz_API/Search>
//! - <https://musicbrainz.org/doc/MusicBrainz_API/Rate_Limiting>
//! - <https://musicbrainz.org/doc/Cover_Art_Archive/API>

mod album;
mod id;
mod lucene;
mod parse;
mod rank;
mod requests;
#[cfg(test)]
mod tests;
mod track;

use ledge_core::registry::provider::{
    Attribution, MetadataProvider, People, RateLimit, SentData, Setting, SettingKind,
};

const URL: Setting = Setting {
    variable: "LEDGE_MUSICBRAINZ_URL",
    help: "base URL of MusicBrainz's API",
    kind: SettingKind::BaseUrl {
        default: "https://musicbrainz.org/ws/2",
    },
};

const COVERS_URL: Setting = Setting {
    variable: "LEDGE_COVERARTARCHIVE_URL",
    help: "base URL of the Cover Art Archive",
    kind: SettingKind::BaseUrl {
        default: "https://coverartarchive.org",
    },
};

/// Descriptor of MusicBrainz.
pub const PROVIDER: MetadataProvider = MetadataProvider {
    rank: 10,
    subkinds: &["album", "track"],
    // The data are in the public domain, except for genres, which are tags of users.
    attribution: Some(Attribution {
        text: "Genres are from MusicBrainz, under the licence CC BY-NC-SA 3.0.",
        url: "https://musicbrainz.org/doc/About/Data_License",
    }),
    settings: &[URL, COVERS_URL],
    // Limit of MusicBrainz for each address.
    pace: RateLimit { per_second: 1.0 },
    sends: &[
        SentData::Title,
        SentData::People,
        SentData::ExternalIds,
        SentData::Parts,
    ],
    people: People {
        databases: &["musicbrainz"],
        // Genres are not among the data of people.
        attribution: None,
    },
    further_hosts: &["archive.org", "*.archive.org"],
    ..MetadataProvider::new("musicbrainz", "MusicBrainz", &["audio"], |settings| {
        Ok(Box::new(requests::MusicBrainz::new(settings)))
    })
};

inventory::submit! { PROVIDER }
