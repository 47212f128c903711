//! Covers of albums, songs, artists and playlists.

use ledge_core::access::Visible;
use ledge_core::error::StoreResult;
use ledge_core::http::picture;
use ledge_core::http::recordings::Recordings;
use ledge_core::id::{FileId, ItemId, PlaylistId};
use ledge_core::image::Size;
use ledge_core::store::cover::{self, CoverImage};
use ledge_core::store::file::recording::{self, RecordedItem, author};
use ledge_core::store::user_data::lists::playlist::{Playlists, parts};
use ledge_core::store::user_data::lists::user_list;
use rusqlite::Connection;

use crate::envelope::{Outcome, Reply};
use crate::failure::Failure;
use crate::ids::Id;
use crate::mapping;
use crate::media::stream::condition;
use crate::params::{Call, scope};

/// Number of items of an artist or a playlist that are searched for a cover.
const MAX_ITEMS: usize = 50;

/// Handles `getCoverArt`.
pub(crate) async fn cover_art(call: Call) -> Outcome {
    let (image, is_named) = image(&call).await.map_err(Failure::of_media)?;
    condition_or(picture::respond(image, is_named, &call.headers))
}

fn condition_or(response: ledge_core::http::ApiResult<axum::response::Response>) -> Outcome {
    response.or_else(condition).map(Reply::Raw)
}

/// Returns the picture, and `true` if the id contains its version.
async fn image(call: &Call) -> Result<(CoverImage, bool), Failure> {
    let text = call.required("id")?.to_owned();
    let id = Id::parse_cover(&text)?;
    let size = match call.integer("size")? {
        Some(..0) => return Err(Failure::parameter("size")),
        pixels => size(pixels),
    };
    let visible = call.visible;
    let kinds = Recordings::kinds();
    let read = move |conn: &Connection| {
        let items = match id {
            Id::Album(item) => vec![item],
            Id::Song(file) => {
                let parts = recording::parts(conn, visible, &[file])?;
                parts.iter().map(|part| part.item.id).collect()
            }
            Id::Artist(person) => {
                let scope = scope(visible, None, &kinds);
                let mut items = author::items_of_person(conn, scope, person)?;
                items.truncate(MAX_ITEMS);
                items
            }
            Id::Playlist(list) => items_of_playlist(conn, visible, list)?,
        };
        let items = recording::items(conn, visible, &items)?;
        let mut covered = items.iter().filter(|item| has_cover(item));
        let Some(item) = covered.next() else {
            return Ok(None);
        };
        match visible.item(conn, item.id)? {
            Some(item) => cover::image(conn, item, size),
            None => Ok(None),
        }
    };
    let image = call.app.db.read(read).await?;
    let image = image.ok_or_else(Failure::not_found)?;
    let named = text.splitn(3, '-').nth(2);
    let is_named = named.is_some_and(|hash| image.hash.starts_with(hash));
    Ok((image, is_named))
}

/// Returns the items of the first songs of a readable playlist in order.
fn items_of_playlist(
    conn: &Connection,
    visible: Visible,
    list: PlaylistId,
) -> StoreResult<Vec<ItemId>> {
    let Some(list) = user_list::find::<Playlists>(conn, visible, list.0)? else {
        return Ok(Vec::new());
    };
    let entries = parts::parts(conn, list, &Recordings::kinds())?;
    let files = entries.into_iter().map(|(_, file)| file);
    let files: Vec<FileId> = files.take(MAX_ITEMS).collect();
    let songs = recording::parts(conn, visible, &files)?;
    Ok(songs.iter().map(|song| song.item.id).collect())
}

fn has_cover(item: &RecordedItem) -> bool {
    item.cover.is_some() && mapping::form(item).is_some()
}

/// Returns the smallest size that is not smaller than the requested one, else the largest.
fn size(pixels: Option<i64>) -> Size {
    match pixels {
        Some(1..=240) => Size::Small,
        Some(241..=480) => Size::Medium,
        _ => Size::Large,
    }
}

/// Handles `getAvatar`: there are none.
pub(crate) async fn avatar(call: Call) -> Outcome {
    call.required("username").map_err(Failure::of_media)?;
    Err(Failure::not_found().of_media())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_stored_pictures() {
        let sizes = [
            Some(1),
            Some(240),
            Some(241),
            Some(480),
            Some(481),
            Some(0),
            None,
        ]
        .map(size);
        let expected = [
            Size::Small,
            Size::Small,
            Size::Medium,
            Size::Medium,
            Size::Large,
            Size::Large,
            Size::Large,
        ];
        assert_eq!(sizes, expected);
    }
}
