//! Provider for Audnexus, an open interface to Audible's catalogue: narrators, series, length and
//! chapters of audiobooks. It needs no key.
//!
//! Audnexus finds books only by their ASIN; its search for titles was removed. Books without an
//! ASIN in their tags or names are therefore left to other providers.
//!
//! Documentation: version 1.11.0 of
//! <https://github.com/laxamentumtech/audnexus/blob/main/docs/spec/audnexus.yaml>, as of November
//! 2026.

mod asin;
mod parse;
mod region;
mod requests;
#[cfg(test)]
mod tests;

use ledge_core::registry::provider::{MetadataProvider, RateLimit, SentData, Setting, SettingKind};

const URL: Setting = Setting {
    variable: "LEDGE_AUDNEXUS_URL",
    help: "base URL of Audnexus",
    kind: SettingKind::BaseUrl {
        default: "https://api.audnex.us",
    },
};

const REGION: Setting = Setting {
    variable: "LEDGE_AUDNEXUS_REGION",
    help: "Audible's catalogue: au, ca, de, es, fr, in, it, jp, uk or us",
    kind: SettingKind::Choice {
        values: region::NAMES,
        // The code of the country in ISO 3166.
        aliases: &[("gb", "uk")],
    },
};

/// Host of the covers. Pictures of other hosts are left out.
const COVER_HOST: &str = "m.media-amazon.com";

/// Descriptor of Audnexus.
pub const PROVIDER: MetadataProvider = MetadataProvider {
    rank: 10,
    subkinds: &["audiobook"],
    settings: &[URL, REGION],
    // Audnexus permits 100 requests in a minute.
    pace: RateLimit { per_second: 1.0 },
    // Audible's covers.
    further_hosts: &[COVER_HOST],
    sends: &[SentData::ExternalIds, SentData::Languages],
    ..MetadataProvider::new("audnexus", "Audnexus", &["audio"], |settings| {
        Ok(Box::new(requests::Audnexus::new(settings)))
    })
};

inventory::submit! { PROVIDER }
