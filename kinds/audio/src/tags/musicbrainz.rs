//! Identifiers of MusicBrainz in tags.
//!
//! The names of the fields are those of MusicBrainz Picard:
//! <https://picard-docs.musicbrainz.org/en/appendices/tag_mapping.html>.

use super::{Key, Tags};

/// Lengths of the groups of digits in a UUID.
const GROUPS: [usize; 5] = [8, 4, 4, 4, 12];

/// Returns the first id of a field in lower case, if it is a UUID. The field of several artists
/// contains several ids.
pub(super) fn id(tags: &Tags, key: Key) -> Option<String> {
    let separators = [';', '/', ',', '\0'];
    let id = tags.first(key)?.split(separators).next()?.trim();
    is_uuid(id).then(|| id.to_ascii_lowercase())
}

fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    let is_group = |(group, len): (&&str, usize)| {
        group.len() == len && group.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    groups.len() == GROUPS.len() && groups.iter().zip(GROUPS).all(is_group)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::Recording;
    use crate::tags::stored::StoredTags;

    const ID: &str = "0dfd97d0-96cb-4ab4-9d90-1e9e9ea4a2b1";

    #[test]
    fn only_uuids_are_ids() {
        let id_in = |value: &str| {
            let mut tags = Tags::default();
            tags.add(Key::MusicBrainzRelease, value);
            id(&tags, Key::MusicBrainzRelease)
        };
        for value in [
            ID.to_owned(),
            ID.to_uppercase(),
            format!(" {ID}/8b8a38c9-e15f-4b8e-b7a4-4e4a5b0c0a11"),
            format!("{ID}; {ID}"),
        ] {
            assert_eq!(id_in(&value).as_deref(), Some(ID), "{value}");
        }
        for value in [
            "",
            "12",
            "0dfd97d096cb4ab49d901e9e9ea4a2b1",
            "0dfd97d0-96cb-4ab4-9d90-1e9e9ea4a2b",
            "0dfd97d0-96cb-4ab4-9d90-1e9e9ea4a2bé",
            "0dfd97d0-96cb-4ab4-9d90-1e9e9ea4a2b1-",
            "https://musicbrainz.org/release/0dfd97d0-96cb-4ab4-9d90-1e9e9ea4a2b1",
        ] {
            assert_eq!(id_in(value), None, "{value}");
        }
    }

    #[test]
    fn asin_of_disc_makes_no_audiobook() {
        let is_spoken = |keys: &[Key]| {
            let mut recording = Recording::default();
            for key in keys {
                recording.tags.add(*key, "B000002L7W");
            }
            StoredTags::from_recording(&recording).is_spoken
        };
        assert!(is_spoken(&[Key::Asin]));
        assert!(!is_spoken(&[Key::Asin, Key::MusicBrainzRelease]));
        assert!(is_spoken(&[Key::Narrator, Key::MusicBrainzRelease]));
    }
}
