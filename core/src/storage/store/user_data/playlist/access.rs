//! Access to playlists: every user reads public ones, and only the owner changes them.

use rusqlite::{Connection, OptionalExtension, named_params};

use crate::access::Visible;
use crate::error::StoreResult;
use crate::id::PlaylistId;

/// Condition of a playlist that the viewer can read. A public playlist without visible entries is
/// hidden from other users.
pub(super) const READABLE: &str = "
    (playlist.user_id = :viewer
     OR playlist.is_public = 1
        AND EXISTS (SELECT 1
                      FROM library_grant AS g
                      JOIN playlist_total AS t
                        ON t.list_id = playlist.id AND t.library_id = g.library_id
                     WHERE g.user_id = :viewer))";

/// A playlist that the viewer can read. [`find`] is the only constructor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadablePlaylist {
    id: PlaylistId,
    visible: Visible,
    is_own: bool,
}

impl ReadablePlaylist {
    /// Returns the id of the playlist.
    pub fn id(self) -> PlaylistId {
        self.id
    }

    /// Returns the set of libraries whose entries the viewer sees.
    pub fn visible(self) -> Visible {
        self.visible
    }

    /// Returns the playlist if the viewer is its owner.
    pub fn own(self) -> Option<OwnPlaylist> {
        self.is_own.then_some(OwnPlaylist(self))
    }
}

/// A playlist of the viewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnPlaylist(ReadablePlaylist);

impl OwnPlaylist {
    /// Returns the playlist for reading.
    pub fn readable(self) -> ReadablePlaylist {
        self.0
    }

    /// Returns the id of the playlist.
    pub fn id(self) -> PlaylistId {
        self.0.id
    }
}

/// Returns the playlist with this id, or `None` if it is absent or not readable.
pub fn find(
    conn: &Connection,
    visible: Visible,
    id: PlaylistId,
) -> StoreResult<Option<ReadablePlaylist>> {
    let mut statement = conn.prepare_cached(&find_sql())?;
    let found = statement.query_row(
        named_params! { ":id": id, ":viewer": visible.user() },
        |row| {
            Ok(ReadablePlaylist {
                id,
                visible,
                is_own: row.get(0)?,
            })
        },
    );
    Ok(found.optional()?)
}

pub(super) fn find_sql() -> String {
    format!(
        "SELECT playlist.user_id = :viewer
           FROM playlist
          WHERE playlist.id = :id AND {READABLE}"
    )
}
