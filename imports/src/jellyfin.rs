//! Jellyfin 10.11 and later: `jellyfin.db`.
//!
//! Tables and columns: jellyfin `Entities/*.cs`; positions of books: `bookPlayer` and
//! `comicsPlayer` of its web interface. Ids are GUIDs in any case.

use ledge_core::transfer::import::rows::{
    Part, Position, Progress, Rows, Scope, SourceFile, SourceList, SourceUser, Target,
};
use ledge_core::transfer::import::{Columns, ImportResult, ImportSource, SourceData};
use serde_json::Value;

inventory::submit! {
    ImportSource {
        id: "jellyfin",
        label: "Jellyfin",
        input: "jellyfin.db",
        is_folder: false,
        library: None,
        refused: &[(
            "TypedBaseItems",
            "This is a library.db of Jellyfin 10.10 or older. Start Jellyfin 10.11 once, and import \
             its jellyfin.db.",
        )],
        versions: Some(("20241020103111", "20260815063607")),
        tables: &[
            ("__EFMigrationsHistory", &["MigrationId"]),
            ("Users", &["Id", "Username"]),
            ("BaseItems", &["Id", "Type", "Path", "Size"]),
            (
                "UserData",
                &["ItemId", "UserId", "CustomDataKey", "PlaybackPositionTicks", "Played",
                  "LastPlayedDate", "IsFavorite", "PlayCount", "Rating", "RetentionDate"],
            ),
        ],
        version,
        users,
        read,
    }
}

/// Ends of the types of items without a file of their own.
const FOLDERS: [&str; 12] = [
    "Folder",
    "MusicAlbum",
    "MusicArtist",
    "Series",
    "Season",
    "BoxSet",
    "Playlist",
    "Person",
    "Studio",
    "Genre",
    "Year",
    "View",
];

fn version(data: &SourceData) -> ImportResult<Option<String>> {
    let sql = "SELECT max(MigrationId) FROM __EFMigrationsHistory";
    let version = data.all(sql, [], |row| row.text(0))?;
    let version = version.into_iter().next().flatten();
    Ok(version.map(|id| id.split('_').next().unwrap_or_default().to_owned()))
}

/// Returns a GUID in one notation.
fn guid(text: &str) -> String {
    let digits = text.chars().filter(char::is_ascii_hexdigit);
    digits.map(|c| c.to_ascii_lowercase()).collect()
}

fn users(data: &SourceData) -> ImportResult<Vec<SourceUser>> {
    // Kind 0 is the permission of administrators.
    let admin = if data.has("Permissions", "Kind")? {
        "EXISTS (SELECT 1
                   FROM Permissions AS p
                  WHERE p.UserId = u.Id COLLATE NOCASE AND p.Kind = 0 AND p.Value)"
    } else {
        "0"
    };
    let sql = format!("SELECT u.Id, u.Username, {admin} FROM Users AS u ORDER BY u.rowid");
    data.all(&sql, [], |row| SourceUser {
        id: guid(&row.text_or_empty(0)),
        name: row.text_or_empty(1),
        aliases: Vec::new(),
        is_admin: row.flag(2),
        is_nameless: false,
    })
}

fn read(data: &SourceData, rows: &mut dyn Rows) -> ImportResult<()> {
    user_data(data, rows)?;
    lists(data, rows)
}

fn is_folder(row_type: &str, flag: bool) -> bool {
    flag || FOLDERS.iter().any(|end| row_type.ends_with(end))
}

/// Sends the values of users. Of several rows of an item and user, only the newest counts.
fn user_data(data: &SourceData, rows: &mut dyn Rows) -> ImportResult<()> {
    let name = data.column("b", "BaseItems", "Name")?;
    let folder = data.column("b", "BaseItems", "IsFolder")?;
    let sql = format!(
        "SELECT u.UserId, b.Type, b.Path, b.Size, {name}, {folder}, u.PlaybackPositionTicks,
                u.Played, u.LastPlayedDate, u.IsFavorite, u.PlayCount, u.Rating
           FROM (SELECT *, row_number() OVER (PARTITION BY UserId, lower(ItemId)
                                              ORDER BY LastPlayedDate DESC, rowid DESC) AS nth
                   FROM UserData
                  WHERE RetentionDate IS NULL
                    AND ItemId <> '00000000-0000-0000-0000-000000000001') AS u
           LEFT JOIN BaseItems AS b ON b.Id = u.ItemId COLLATE NOCASE
          WHERE u.nth = 1"
    );
    data.each(&sql, [], |row| {
        if is_folder(&row.text_or_empty(1), row.flag(5)) {
            return Ok(());
        }
        let user = guid(&row.text_or_empty(0));
        let file = SourceFile {
            path: row.text_or_empty(2),
            size: row.int(3),
        };
        let title = row.text_or_empty(4);
        if let Some((position, finished)) = position(row, &file.path) {
            let part = Part {
                file: file.clone(),
                position,
                finished,
            };
            let progress = Progress {
                title: title.clone(),
                at: row.time(8),
                parts: vec![part],
            };
            rows.progress(&user, progress)?;
        }
        let target = Target {
            title,
            files: vec![file],
            scope: Scope::File,
        };
        values(rows, &user, row, target)
    })
}

