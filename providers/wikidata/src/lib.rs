//! Provider for Wikidata: a short description, dates, links, and the work on which another is
//! based. It needs no key; the data are in the public domain.
//!
//! An item is found only by an id in another database that its files contain. There is no search
//! for names, so that no match can be wrong.
//!
//! Documentation, as of November 2026:
//!
//! - <https://www.wikidata.org/wiki/Wikidata:Data_access>
//! - <https://www.mediawiki.org/wiki/Help:Extension:WikibaseCirrusSearch>, `haswbstatement`
//! - <https://www.wikidata.org/w/api.php?action=help&modules=wbgetentities>
//! - <https://foundation.wikimedia.org/wiki/Policy:Wikimedia_Foundation_User-Agent_Policy>

mod entity;
mod properties;
mod requests;
#[cfg(test)]
mod tests;

use ledge_core::registry::provider::{
    MetadataProvider, People, RateLimit, SentData, Setting, SettingKind,
};

const URL: Setting = Setting {
    variable: "LEDGE_WIKIDATA_URL",
    help: "base URL of Wikidata",
    kind: SettingKind::BaseUrl {
        default: "https://www.wikidata.org",
    },
};

/// Descriptor of Wikidata.
pub const PROVIDER: MetadataProvider = MetadataProvider {
    // It knows little of an item, so that every other provider comes first.
    rank: 900,
    settings: &[URL],
    pace: RateLimit { per_second: 1.0 },
    sends: &[SentData::ExternalIds, SentData::Languages],
    people: People {
        databases: &["wikidata"],
        attribution: None,
    },
    ..MetadataProvider::new("wikidata", "Wikidata", &["audio", "video"], |settings| {
        Ok(Box::new(requests::Wikidata::new(settings)))
    })
};

inventory::submit! { PROVIDER }
