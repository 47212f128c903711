//! Pictures of providers other than covers: background and logo of an item, pictures of its seasons
//! and episodes, and portraits of people.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use rusqlite::{Connection, OptionalExtension, Params, Row, ToSql, Transaction, named_params};

use super::CoverImage;
use crate::access::{VisibleItem, VisiblePerson};
use crate::error::StoreResult;
use crate::id::{CoverId, ItemId, PersonId};
use crate::image::{Size, StoredPicture};
use crate::store::item::Cover;

/// Failed attempts after which a picture is no longer fetched.
pub const MAX_FAILURES: i64 = 3;

/// Role of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Wide picture behind the page of an item.
    Backdrop,
    /// Title of an item as a picture.
    Logo,
    /// Poster of a season.
    Season,
    /// Picture of an episode.
    Still,
    /// Portrait of a person.
    Portrait,
}

impl Role {
    /// Returns the name in the database and in URLs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Backdrop => "backdrop",
            Self::Logo => "logo",
            Self::Season => "season",
            Self::Still => "still",
            Self::Portrait => "portrait",
        }
    }

    fn of(name: &str) -> Self {
        match name {
            "backdrop" => Self::Backdrop,
            "logo" => Self::Logo,
            "season" => Self::Season,
            "still" => Self::Still,
            _ => Self::Portrait,
        }
    }
}

/// Key of a picture within an item. `season` is 0 unless the picture belongs to a season or an
/// episode, and `number` is 0 unless it belongs to an episode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PictureKey {
    /// Role of the picture.
    pub role: Role,
    /// Number of the season; 0 for specials.
    pub season: i64,
    /// Number of the episode within its season.
    pub number: i64,
}

impl PictureKey {
    /// Creates the key of a picture of the whole item.
    pub fn whole(role: Role) -> Self {
        Self {
            role,
            season: 0,
            number: 0,
        }
    }

    /// Creates the key of a season's poster.
    pub fn season(season: i64) -> Self {
        Self {
            role: Role::Season,
            season,
            number: 0,
        }
    }

    /// Creates the key of an episode's picture.
    pub fn still(season: i64, number: i64) -> Self {
        Self {
            role: Role::Still,
            season,
            number,
        }
    }
}

/// Picture that is not fetched yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    /// Id of the row.
    pub id: i64,
    /// Role of the picture.
    pub role: Role,
    /// Id of the provider that named the URL.
    pub provider: String,
    /// URL of the picture.
    pub url: String,
}

/// Stores the URL of an item's picture. A picture that was already fetched from this URL stays.
pub fn want(
    tx: &Transaction<'_>,
    item: ItemId,
    key: PictureKey,
    (provider, url): (&str, &str),
) -> StoreResult<()> {
    tx.prepare_cached(
        "INSERT INTO picture (item_id, role, season, number, provider, url)
         VALUES (:item, :role, :season, :number, :provider, :url)
             ON CONFLICT (item_id, role, season, number) WHERE item_id IS NOT NULL
             DO UPDATE SET provider = :provider, url = :url, failures = 0, cover_id = NULL
                     WHERE url IS NOT :url OR (cover_id IS NULL AND failures > 0)",
    )?
    .execute(named_params! {
        ":item": item,
        ":role": key.role.as_str(),
        ":season": key.season,
        ":number": key.number,
        ":provider": provider,
        ":url": url,
    })?;
    Ok(())
}

/// Stores a picture of an item that a provider delivered as bytes.
pub fn set(
    tx: &Transaction<'_>,
    item: ItemId,
    key: PictureKey,
    provider: &str,
    picture: &StoredPicture,
) -> StoreResult<()> {
    let Some(cover) = stored(tx, picture)? else {
        return Ok(());
    };
    tx.prepare_cached(
        "INSERT INTO picture (item_id, role, season, number, provider, cover_id)
         VALUES (:item, :role, :season, :number, :provider, :cover)
             ON CONFLICT (item_id, role, season, number) WHERE item_id IS NOT NULL
             DO UPDATE SET provider = :provider, url = NULL, failures = 0, cover_id = :cover",
    )?
    .execute(named_params! {
        ":item": item,
        ":role": key.role.as_str(),
        ":season": key.season,
        ":number": key.number,
        ":provider": provider,
        ":cover": cover,
    })?;
    Ok(())
}

