//! Details of an item from the provider of its match.

use std::collections::{BTreeMap, HashMap, HashSet};

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use super::episodes::{self, KnownEpisodes};
use super::write::Match;
use crate::error::StoreResult;
use crate::id::ItemId;
use crate::image::StoredPicture;
use crate::registry::provider::{Attribution, Cover, Details, MetadataProvider};
use crate::store::cover::picture::{self, PictureKey, Role};

/// Details of an item, with their origin.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SourcedDetails {
    /// Details of the provider's entry.
    #[serde(flatten)]
    pub details: Details,
    /// Ids of the item in external databases, by database.
    pub external_ids: BTreeMap<String, String>,
    /// Id of the provider.
    pub provider: String,
    /// Name of the provider.
    pub provider_label: String,
    /// Credit that the provider's terms require.
    pub attribution: Option<Attribution>,
}

/// Returns the details of an item. The provider may no longer be part of this build.
pub fn of_item(
    conn: &Connection,
    providers: &[&'static MetadataProvider],
    item: ItemId,
) -> StoreResult<Option<SourcedDetails>> {
    let mut statement = conn.prepare_cached(
        "SELECT provider, details, external_ids FROM item_detail WHERE item_id = :item",
    )?;
    let row = statement.query_row(named_params! { ":item": item }, |row| {
        let (details, ids): (String, String) = (row.get(1)?, row.get(2)?);
        Ok((row.get::<_, String>(0)?, details, ids))
    });
    let Some((provider, details, ids)) = row.optional()? else {
        return Ok(None);
    };
    let descriptor = providers.iter().find(|known| known.id == provider);
    Ok(Some(SourcedDetails {
        details: serde_json::from_str(&details).unwrap_or_default(),
        external_ids: serde_json::from_str(&ids).unwrap_or_default(),
        provider_label: descriptor
            .map_or(provider.as_str(), |known| known.label)
            .to_owned(),
        attribution: descriptor.and_then(|known| known.attribution),
        provider,
    }))
}

/// Replaces the details, the episodes and the pictures of an item by those of a match.
pub(super) fn write(tx: &Transaction<'_>, item: ItemId, wanted: &Match<'_>) -> StoreResult<()> {
    let (provider, details) = (wanted.provider, &wanted.candidate.details);
    let ids: BTreeMap<&str, &str> = wanted
        .candidate
        .external_ids
        .iter()
        .map(|id| (id.database.as_str(), id.id.as_str()))
        .collect();
    tx.prepare_cached(
        "INSERT INTO item_detail (item_id, provider, details, external_ids)
         VALUES (:item, :provider, :details, :ids)
             ON CONFLICT DO UPDATE
            SET provider = :provider, details = :details, external_ids = :ids",
    )?
    .execute(named_params! {
        ":item": item,
        ":provider": provider,
        ":details": serde_json::to_string(details).expect("plain data is JSON"),
        ":ids": serde_json::to_string(&ids).expect("texts are JSON"),
    })?;
    episodes::set(tx, item, &details.episodes)?;
    write_pictures(tx, item, wanted)
}

fn write_pictures(tx: &Transaction<'_>, item: ItemId, wanted: &Match<'_>) -> StoreResult<()> {
    let pictures = wanted_pictures(tx, item, wanted)?;
    let of_addresses = pictures.addresses.iter().map(|(key, _)| *key);
    let of_delivered = pictures.delivered.iter().map(|(key, _)| *key);
    let keys: Vec<PictureKey> = of_addresses.chain(of_delivered).collect();
    picture::keep_only(tx, item, &keys)?;
    for (key, url) in pictures.addresses {
        picture::want(tx, item, key, (wanted.provider, url))?;
    }
    for (key, found) in pictures.delivered {
        picture::set(tx, item, key, wanted.provider, found)?;
    }
    Ok(())
}

/// Pictures of a match in the order in which they are fetched.
#[derive(Default)]
struct WantedPictures<'a> {
    addresses: Vec<(PictureKey, &'a str)>,
    delivered: Vec<(PictureKey, &'a StoredPicture)>,
}

impl<'a> WantedPictures<'a> {
    /// Adds a picture. A delivered one precedes an address.
    fn add(
        &mut self,
        key: PictureKey,
        delivered: Option<&'a StoredPicture>,
        address: Option<&'a str>,
    ) {
        match (delivered, address) {
            (Some(picture), _) => self.delivered.push((key, picture)),
            (None, Some(url)) => self.addresses.push((key, url)),
            (None, None) => {}
        }
    }
}

/// Returns the pictures of the whole item, and those of the seasons and episodes with a file.
fn wanted_pictures<'a>(
    tx: &Transaction<'_>,
    item: ItemId,
    wanted: &'a Match<'_>,
) -> StoreResult<WantedPictures<'a>> {
    let details = &wanted.candidate.details;
    let delivered: HashMap<PictureKey, &StoredPicture> = wanted
        .pictures
        .of_item
        .iter()
        .map(|(key, found)| (*key, found))
        .collect();
    let delivered = |key: PictureKey| delivered.get(&key).copied();
    let mut pictures = WantedPictures::default();
    for (role, cover) in [
        (Role::Backdrop, &details.backdrop),
        (Role::Logo, &details.logo),
    ] {
        let address = match cover {
            Some(Cover::Address(url)) => Some(url.as_str()),
            _ => None,
        };
        let key = PictureKey::whole(role);
        pictures.add(key, delivered(key), address);
    }
    for season in episodes::own_seasons(tx, item)? {
        let mut posters = details.season_posters.iter();
        let address = posters.find(|poster| poster.season == season);
        let key = PictureKey::season(season);
        pictures.add(
            key,
            delivered(key),
            address.map(|poster| poster.url.as_str()),
        );
    }
    let known = KnownEpisodes::new(&details.episodes);
    let mut seen = HashSet::new();
    for own in episodes::own(tx, item)? {
        let Some(found) = known.find(&own) else {
            continue;
        };
        // Versions of an episode have the same numbers.
        if seen.insert((own.season, own.number)) {
            let theirs = PictureKey::still(found.season, found.number);
            let key = PictureKey::still(own.season, own.number);
            pictures.add(key, delivered(theirs), found.still.as_deref());
        }
    }
    Ok(pictures)
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
