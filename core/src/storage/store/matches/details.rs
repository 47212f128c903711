//! Details of an item from the provider of its match.

use std::collections::{BTreeMap, HashSet};

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::write::Match;
use crate::error::StoreResult;
use crate::id::ItemId;
use crate::registry::provider::{
    Attribution, Candidate, Certificate, ChapterDetails, Cover, DetailLink, EpisodeDetails,
    MetadataProvider,
};
use crate::store::cover::picture::{self, Place, Role};

/// Details of an item beyond its fields, from the provider of its match.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ItemDetails {
    /// Title in the original language, if it differs.
    pub original_title: Option<String>,
    /// Short advertising line.
    pub tagline: Option<String>,
    /// Date of the first release: `2001-05-03`, `2001-05` or `2001`.
    pub released: Option<String>,
    /// Date of the release of this edition, in the same form, if it differs.
    pub edition_released: Option<String>,
    /// Length in minutes: of a film, of an audiobook, of an average episode.
    pub runtime: Option<u32>,
    /// Studios, networks, labels or publishers in order.
    pub studios: Vec<String>,
    /// Countries of production.
    pub countries: Vec<String>,
    /// Collection to which the item belongs.
    pub collection: Option<String>,
    /// Age ratings by country.
    pub certificates: Vec<Certificate>,
    /// Form of a release, or status of a series.
    pub form: Option<String>,
    /// Pages about the item and trailers.
    pub links: Vec<DetailLink>,
    /// Chapters of an audiobook, for files without chapters.
    pub chapters: Vec<ChapterDetails>,
    /// Ids of the item in external databases, by database.
    pub external_ids: BTreeMap<String, String>,
}

/// Details with their origin.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SourcedDetails {
    /// The details.
    #[serde(flatten)]
    pub details: ItemDetails,
    /// Id of the provider.
    pub provider: String,
    /// Name of the provider.
    pub provider_label: String,
    /// Credit that the provider's terms require.
    pub attribution: Option<Attribution>,
}

impl ItemDetails {
    fn of(candidate: &Candidate) -> Self {
        let details = &candidate.details;
        let ids = candidate.external_ids.iter();
        Self {
            original_title: details.original_title.clone(),
            tagline: details.tagline.clone(),
            released: details.released.clone(),
            edition_released: details.edition_released.clone(),
            runtime: details.runtime,
            studios: details.studios.clone(),
            countries: details.countries.clone(),
            collection: details.collection.clone(),
            certificates: details.certificates.clone(),
            form: details.form.clone(),
            links: details.links.clone(),
            chapters: details.chapters.clone(),
            external_ids: ids.map(|id| (id.database.clone(), id.id.clone())).collect(),
        }
    }
}

/// Returns the details of an item. The provider may no longer be part of this build.
pub fn of_item(
    conn: &Connection,
    providers: &[&'static MetadataProvider],
    item: ItemId,
) -> StoreResult<Option<SourcedDetails>> {
    let mut statement =
        conn.prepare_cached("SELECT provider, data FROM item_detail WHERE item_id = :item")?;
    let row = statement.query_row(named_params! { ":item": item }, |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
    });
    let Some((provider, data)) = row.optional()? else {
        return Ok(None);
    };
    let descriptor = providers.iter().find(|known| known.id == provider);
    Ok(Some(SourcedDetails {
        details: serde_json::from_str(&data).unwrap_or_default(),
        provider_label: descriptor
            .map_or(provider.as_str(), |known| known.label)
            .to_owned(),
        attribution: descriptor.and_then(|known| known.attribution),
        provider,
    }))
}

/// Episode that a provider knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownEpisode {
    /// Number of the season; 0 for specials.
    pub season: i64,
    /// Number within the season.
    pub number: i64,
    /// Title of the episode.
    pub title: Option<String>,
    /// Summary as plain text.
    pub description: Option<String>,
    /// Date of the first broadcast, as `YYYY-MM-DD`.
    pub aired: Option<String>,
}

