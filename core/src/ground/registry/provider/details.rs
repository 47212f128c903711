//! Details of a provider's entry beyond the fields of an item: credits, pictures, episodes.

use serde::{Deserialize, Serialize};

use super::lookup::Cover;

/// Id of an entry in an external database, such as `tt0133093` in `imdb`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ExternalId {
    /// Name of the database in lower case: `imdb`, `tmdb`, `tvdb`, `musicbrainz`, `asin`, ….
    pub database: String,
    /// Id in that database.
    pub id: String,
}

impl ExternalId {
    /// Creates an id.
    pub fn new(database: &str, id: impl Into<String>) -> Self {
        Self {
            database: database.to_owned(),
            id: id.into(),
        }
    }

    /// Returns the id in a database.
    pub fn find<'a>(ids: &'a [Self], database: &str) -> Option<&'a str> {
        let found = ids.iter().find(|known| known.database == database)?;
        Some(&found.id)
    }
}

/// File of an item that is an episode or a track, for the comparison with an entry.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KnownPart {
    /// Season of an episode, or number of a disc.
    pub season: Option<i64>,
    /// Number of an episode within its season, or position of a track.
    pub number: Option<i64>,
    /// Title of the part, if its name or its file contains one.
    pub title: Option<String>,
    /// Length in seconds.
    pub seconds: Option<f64>,
}

/// Details of an entry. They are untrusted input: the core bounds and sanitizes them. The serialized
/// fields are stored with the item and shown as they are; the other ones have their own tables.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct Details {
    /// Title in the original language, if it differs.
    pub original_title: Option<String>,
    /// Short advertising line.
    pub tagline: Option<String>,
    /// Date of the first release as `YYYY`, `YYYY-MM` or `YYYY-MM-DD`.
    pub released: Option<String>,
    /// Date of this edition in the same form, if it differs from that of the first release.
    pub edition_released: Option<String>,
    /// Length in minutes: of a film, of an audiobook, of an average episode.
    pub runtime: Option<u32>,
    /// Genres in order.
    #[serde(skip)]
    pub genres: Vec<String>,
    /// Studios, networks, labels or publishers in order.
    pub studios: Vec<String>,
    /// Countries of production, as ISO 3166-1 codes or names.
    pub countries: Vec<String>,
    /// Collection of films or arc of comics to which the entry belongs.
    pub collection: Option<String>,
    /// Age ratings by country.
    pub certificates: Vec<Certificate>,
    /// Form of a release: `album`, `single`, `live`, `compilation`, …; status of a series.
    pub form: Option<String>,
    /// People in billing order. Roles as in `Credit`; cast members have the role `actor`.
    #[serde(skip)]
    pub people: Vec<PersonCredit>,
    /// Wide picture behind the page of the item.
    #[serde(skip)]
    pub backdrop: Option<Cover>,
    /// Title as a picture with transparent background.
    #[serde(skip)]
    pub logo: Option<Cover>,
    /// Posters of the seasons of a series.
    #[serde(skip)]
    pub season_posters: Vec<SeasonPoster>,
    /// Episodes of a series, including those without a file.
    #[serde(skip)]
    pub episodes: Vec<EpisodeDetails>,
    /// Pictures of people, seasons and episodes that the provider delivers as bytes. Addresses are
    /// in [`PersonCredit::picture`], [`Details::season_posters`] and [`EpisodeDetails::still`].
    #[serde(skip)]
    pub pictures: Vec<DeliveredPicture>,
    /// Lengths of the tracks in seconds, in the order of discs and positions. Empty if unknown.
    #[serde(skip)]
    pub track_seconds: Vec<f64>,
    /// Chapters of an audiobook. They are offered to users and replace no chapters of files.
    pub chapters: Vec<ChapterDetails>,
    /// Pages about the entry and trailers. Clients show them as links.
    pub links: Vec<DetailLink>,
}