/// Stores the URL of a person's portrait. A portrait that exists already, from any provider, stays.
pub fn want_portrait(
    tx: &Transaction<'_>,
    person: PersonId,
    (provider, url): (&str, &str),
) -> StoreResult<()> {
    tx.prepare_cached(
        "INSERT INTO picture (person_id, role, provider, url)
         VALUES (:person, 'portrait', :provider, :url)
             ON CONFLICT (person_id) WHERE person_id IS NOT NULL
             DO UPDATE SET provider = :provider, url = :url, failures = 0
                     WHERE cover_id IS NULL",
    )?
    .execute(named_params! { ":person": person, ":provider": provider, ":url": url })?;
    Ok(())
}

/// Stores a portrait that a provider delivered as bytes. A portrait of another provider stays.
pub fn set_portrait(
    tx: &Transaction<'_>,
    person: PersonId,
    provider: &str,
    picture: &StoredPicture,
) -> StoreResult<()> {
    let Some(cover) = stored(tx, picture)? else {
        return Ok(());
    };
    tx.prepare_cached(
        "INSERT INTO picture (person_id, role, provider, cover_id)
         VALUES (:person, 'portrait', :provider, :cover)
             ON CONFLICT (person_id) WHERE person_id IS NOT NULL
             DO UPDATE SET provider = :provider, url = NULL, failures = 0, cover_id = :cover
                     WHERE cover_id IS NULL OR provider = :provider",
    )?
    .execute(named_params! { ":person": person, ":provider": provider, ":cover": cover })?;
    super::forget_unused(tx, cover)
}

/// Removes the pictures of an item.
pub fn remove_of_item(tx: &Transaction<'_>, item: ItemId) -> StoreResult<()> {
    tx.prepare_cached("DELETE FROM picture WHERE item_id = :item")?
        .execute(named_params! { ":item": item })?;
    Ok(())
}

/// Removes the pictures of an item in these roles, except those with the keys in `kept`.
pub fn keep_only(tx: &Transaction<'_>, id: ItemId, kept: &[PictureKey]) -> StoreResult<()> {
    let mut statement = tx.prepare_cached(
        "SELECT id, role, season, number
           FROM picture
          WHERE item_id = :item",
    )?;
    let rows = statement.query_map(named_params! { ":item": id }, |row| {
        let role: String = row.get(1)?;
        let key = PictureKey {
            role: Role::of(&role),
            season: row.get(2)?,
            number: row.get(3)?,
        };
        Ok((row.get(0)?, key))
    })?;
    let stored: Vec<(i64, PictureKey)> = rows.collect::<Result<_, _>>()?;
    let mut delete = tx.prepare_cached("DELETE FROM picture WHERE id = :id")?;
    let kept: HashSet<PictureKey> = kept.iter().copied().collect();
    for (row, _) in stored.iter().filter(|(_, key)| !kept.contains(key)) {
        delete.execute(named_params! { ":id": row })?;
    }
    Ok(())
}