/// Returns the episodes of an item that its provider knows, in order.
pub fn episodes(conn: &Connection, item: ItemId) -> StoreResult<Vec<KnownEpisode>> {
    let mut statement = conn.prepare_cached(
        "SELECT season, number, title, description, aired
           FROM episode_detail
          WHERE item_id = :item
          ORDER BY season, number",
    )?;
    let rows = statement.query_map(named_params! { ":item": item }, |row| {
        Ok(KnownEpisode {
            season: row.get(0)?,
            number: row.get(1)?,
            title: row.get(2)?,
            description: row.get(3)?,
            aired: row.get(4)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Replaces the details, the episodes and the pictures of an item by those of a match.
pub(super) fn write(tx: &Transaction<'_>, item: ItemId, wanted: &Match<'_>) -> StoreResult<()> {
    let (provider, details) = (wanted.provider, &wanted.candidate.details);
    let data = ItemDetails::of(wanted.candidate);
    if data == ItemDetails::default() {
        tx.prepare_cached("DELETE FROM item_detail WHERE item_id = :item")?
            .execute(named_params! { ":item": item })?;
    } else {
        let data = serde_json::to_string(&data).expect("plain data is JSON");
        tx.prepare_cached(
            "INSERT INTO item_detail (item_id, provider, data)
             VALUES (:item, :provider, :data)
                 ON CONFLICT DO UPDATE SET provider = :provider, data = :data",
        )?
        .execute(named_params! { ":item": item, ":provider": provider, ":data": data })?;
    }
    write_episodes(tx, item, &details.episodes)?;
    write_pictures(tx, item, wanted)
}

fn write_episodes(
    tx: &Transaction<'_>,
    item: ItemId,
    episodes: &[EpisodeDetails],
) -> StoreResult<()> {
    tx.prepare_cached("DELETE FROM episode_detail WHERE item_id = :item")?
        .execute(named_params! { ":item": item })?;
    let mut insert = tx.prepare_cached(
        "INSERT OR IGNORE INTO episode_detail
                (item_id, season, number, title, description, aired)
         VALUES (:item, :season, :number, :title, :description, :aired)",
    )?;
    for episode in episodes {
        insert.execute(named_params! {
            ":item": item,
            ":season": episode.season,
            ":number": episode.number,
            ":title": episode.title,
            ":description": episode.description,
            ":aired": episode.aired,
        })?;
    }
    Ok(())
}

fn write_pictures(tx: &Transaction<'_>, item: ItemId, wanted: &Match<'_>) -> StoreResult<()> {
    let details = &wanted.candidate.details;
    let mut addresses: Vec<(Place, &str)> = Vec::new();
    for (role, cover) in [
        (Role::Backdrop, &details.backdrop),
        (Role::Logo, &details.logo),
    ] {
        if let Some(Cover::Address(url)) = cover {
            addresses.push((Place::whole(role), url));
        }
    }
    let own = own_episodes(tx, item)?;
    for episode in &details.episodes {
        let numbers = (episode.season, episode.number);
        if let Some(url) = &episode.still
            && own.contains(&numbers)
        {
            addresses.push((Place::still(numbers.0, numbers.1), url));
        }
    }
    let delivered = wanted.pictures.iter().map(|(role, _)| Place::whole(*role));
    let places: Vec<Place> = addresses
        .iter()
        .map(|(place, _)| *place)
        .chain(delivered)
        .collect();
    picture::keep_only(tx, item, &places)?;
    for (place, url) in addresses {
        picture::want(tx, item, place, (wanted.provider, url))?;
    }
    for (role, found) in wanted.pictures {
        picture::set(tx, item, Place::whole(*role), wanted.provider, found)?;
    }
    Ok(())
}

/// Returns season and number of the item's episodes with a file.
fn own_episodes(tx: &Transaction<'_>, item: ItemId) -> StoreResult<HashSet<(i64, i64)>> {
    let mut statement = tx.prepare_cached(
        "SELECT season, episode
           FROM file
          WHERE item_id = :item AND season IS NOT NULL AND episode IS NOT NULL",
    )?;
    let rows = statement.query_map(named_params! { ":item": item }, |row| {
        Ok((row.get(0)?, row.get(1)?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Removes the details, the episodes and the pictures of an item.
pub(super) fn remove(tx: &Transaction<'_>, item: ItemId) -> StoreResult<()> {
    for statement in [
        "DELETE FROM item_detail WHERE item_id = :item",
        "DELETE FROM episode_detail WHERE item_id = :item",
    ] {
        tx.prepare_cached(statement)?
            .execute(named_params! { ":item": item })?;
    }
    picture::remove_of_item(tx, item)
}
