//! Pictures beside an item's files: which of them may be its cover, and which before which.

use crate::registry::MediaKind;
use crate::scan::name;

/// Extensions of pictures, the preferred first.
const EXTENSIONS: [&str; 5] = ["jpg", "jpeg", "png", "webp", "gif"];

/// A picture's name without its extension, and that extension's place; `None` for what is none.
fn picture(file: &[u8]) -> Option<(&[u8], usize)> {
    let dot = file.iter().rposition(|byte| *byte == b'.')?;
    let (stem, extension) = (file.get(..dot)?, file.get(dot + 1..)?);
    let place = EXTENSIONS
        .iter()
        .position(|known| extension.eq_ignore_ascii_case(known.as_bytes()))?;
    Some((stem, place))
}

/// The place of a stem among those that stand for the whole folder.
fn place(stem: &[u8], stems: &[&str]) -> Option<usize> {
    let ascii = stems
        .iter()
        .position(|known| stem.eq_ignore_ascii_case(known.as_bytes()));
    if ascii.is_some() || stem.is_ascii() {
        return ascii;
    }
    let lower = name::display(stem).to_lowercase();
    stems.iter().position(|known| *known == lower)
}

/// What a picture named after a file bears beside that name: nothing, or the place of the stem
/// after a hyphen: `Dune.jpg`, `Dune-poster.jpg`.
fn own_name<'a>(stem: &'a [u8], stems: &[&str]) -> [Option<(&'a [u8], usize)>; 2] {
    let hyphen = stem.iter().rposition(|byte| *byte == b'-');
    let suffixed = hyphen.and_then(|at| {
        let place = place(stem.get(at + 1..)?, stems)?;
        Some((stem.get(..at)?, 1 + place))
    });
    [Some((stem, 0)), suffixed]
}

/// Whether a file may be the cover of something in its folder; `files` are the names of the
/// media files there, sorted.
pub(crate) fn may_be_cover(file: &[u8], stems: &[&str], files: &[impl AsRef<[u8]>]) -> bool {
    let Some((stem, _)) = picture(file) else {
        return false;
    };
    if place(stem, stems).is_some() {
        return true;
    }
    let names_a_file = |stem: &[u8]| {
        let mut start = stem.to_vec();
        start.push(b'.');
        let at = files.partition_point(|file| file.as_ref() < start.as_slice());
        files
            .get(at)
            .is_some_and(|file| file.as_ref().starts_with(&start))
    };
    own_name(stem, stems)
        .into_iter()
        .flatten()
        .any(|(stem, _)| names_a_file(stem))
}

/// A file's name without its extension, which has two parts where the kind has such a format.
pub(crate) fn stem<'a>(file: &'a [u8], kind: &MediaKind) -> &'a [u8] {
    let without_last = |name: &'a [u8]| {
        let dot = name.iter().rposition(|byte| *byte == b'.')?;
        name.get(..dot)
    };
    let Some(stem) = without_last(file) else {
        return file;
    };
    without_last(stem)
        .filter(|shorter| {
            let both = file.get(shorter.len() + 1..).unwrap_or_default();
            kind.format(&name::display(both).to_lowercase()).is_some()
        })
        .unwrap_or(stem)
}

/// The pictures named after a file of this stem, the preferred first.
pub(crate) fn named_after<'a>(
    pictures: &'a [Vec<u8>],
    own: &[u8],
    stems: &[&str],
) -> Vec<&'a [u8]> {
    ordered(pictures, |stem| {
        let named = own_name(stem, stems).into_iter().flatten();
        named
            .filter(|(stem, _)| *stem == own)
            .map(|(_, place)| place)
            .min()
    })
}

/// The pictures that stand for the whole folder, the preferred first.
pub(crate) fn of_folder<'a>(pictures: &'a [Vec<u8>], stems: &[&str]) -> Vec<&'a [u8]> {
    ordered(pictures, |stem| place(stem, stems))
}

fn ordered(pictures: &[Vec<u8>], rank: impl Fn(&[u8]) -> Option<usize>) -> Vec<&[u8]> {
    let mut found: Vec<_> = pictures
        .iter()
        .filter_map(|file| {
            let (stem, extension) = picture(file)?;
            Some((rank(stem)?, extension, file.as_slice()))
        })
        .collect();
    found.sort_unstable();
    found.into_iter().map(|(_, _, file)| file).collect()
}

/// Whether a name is a picture's at all.
pub(crate) fn is_picture(file: &[u8]) -> bool {
    picture(file).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{Format, Unit};

    const STEMS: [&str; 2] = ["cover", "poster"];

    fn names(names: &[&str]) -> Vec<Vec<u8>> {
        names.iter().map(|name| name.as_bytes().to_vec()).collect()
    }

    fn text(names: Vec<&[u8]>) -> Vec<String> {
        names.into_iter().map(name::display).collect()
    }

    #[test]
    fn stems_go_before_extensions_and_case_does_not_count() {
        let pictures = names(&[
            "back.jpg",
            "Cover.PNG",
            "cover.jpeg",
            "poster.jpg",
            "cover.txt",
        ]);
        assert_eq!(
            text(of_folder(&pictures, &STEMS)),
            ["cover.jpeg", "Cover.PNG", "poster.jpg"]
        );
    }

    #[test]
    fn a_picture_may_be_named_after_its_file() {
        let pictures = names(&[
            "Dune.png",
            "Dune-poster.jpg",
            "Dune-fanart.jpg",
            "Dune Messiah.jpg",
            "cover.jpg",
        ]);
        assert_eq!(
            text(named_after(&pictures, b"Dune", &STEMS)),
            ["Dune.png", "Dune-poster.jpg"]
        );
    }

    #[test]
    fn a_stem_ends_before_an_extension_of_two_parts() {
        const FORMATS: &[Format] = &[Format::untyped("fb2.zip", "download", Unit::None)];
        let kind = MediaKind::new("paper", "Sheet", "Sheets", FORMATS);
        for (file, own) in [
            ("Dune.fb2.zip", "Dune"),
            ("Dune.FB2.Zip", "Dune"),
            ("Dune.epub", "Dune"),
            ("Dune.2.epub", "Dune.2"),
            ("Dune", "Dune"),
            (".zip", ""),
        ] {
            assert_eq!(name::display(stem(file.as_bytes(), &kind)), own, "{file}");
        }
    }

    #[test]
    fn only_pictures_that_somebody_may_want_are_looked_at() {
        let files = ["Dune.epub", "Emma.epub"];
        for (name, is_wanted) in [
            ("cover.jpg", true),
            ("COVER.JPG", true),
            ("Dune.jpg", true),
            ("Emma-cover.webp", true),
            ("Emma-back.webp", false),
            ("Dun.jpg", false),
            ("IMG_0001.jpg", false),
            ("cover", false),
            ("cover.svg", false),
        ] {
            assert_eq!(
                may_be_cover(name.as_bytes(), &STEMS, &files),
                is_wanted,
                "{name}"
            );
        }
    }
}
