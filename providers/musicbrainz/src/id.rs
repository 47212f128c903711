//! MusicBrainz's identifiers: UUIDs, also within addresses of its pages.

/// Lengths of the groups of digits in a UUID.
const GROUPS: [usize; 5] = [8, 4, 4, 4, 12];

/// Type of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entity {
    /// One edition of an album.
    Release,
    /// Album with all its editions.
    ReleaseGroup,
    /// Recording of one song.
    Recording,
}

/// Name of artists in addresses. They are entries of people, which [`parse`] does not accept.
pub(crate) const ARTIST: &str = "artist";

impl Entity {
    /// Returns the name in addresses.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Release => "release",
            Self::ReleaseGroup => "release-group",
            Self::Recording => "recording",
        }
    }
}

/// Returns the UUID in lower case, or `None` for any other text.
pub(crate) fn uuid(text: &str) -> Option<String> {
    let text = text.trim();
    let groups: Vec<&str> = text.split('-').collect();
    let is_group = |(group, len): (&&str, usize)| {
        group.len() == len && group.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let is_uuid = groups.len() == GROUPS.len() && groups.iter().zip(GROUPS).all(is_group);
    is_uuid.then(|| text.to_ascii_lowercase())
}

/// Parses an identifier, or the address of a page such as
/// `https://musicbrainz.org/release/0dfd97d0-…`. The type is unknown for a bare identifier.
pub(crate) fn parse(text: &str) -> Option<(Option<Entity>, String)> {
    let path = text.trim().split(['?', '#']).next()?.trim_end_matches('/');
    let mut segments = path.rsplit('/');
    let id = uuid(segments.next()?)?;
    let entity = match segments.next() {
        None => None,
        Some("release") => Some(Entity::Release),
        Some("release-group") => Some(Entity::ReleaseGroup),
        Some("recording") => Some(Entity::Recording),
        Some(_) => return None,
    };
    Some((entity, id))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0dfd97d0-96cb-4ab4-9d90-1e9e9ea4a2b1";

    #[test]
    fn parse_accepts_ids_and_addresses_of_pages() {
        for (text, entity) in [
            (ID.to_owned(), None),
            (format!(" {} ", ID.to_uppercase()), None),
            (
                format!("https://musicbrainz.org/release/{ID}"),
                Some(Entity::Release),
            ),
            (
                format!("https://musicbrainz.org/release-group/{ID}/?page=2#x"),
                Some(Entity::ReleaseGroup),
            ),
            (format!("recording/{ID}"), Some(Entity::Recording)),
            (format!("{ID}?inc={ID}/.."), None),
        ] {
            assert_eq!(parse(&text), Some((entity, ID.to_owned())), "{text}");
        }
        for text in [
            String::new(),
            "12".to_owned(),
            format!("artist/{ID}"),
            format!("{ID}/front"),
            ID.replace('-', ""),
            ID.replace('b', "é"),
        ] {
            assert_eq!(parse(&text), None, "{text}");
        }
    }
}
