//! GraphQL queries to AniList.

use ledge_core::registry::provider::Query;
use serde_json::{Value, json};

/// Fields that are requested of every candidate.
const FIELDS: &str = "id idMal type format episodes isAdult synonyms \
                      title { romaji english native } startDate { year month day } \
                      description(asHtml: false) coverImage { extraLarge large }";

/// People of a candidate, whose authors are evidence.
const STAFF: &str = "staff(perPage: 8, sort: RELEVANCE) { edges { role node { name { full } } } }";

/// Further fields of a complete entry.
const DETAILS: &str = "bannerImage genres duration status countryOfOrigin siteUrl \
     trailer { id site } \
     studios { edges { isMain node { name } } } \
     staff(perPage: 25, sort: RELEVANCE) { \
       edges { role node { id name { full } image { large } } } } \
     characters(perPage: 25, sort: [ROLE, RELEVANCE]) { \
       edges { node { name { full } } \
               voiceActors(language: JAPANESE) { id name { full } image { large } } } }";

/// Media that can be the item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    Film,
    Series,
    Manga,
    /// Words of a user about a video of an unknown subkind.
    Anime,
}

impl Wanted {
    /// Returns the media that a query asks for, or `None` if AniList has no such media.
    pub(crate) fn of(question: &Query) -> Option<Self> {
        match (question.kind.as_str(), question.subkind.as_deref()) {
            ("video", Some("film")) => Some(Self::Film),
            ("video", Some("series")) => Some(Self::Series),
            ("video", None) => Some(Self::Anime),
            ("books", Some("comic") | None) => Some(Self::Manga),
            _ => None,
        }
    }

    fn media_type(self) -> &'static str {
        match self {
            Self::Manga => "MANGA",
            _ => "ANIME",
        }
    }

    fn formats(self) -> &'static [&'static str] {
        match self {
            Self::Film => &["MOVIE", "SPECIAL", "OVA", "ONA"],
            Self::Series => &["TV", "TV_SHORT", "OVA", "ONA", "SPECIAL"],
            Self::Manga => &["MANGA", "ONE_SHOT"],
            Self::Anime => &["MOVIE", "TV", "TV_SHORT", "OVA", "ONA", "SPECIAL"],
        }
    }

    /// Returns `true` if an entry of this type, format and number of episodes can be the item. The
    /// same title may exist as a manga, a series and a film.
    pub(crate) fn accepts(self, entry: &Value) -> bool {
        let text = |field: &str| entry.get(field).and_then(Value::as_str).unwrap_or_default();
        let format = text("format");
        if text("type") != self.media_type() || !self.formats().contains(&format) {
            return false;
        }
        let episodes = entry.get("episodes").and_then(Value::as_i64);
        match self {
            Self::Film => format == "MOVIE" || episodes == Some(1),
            Self::Series => episodes != Some(1),
            Self::Manga | Self::Anime => true,
        }
    }
}

/// Returns the body of a search.
pub(crate) fn search(title: &str, wanted: Wanted) -> Value {
    let query = format!(
        "query ($search: String!, $type: MediaType, $formats: [MediaFormat]) {{ \
           Page(page: 1, perPage: 15) {{ \
             media(search: $search, type: $type, format_in: $formats, isAdult: false, \
                   sort: SEARCH_MATCH) {{ {FIELDS} {STAFF} }} }} }}"
    );
    json!({
        "query": query,
        "variables": {
            "search": title, "type": wanted.media_type(), "formats": wanted.formats()
        },
    })
}

/// Returns the body of a query for one entry.
pub(crate) fn by_id(id: u64) -> Value {
    let query = format!("query ($id: Int) {{ Media(id: $id) {{ {FIELDS} {DETAILS} }} }}");
    json!({ "query": query, "variables": { "id": id } })
}