/// Sends favourite, rating and plays.
fn values(
    rows: &mut dyn Rows,
    user: &str,
    row: &Columns<'_, '_>,
    target: Target,
) -> ImportResult<()> {
    let at = row.time(8);
    if row.flag(9) {
        rows.favourite(user, &target, at)?;
    }
    if let Some(rating) = row.real(11).filter(|rating| *rating > 0.0) {
        rows.rating(user, &target, rating, at)?;
    }
    match row.int(10) {
        Some(plays) if plays > 0 => {
            let target = Target {
                scope: Scope::Item,
                ..target
            };
            rows.plays(user, &target, plays, at)
        }
        _ => Ok(()),
    }
}

/// Returns the position, and `true` if the item is finished. Ticks have a unit per format.
fn position(row: &Columns<'_, '_>, path: &str) -> Option<(Position, bool)> {
    if row.flag(7) {
        return Some((Position::End, true));
    }
    let ticks = row.real(6).filter(|ticks| *ticks > 0.0)?;
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    let position = match extension.to_lowercase().as_str() {
        "epub" => Position::Fraction(ticks / 1e7),
        "cbz" | "cbr" | "cb7" | "cbt" | "pdf" => Position::Index(row.int(6)? / 10_000),
        _ => Position::Seconds(ticks / 1e7),
    };
    Some((position, false))
}

/// Sends playlists and box sets.
fn lists(data: &SourceData, rows: &mut dyn Rows) -> ImportResult<()> {
    let name = data.column("b", "BaseItems", "Name")?;
    let json = data.column("b", "BaseItems", "Data")?;
    let sql = format!(
        "SELECT b.Id, b.Type, {name}, iif(octet_length({json}) <= 8388608, {json}, NULL)
           FROM BaseItems AS b
          WHERE b.Type LIKE '%Playlist' OR b.Type LIKE '%BoxSet'
          ORDER BY 3, 1"
    );
    let has_table = data.has("LinkedChildren", "SortOrder")?;
    let fallback = fallback_owner(data, rows)?;
    data.each(&sql, [], |row| {
        let value = row
            .text(3)
            .and_then(|text| serde_json::from_str(&text).ok());
        let value: Value = value.unwrap_or_default();
        let owner = value.get("OwnerUserId").and_then(Value::as_str).map(guid);
        let has_owner = |owner: &String| owner.chars().any(|c| c != '0');
        let is_playlist = row.text_or_empty(1).ends_with("Playlist");
        let list = SourceList {
            key: guid(&row.text_or_empty(0)),
            name: row.text_or_empty(2),
            description: None,
            public: if is_playlist {
                value
                    .get("OpenAccess")
                    .and_then(Value::as_bool)
                    .unwrap_or(false)
            } else {
                true
            },
            is_playlist,
        };
        let owner = owner.filter(has_owner).unwrap_or_else(|| fallback.clone());
        rows.list(&owner, list)?;
        if has_table {
            children_of_table(data, rows, &row.text_or_empty(0))
        } else {
            children_of_json(data, rows, &value)
        }
    })
}

/// Returns the owner of lists that have none: the first mapped administrator, or mapped user.
fn fallback_owner(data: &SourceData, rows: &dyn Rows) -> ImportResult<String> {
    let users = users(data)?;
    let mapped = || users.iter().filter(|user| rows.is_mapped(&user.id));
    let owner = mapped().find(|user| user.is_admin).or(mapped().next());
    Ok(owner.map(|user| user.id.clone()).unwrap_or_default())
}

/// Returns the statement of an item by its id.
fn item_sql(data: &SourceData) -> ImportResult<String> {
    let name = data.column("b", "BaseItems", "Name")?;
    Ok(format!("b.Path, b.Size, {name}"))
}

fn entry(row: &Columns<'_, '_>, rows: &mut dyn Rows) -> ImportResult<()> {
    let file = SourceFile {
        path: row.text_or_empty(0),
        size: row.int(1),
    };
    rows.entry(&Target {
        title: row.text_or_empty(2),
        files: vec![file],
        scope: Scope::Item,
    })
}

fn children_of_table(data: &SourceData, rows: &mut dyn Rows, parent: &str) -> ImportResult<()> {
    let columns = item_sql(data)?;
    let sql = format!(
        "SELECT {columns}
           FROM LinkedChildren AS l
           LEFT JOIN BaseItems AS b ON b.Id = l.ChildId COLLATE NOCASE
          WHERE l.ParentId = ?1 COLLATE NOCASE
          ORDER BY l.SortOrder, l.rowid"
    );
    data.each(&sql, [parent], |row| entry(row, rows))
}

fn children_of_json(data: &SourceData, rows: &mut dyn Rows, value: &Value) -> ImportResult<()> {
    let columns = item_sql(data)?;
    let sql = format!(
        "SELECT {columns} FROM BaseItems AS b WHERE replace(lower(b.Id), '-', '') = ?1 LIMIT 1"
    );
    for child in value
        .get("LinkedChildren")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        if let Some(path) = child.get("Path").and_then(Value::as_str) {
            rows.entry(&Target {
                title: String::new(),
                files: vec![SourceFile::from(path)],
                scope: Scope::Item,
            })?;
        } else if let Some(id) = child.get("ItemId").and_then(Value::as_str) {
            data.each(&sql, [guid(id)], |row| entry(row, rows))?;
        }
    }
    Ok(())
}
