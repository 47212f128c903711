//! Ids of the protocol: a prefix for the type, and the number of the row.

use ledge_core::http::parse_id;
use ledge_core::id::{FileId, ItemId, PersonId, PlaylistId};

use crate::failure::Failure;

/// Id of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Id {
    Artist(PersonId),
    Album(ItemId),
    Song(FileId),
    Playlist(PlaylistId),
}

impl Id {
    /// Parses an id. Each has one spelling.
    ///
    /// # Errors
    ///
    /// Returns the error of an absent object, because such an id names none.
    pub(crate) fn parse(text: &str) -> Result<Self, Failure> {
        let parse = || {
            let (prefix, number) = text.split_once('-')?;
            let number = parse_id(number)?;
            match prefix {
                "ar" => Some(Self::Artist(PersonId(number))),
                "al" => Some(Self::Album(ItemId(number))),
                "tr" => Some(Self::Song(FileId(number))),
                "pl" => Some(Self::Playlist(PlaylistId(number))),
                _ => None,
            }
        };
        parse().ok_or_else(Failure::not_found)
    }

    /// Parses the id of a picture: an id with or without the beginning of a hash.
    pub(crate) fn parse_cover(text: &str) -> Result<Self, Failure> {
        let mut parts = text.splitn(3, '-');
        let (prefix, number) = (parts.next(), parts.next());
        let is_hash =
            |hash: &str| hash.len() == HASH && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        match (prefix, number, parts.next()) {
            (Some(prefix), Some(number), Some(hash)) if is_hash(hash) => {
                Self::parse(&format!("{prefix}-{number}"))
            }
            (_, _, Some(_)) => Err(Failure::not_found()),
            _ => Self::parse(text),
        }
    }
}

/// Number of digits of a cover's hash in its id.
const HASH: usize = 8;

pub(crate) fn artist(id: PersonId) -> String {
    format!("ar-{id}")
}

pub(crate) fn album(id: ItemId) -> String {
    format!("al-{id}")
}

pub(crate) fn song(id: FileId) -> String {
    format!("tr-{id}")
}

pub(crate) fn playlist(id: PlaylistId) -> String {
    format!("pl-{id}")
}

/// Returns the id of an item's cover. A new cover has a new id.
pub(crate) fn cover(id: ItemId, hash: &str) -> String {
    let hash: String = hash.chars().take(HASH).collect();
    format!("al-{id}-{hash}")
}

/// Returns the id of a playlist's cover. A changed playlist has a new id, because its first song may
/// be another one.
pub(crate) fn playlist_cover(id: PlaylistId, version: i64) -> String {
    let version = u32::try_from(version & 0xffff_ffff).unwrap_or(0);
    format!("pl-{id}-{version:08x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_one_spelling() {
        assert_eq!(Id::parse("al-7").ok(), Some(Id::Album(ItemId(7))));
        assert_eq!(Id::parse("tr-70").ok(), Some(Id::Song(FileId(70))));
        for text in [
            "",
            "al",
            "al-",
            "al-1x",
            "al-01",
            "al-+1",
            "al--1",
            "AL-1",
            "7",
            "al-7-",
            "xx-1",
            "al-9223372036854775808",
            " al-1",
            "al-1 ",
            "al-1-0011aabb",
        ] {
            assert!(Id::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn picture_ids_may_have_a_hash() {
        let album = Some(Id::Album(ItemId(7)));
        assert_eq!(Id::parse_cover("al-7").ok(), album);
        assert_eq!(
            Id::parse_cover(&cover(ItemId(7), "0011aabbccdd")).ok(),
            album
        );
        let list = PlaylistId(7);
        for text in ["pl-7", &playlist_cover(list, 3), &playlist_cover(list, -1)] {
            assert_eq!(
                Id::parse_cover(text).ok(),
                Some(Id::Playlist(list)),
                "{text}"
            );
        }
        for text in [
            "al-7-",
            "al-7-0011aab",
            "al-7-0011aabx",
            "al-7-0011aabb-",
            "al-x-0011aabb",
        ] {
            assert!(Id::parse_cover(text).is_err(), "{text}");
        }
    }
}