/// Returns the roles of the pictures of an item that must be fetched.
pub fn pending_roles(conn: &Connection, item: ItemId) -> StoreResult<BTreeSet<Role>> {
    let mut statement = conn.prepare_cached(
        "SELECT role FROM picture
          WHERE item_id = :item AND cover_id IS NULL AND url IS NOT NULL AND failures < :most",
    )?;
    let of = named_params! { ":item": item, ":most": MAX_FAILURES };
    let rows = statement.query_map(of, |row| Ok(Role::of(&row.get::<_, String>(0)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the next picture of an item that must be fetched, after this row.
pub fn next_of_item_unscoped(
    conn: &Connection,
    item: ItemId,
    after: i64,
) -> StoreResult<Option<Pending>> {
    let mut statement = conn.prepare_cached(
        "SELECT id, role, provider, url
           FROM picture
          WHERE item_id = :item AND cover_id IS NULL AND id > :after
            AND url IS NOT NULL AND failures < :most
          ORDER BY id
          LIMIT 1",
    )?;
    let of = named_params! { ":item": item, ":after": after, ":most": MAX_FAILURES };
    Ok(statement.query_row(of, pending).optional()?)
}

/// Returns an item of a library with pictures that must be fetched, after this item.
pub fn next_item_unscoped(
    conn: &Connection,
    library: crate::id::LibraryId,
    after: ItemId,
) -> StoreResult<Option<ItemId>> {
    let mut statement = conn.prepare_cached(
        "SELECT picture.item_id
           FROM picture INDEXED BY picture_to_fetch
          CROSS JOIN item ON item.id = picture.item_id
          WHERE picture.cover_id IS NULL AND picture.item_id > :after
            AND picture.url IS NOT NULL AND picture.failures < :most
            AND item.library_id = :library
          ORDER BY picture.item_id
          LIMIT 1",
    )?;
    let of = named_params! { ":after": after, ":most": MAX_FAILURES, ":library": library };
    Ok(statement.query_row(of, |row| row.get(0)).optional()?)
}

/// Returns a person's portrait that must be fetched.
pub fn pending_portrait(conn: &Connection, person: VisiblePerson) -> StoreResult<Option<Pending>> {
    let mut statement = conn.prepare_cached(
        "SELECT id, role, provider, url
           FROM picture
          WHERE person_id = :person AND cover_id IS NULL AND url IS NOT NULL
            AND failures < :most",
    )?;
    let of = named_params! { ":person": person.id(), ":most": MAX_FAILURES };
    Ok(statement.query_row(of, pending).optional()?)
}

fn pending(row: &Row<'_>) -> rusqlite::Result<Pending> {
    let role: String = row.get(1)?;
    Ok(Pending {
        id: row.get(0)?,
        role: Role::of(&role),
        provider: row.get(2)?,
        url: row.get(3)?,
    })
}

/// Stores a fetched picture, unless its URL has changed in the meantime.
pub fn fetched(tx: &Transaction<'_>, pending: &Pending, found: &StoredPicture) -> StoreResult<()> {
    let Some(cover) = stored(tx, found)? else {
        return Ok(());
    };
    tx.prepare_cached(
        "UPDATE picture SET cover_id = :cover, failures = 0 WHERE id = :id AND url = :url",
    )?
    .execute(named_params! { ":cover": cover, ":id": pending.id, ":url": pending.url })?;
    super::forget_unused(tx, cover)
}

/// Counts a failed attempt. `is_final` prevents further attempts.
pub fn failed(tx: &Transaction<'_>, pending: &Pending, is_final: bool) -> StoreResult<()> {
    let most = if is_final { MAX_FAILURES } else { 1 };
    tx.prepare_cached(
        "UPDATE picture SET failures = failures + :most WHERE id = :id AND url = :url",
    )?
    .execute(named_params! { ":most": most, ":id": pending.id, ":url": pending.url })?;
    Ok(())
}

fn stored(tx: &Transaction<'_>, picture: &StoredPicture) -> StoreResult<Option<CoverId>> {
    match &picture.rendered {
        Some(rendered) => Ok(Some(super::ensure(tx, &picture.hash, rendered)?)),
        None => super::hashed(tx, &picture.hash),
    }
}

/// Pictures of an item for its page, without those of its seasons and episodes.
#[derive(Debug, Default)]
pub struct OfItem {
    /// Background picture.
    pub backdrop: Option<Cover>,
    /// Logo of the title.
    pub logo: Option<Cover>,
}

/// Returns the background and the logo of an item.
pub fn of_item(conn: &Connection, item: ItemId) -> StoreResult<OfItem> {
    let mut statement = conn.prepare_cached(
        "SELECT picture.role, cover.hash, cover.width, cover.height, cover.tint
           FROM picture
           JOIN cover ON cover.id = picture.cover_id
          WHERE picture.item_id = :item AND picture.role IN ('backdrop', 'logo')",
    )?;
    let mut rows = statement.query(named_params! { ":item": item })?;
    let mut pictures = OfItem::default();
    while let Some(row) = rows.next()? {
        let role: String = row.get(0)?;
        let found = view(row, 1, &format!("/api/v1/items/{item}/pictures/{role}"))?;
        match Role::of(&role) {
            Role::Logo => pictures.logo = Some(found),
            _ => pictures.backdrop = Some(found),
        }
    }
    Ok(pictures)
}

/// Returns the posters of an item's seasons, by season.
pub fn season_posters(conn: &Connection, item: ItemId) -> StoreResult<BTreeMap<i64, Cover>> {
    let mut statement = conn.prepare_cached(
        "SELECT picture.season, cover.hash, cover.width, cover.height, cover.tint
           FROM picture
           JOIN cover ON cover.id = picture.cover_id
          WHERE picture.item_id = :item AND picture.role = 'season'",
    )?;
    let rows = statement.query_map(named_params! { ":item": item }, |row| {
        let season: i64 = row.get(0)?;
        let url = format!("/api/v1/items/{item}/season-posters/{season}");
        Ok((season, view(row, 1, &url)?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the pictures of an item's episodes, by season and number.
pub fn stills(conn: &Connection, item: ItemId) -> StoreResult<BTreeMap<(i64, i64), Cover>> {
    let mut statement = conn.prepare_cached(
        "SELECT picture.season, picture.number, cover.hash, cover.width, cover.height, cover.tint
           FROM picture
           JOIN cover ON cover.id = picture.cover_id
          WHERE picture.item_id = :item AND picture.role = 'still'",
    )?;
    let mut rows = statement.query(named_params! { ":item": item })?;
    let mut stills = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let (season, number): (i64, i64) = (row.get(0)?, row.get(1)?);
        let url = format!("/api/v1/items/{item}/stills/{season}/{number}");
        stills.insert((season, number), view(row, 2, &url)?);
    }
    Ok(stills)
}

/// Reads hash, width, height and main colour from the columns after `first`.
fn view(row: &Row<'_>, first: usize, url: &str) -> rusqlite::Result<Cover> {
    let hash: String = row.get(first)?;
    Ok(Cover {
        url: format!("{url}?v={hash}"),
        width: row.get(first + 1)?,
        height: row.get(first + 2)?,
        tint: row.get(first + 3)?,
    })
}

/// Returns the image of an item's picture with the largest size that does not exceed `size`.
pub fn image_of_item(
    conn: &Connection,
    item: VisibleItem,
    key: PictureKey,
    size: Size,
) -> StoreResult<Option<CoverImage>> {
    let sql = "SELECT cover_id
                 FROM picture
                WHERE item_id = :item AND role = :role AND season = :season
                  AND number = :number AND cover_id IS NOT NULL";
    let role = key.role.as_str();
    let of: &[(&str, &dyn ToSql)] = named_params! {
        ":item": item.id(), ":role": role, ":season": key.season, ":number": key.number,
    };
    image(conn, sql, of, size)
}

/// Returns the image of a person's portrait with the largest size that does not exceed `size`.
pub fn portrait(
    conn: &Connection,
    person: VisiblePerson,
    size: Size,
) -> StoreResult<Option<CoverImage>> {
    let sql = "SELECT cover_id
                 FROM picture
                WHERE person_id = :person AND cover_id IS NOT NULL";
    image(conn, sql, named_params! { ":person": person.id() }, size)
}

fn image(
    conn: &Connection,
    sql: &'static str,
    of: impl Params,
    size: Size,
) -> StoreResult<Option<CoverImage>> {
    let mut statement = conn.prepare_cached(sql)?;
    let cover: Option<CoverId> = statement.query_row(of, |row| row.get(0)).optional()?;
    match cover {
        Some(cover) => super::sized(conn, cover, size),
        None => Ok(None),
    }
}
