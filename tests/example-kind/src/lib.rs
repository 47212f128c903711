//! Example of an additional kind: sheet music. The core does not know it. Linking this crate is
//! sufficient for its files to be scanned, listed, served and shown.

mod header;
mod picture;
mod worker;

use ledge_core::registry::naming::{
    Credit, FileName, FolderListing, Group, ItemNames, Member, join,
};
use ledge_core::registry::{Format, ItemTraits, MediaKind, Shape, Subkind, Unit};

/// Formats: MusicXML, plain and compressed, and ABC notation.
const FORMATS: &[Format] = &[
    Format::new(
        "musicxml",
        "application/vnd.recordare.musicxml+xml",
        "sheet",
        Unit::Page,
    ),
    Format::new(
        "mxl",
        "application/vnd.recordare.musicxml",
        "sheet",
        Unit::Page,
    ),
    Format::new("abc", "text/vnd.abc", "sheet", Unit::Page),
];

/// Descriptor of the kind.
pub const KIND: MediaKind = MediaKind {
    rank: 50,
    icon: "M9 18V5l12-2v13 M9 18a3 3 0 1 1-6 0 3 3 0 0 1 6 0Z M21 16a3 3 0 1 1-6 0 3 3 0 0 1 6 0Z",
    hue: 300,
    shape: Shape::Book,
    aspect: 0.77,
    verb: "play",
    unit: Unit::Page,
    group,
    inspect: Some(header::inspect),
    cover: Some(picture::cover),
    cover_stems: &["cover", "titlepage"],
    subkinds: SUBKINDS,
    subkind_of,
    ..MediaKind::new("sheets", "Sheet", "Sheet music", FORMATS)
};

inventory::submit! { KIND }

/// Scores, and tunes that are only a melody.
const SUBKINDS: &[Subkind] = &[
    Subkind::new("score", "Score", "Scores"),
    Subkind::new("tune", "Tune", "Tunes"),
];

/// Returns the subkind: ABC notation contains tunes, MusicXML contains scores.
fn subkind_of(item: &ItemTraits<'_>) -> Option<&'static str> {
    let format = item.formats.first()?;
    let is_tune = format.extension == "abc";
    Some(if is_tune { "tune" } else { "score" })
}

/// Groups files named `Composer - Title.abc`. Every file is a separate item.
fn group(folder: &FolderListing<'_>) -> Vec<Group> {
    let item = |(index, file): (usize, &FileName)| Group {
        key: join(folder.path, &file.name),
        members: vec![Member::alternative(index)],
        names: match file.stem.split_once(" - ") {
            Some((composer, title)) => ItemNames {
                credits: vec![Credit::author(composer)],
                ..ItemNames::titled(title)
            },
            None => ItemNames::titled(&file.stem),
        },
    };
    folder.files.iter().enumerate().map(item).collect()
}