/// Age rating in one country.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Certificate {
    /// ISO 3166-1 code of the country in capital letters: `DE`.
    pub country: String,
    /// Rating as it is used there: `12`, `PG-13`.
    pub rating: String,
}

/// Credit of a person in an entry.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PersonCredit {
    /// Name in reading order.
    pub name: String,
    /// `author` for people of the item's author line, `actor` for the cast. Otherwise the name of
    /// the role: `narrator`, `writer`, `composer`, ….
    pub role: String,
    /// Played character.
    pub character: Option<String>,
    /// Ids of the person. The first one identifies the person's row.
    pub ids: Vec<ExternalId>,
    /// URL of a picture. It is fetched when a page shows the person.
    pub picture: Option<String>,
}

/// Details of a person or of a group. They are untrusted input: the core bounds and sanitizes them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PersonDetails {
    /// Biography as plain text.
    pub biography: Option<String>,
    /// Date of birth, or of the foundation of a group, as `YYYY`, `YYYY-MM` or `YYYY-MM-DD`.
    pub born: Option<String>,
    /// Date of death, or of the end of a group, in the same form.
    pub died: Option<String>,
    /// Place of birth, or of the foundation of a group.
    pub birthplace: Option<String>,
    /// `true` for a band, an orchestra or another group.
    pub is_group: bool,
    /// Pages about the person.
    pub links: Vec<DetailLink>,
    /// Ids of the person in other databases.
    pub external_ids: Vec<ExternalId>,
    /// URL of a picture. It is fetched when a page shows the person.
    #[serde(skip)]
    pub portrait: Option<String>,
}

/// Address of the poster of a season.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeasonPoster {
    /// Number of the season; 0 for specials.
    pub season: i64,
    /// URL of the picture. It is fetched only if the item has a file of the season.
    pub url: String,
}

/// Episode of a series.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EpisodeDetails {
    /// Number of the season; 0 for specials.
    pub season: i64,
    /// Number within the season.
    pub number: i64,
    /// Number in the whole series, if episodes are counted without seasons.
    pub absolute: Option<i64>,
    /// Title of the episode.
    pub title: Option<String>,
    /// Summary as plain text.
    pub description: Option<String>,
    /// Date of the first broadcast as `YYYY-MM-DD`.
    pub aired: Option<String>,
    /// URL of a picture. It is fetched only if the item has the episode.
    pub still: Option<String>,
}

/// Maximum number of pictures that a provider delivers as bytes with one entry.
pub const MAX_DELIVERED_PICTURES: usize = 300;

/// Picture of a person, of a season or of an episode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveredPicture {
    /// Subject of the picture.
    pub of: PictureSubject,
    /// Undecoded picture.
    pub picture: Cover,
}

/// Pictures in the folders of an item. They take precedence over those of its match.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LocalPictures {
    /// Wide picture behind the page of the item.
    pub backdrop: Option<Cover>,
    /// Title as a picture with transparent background.
    pub logo: Option<Cover>,
    /// Posters of seasons.
    pub seasons: Vec<DeliveredPicture>,
}

/// Subject of a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PictureSubject {
    /// Person of the entry with this name.
    Person(String),
    /// Season of the entry; 0 for specials.
    Season(i64),
    /// Episode of the entry.
    Episode {
        /// Number of the season; 0 for specials.
        season: i64,
        /// Number within the season.
        number: i64,
    },
}

/// Chapter of an audiobook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ChapterDetails {
    /// Title of the chapter.
    pub title: String,
    /// Start in seconds.
    pub start: f64,
}

/// Link to another site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct DetailLink {
    /// Text of the link: `IMDb`, `Trailer`.
    pub label: String,
    /// Absolute URL with the scheme `https`.
    pub url: String,
}

impl DetailLink {
    /// Creates a link. The core drops links with another scheme than `https`.
    pub fn new(label: impl Into<String>, url: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            url: url.into(),
        }
    }
}
