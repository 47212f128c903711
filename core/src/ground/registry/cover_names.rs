//! Selection and order of the picture files that may be the cover of an item.

use crate::path;
use crate::registry::MediaKind;

/// Picture extensions, in the order of preference.
const EXTENSIONS: [&str; 5] = ["jpg", "jpeg", "png", "webp", "gif"];

/// Returns a picture's name without extension and the rank of its extension. Returns `None` if the
/// file is not a picture.
fn picture(file: &[u8]) -> Option<(&[u8], usize)> {
    let dot = file.iter().rposition(|byte| *byte == b'.')?;
    let (stem, extension) = (file.get(..dot)?, file.get(dot + 1..)?);
    let place = EXTENSIONS
        .iter()
        .position(|known| extension.eq_ignore_ascii_case(known.as_bytes()))?;
    Some((stem, place))
}

/// Returns the rank of a stem in the list of folder cover stems.
fn place(stem: &[u8], stems: &[&str]) -> Option<usize> {
    let ascii = stems
        .iter()
        .position(|known| stem.eq_ignore_ascii_case(known.as_bytes()));
    if ascii.is_some() || stem.is_ascii() {
        return ascii;
    }
    let lower = path::display(stem).to_lowercase();
    stems.iter().position(|known| *known == lower)
}

/// Returns the media file stems that a picture name may belong to, each with its rank. The stem is
/// the whole name, or the part before a hyphen and a cover stem. Examples: `Dune.jpg`,
/// `Dune-poster.jpg`.
fn own_name<'a>(stem: &'a [u8], stems: &[&str]) -> [Option<(&'a [u8], usize)>; 2] {
    let hyphen = stem.iter().rposition(|byte| *byte == b'-');
    let suffixed = hyphen.and_then(|at| {
        let place = place(stem.get(at + 1..)?, stems)?;
        Some((stem.get(..at)?, 1 + place))
    });
    [Some((stem, 0)), suffixed]
}

/// Returns `true` if a file may be a cover in its folder. `files` are the names of the media files
/// there, sorted.
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

/// Returns a file's name without its extension. The extension has two parts if the kind has such a
/// format.
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
            kind.format(&path::display(both).to_lowercase()).is_some()
        })
        .unwrap_or(stem)
}

/// Returns the pictures named after a file of this stem, in the order of preference.
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

/// Returns the pictures that are covers of the whole folder, in the order of preference.
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

/// Returns `true` if a name has the extension of a picture.
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
        names.into_iter().map(path::display).collect()
    }

    #[test]
    fn stems_precede_extensions_and_ignore_case() {
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
    fn picture_named_after_file_is_its_cover() {
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
    fn stem_excludes_extension_of_two_parts() {
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
            assert_eq!(path::display(stem(file.as_bytes(), &kind)), own, "{file}");
        }
    }

    #[test]
    fn only_possible_covers_are_accepted() {
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
