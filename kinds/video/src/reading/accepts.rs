//! Checks that reject files with a video extension: other content, samples and trailers.

use std::path::Path;

use ledge_core::registry::reading::Candidate;
use ledge_formats::{mpeg_audio, ogg};

use crate::container::mpeg_ps;
use crate::formats::FORMATS;
use crate::naming::extras;

/// Bytes of a file that are read to identify its content.
const HEAD_SIZE: u64 = 64 << 10;
/// Minimum size of a film in bytes. Next to smaller files, a sample or a trailer is an ordinary
/// clip.
const MIN_FILM_SIZE: u64 = 64 << 20;
/// Minimum ratio between the size of a film and the size of its sample.
const MIN_SIZE_RATIO: u64 = 4;
/// Minimum size of a release's sample in bytes.
const MIN_SAMPLE_SIZE: u64 = 1 << 20;

/// Rejects samples and trailers next to their film, and source text with the extension `.ts`.
///
/// Kodi hides samples and trailers, and Jellyfin shows trailers only behind a button. As items or
/// versions they would be offered in place of the film. A clip that is alone in its folder is
/// always accepted. So is a clip next to files of its size.
pub(crate) fn accepts(candidate: &Candidate<'_>) -> bool {
    if !has_expected_content(candidate) {
        return false;
    }
    let stem = candidate
        .path
        .file_stem()
        .map(|stem| stem.to_string_lossy());
    let stem = stem.unwrap_or_default();
    let (is_sample, is_trailer) = (extras::is_sample(&stem), extras::is_trailer(&stem));
    if !(is_sample || is_trailer) {
        return true;
    }
    let Some(size) = size(candidate, candidate.path) else {
        return true;
    };
    if is_sample && in_sample_folder(candidate.path) && size >= MIN_SAMPLE_SIZE {
        return false;
    }
    let film = largest_film(candidate);
    film < MIN_FILM_SIZE || film / MIN_SIZE_RATIO < size
}

/// Checks the content of a file whose extension other formats share. An unreadable file passes.
fn has_expected_content(candidate: &Candidate<'_>) -> bool {
    let head = || candidate.beginning(HEAD_SIZE).unwrap_or_default();
    let is_empty_or = |is_video: fn(&[u8]) -> bool| {
        let head = head();
        head.is_empty() || is_video(&head)
    };
    match candidate.extension {
        "ts" => !is_text(candidate),
        // PostScript has the extension of program streams.
        "ps" => is_empty_or(|head| head.starts_with(mpeg_ps::MAGIC)),
        "ogg" => ogg::has_pictures(&head()),
        "ogx" => is_empty_or(|head| !head.starts_with(ogg::MAGIC) || ogg::has_pictures(head)),
        "mpg" | "mpeg" => is_empty_or(|head| !mpeg_audio::begins(head)),
        _ => true,
    }
}

/// Returns the size of a file in bytes. Returns `None` if it cannot be opened.
fn size(candidate: &Candidate<'_>, path: &Path) -> Option<u64> {
    let metadata = candidate.open(path).and_then(|file| file.metadata());
    metadata.ok().map(|metadata| metadata.len())
}

fn in_sample_folder(path: &Path) -> bool {
    let folder = path.parent().and_then(Path::file_name);
    folder.is_some_and(|name| {
        name.eq_ignore_ascii_case("sample") || name.eq_ignore_ascii_case("samples")
    })
}

/// Size in bytes of the largest video in a folder that is neither sample nor trailer.
struct LargestFilm(u64);

fn largest_film(candidate: &Candidate<'_>) -> u64 {
    let largest = candidate.notes.get_or_make(|| {
        let films = candidate.names.iter().filter(|name| is_film(name));
        let sizes = films.filter_map(|name| size(candidate, &candidate.path.with_file_name(name)));
        LargestFilm(sizes.max().unwrap_or(0))
    });
    largest.0
}

fn is_film(name: &str) -> bool {
    let Some((stem, extension)) = name.rsplit_once('.') else {
        return false;
    };
    let extension = extension.to_lowercase();
    FORMATS.iter().any(|format| format.extension == extension)
        && !extras::is_sample(stem)
        && !extras::is_trailer(stem)
}

/// Returns `true` for text. TypeScript sources and Qt translations share the extension of MPEG
/// transport streams, which are binary.
fn is_text(candidate: &Candidate<'_>) -> bool {
    let start = candidate.beginning(512).unwrap_or_default();
    let printable = |b: &u8| *b >= 0x20 && *b != 0x7f || matches!(b, b'\t' | b'\r' | b'\n');
    !start.is_empty() && start.iter().all(printable)
}

#[cfg(test)]
mod tests {
    use ledge_core::registry::reading::FolderNotes;

    use super::*;

    const MIB: u64 = 1 << 20;

    fn accepted(path: &Path, names: &[&str]) -> bool {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let extension = path.extension().expect("an extension").to_string_lossy();
        accepts(&Candidate {
            path,
            root: Path::new("/"),
            extension: &extension,
            siblings: &[],
            names: &names,
            notes: &FolderNotes::default(),
        })
    }

    /// Creates files of these names and sizes. Returns the names of the rejected ones.
    fn rejected<'a>(folder: &str, files: &[(&'a str, u64)]) -> Vec<&'a str> {
        let root = tempfile::tempdir().expect("a folder");
        let folder = root.path().join(folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
        for (name, bytes) in files {
            let file = std::fs::File::create(folder.join(name)).expect("a file");
            file.set_len(*bytes).expect("a size");
        }
        let mut rejected = names.clone();
        rejected.retain(|name| !accepted(&folder.join(name), &names));
        rejected
    }

    #[test]
    fn samples_and_trailers_next_to_their_film_are_rejected() {
        let files = [
            ("Film.mkv", 700 * MIB),
            ("sample.mkv", 20 * MIB),
            ("Film-trailer.mp4", 30 * MIB),
            ("Trailer Park Boys.mkv", MIB),
            ("Film.nfo", 10),
        ];
        assert_eq!(rejected("Film", &files), ["sample.mkv", "Film-trailer.mp4"]);
        let sample = [("grp-sample.mkv", 20 * MIB)];
        assert_eq!(rejected("Film/Sample", &sample), ["grp-sample.mkv"]);
    }

    #[test]
    fn clip_alone_or_next_to_files_of_its_size_is_accepted() {
        assert_eq!(
            rejected("", &[("trailer.mp4", MIB), ("cover.jpg", 10)]),
            [""; 0]
        );
        assert_eq!(rejected("", &[("sample.mkv", MIB)]), [""; 0]);
        let small = [
            ("sample.avi", 300),
            ("sample_dts.mkv", 40),
            ("bt601.mov", 60_000),
        ];
        assert_eq!(rejected("Codecs", &small), [""; 0]);
        let long = [("Film.mkv", 700 * MIB), ("Film-sample.mkv", 600 * MIB)];
        assert_eq!(rejected("Film", &long), [""; 0]);
        assert_eq!(rejected("Samples", &[("sample.mkv", 40_000)]), [""; 0]);
    }

    #[test]
    fn content_decides_for_shared_extensions() {
        let folder = tempfile::tempdir().expect("a folder");
        let page = |packet: &[u8]| {
            let length = u8::try_from(packet.len()).expect("short");
            [b"OggS\0\x02", &[0; 20][..], &[1, length], packet].concat()
        };
        let (audio, film) = (page(b"\x01vorbis"), page(b"\x80theora"));
        for (name, content, expected) in [
            ("a.ogg", &film, true),
            ("a.ogg", &audio, false),
            ("a.ogg", &b"damaged".to_vec(), false),
            ("a.ogx", &film, true),
            ("a.ogx", &audio, false),
            ("a.ogx", &b"damaged".to_vec(), true),
            ("a.ogv", &audio, true),
            ("a.ps", &b"%!PS-Adobe-3.0".to_vec(), false),
            ("a.ps", &b"\0\0\x01\xba".to_vec(), true),
            ("a.mpg", &b"\0\0\x01\xba".to_vec(), true),
            ("a.mpg", &b"\xff\xfd\x90\0".to_vec(), false),
            ("a.mpeg", &b"ID3\x04".to_vec(), false),
            ("a.mpeg", &b"damaged".to_vec(), true),
            // AAC in ADTS: the audio kind rejects it, so that this kind must accept it.
            ("a.mpg", &b"\xff\xf1\x50\x80".to_vec(), true),
        ] {
            let path = folder.path().join(name);
            std::fs::write(&path, content).expect("a file");
            assert_eq!(accepted(&path, &[name]), expected, "{name} {content:?}");
        }
    }

    #[test]
    fn program_text_is_not_a_transport_stream() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).expect("a file");
            accepted(&path, &[name])
        };
        let answers = [
            file("main.ts", b"import { x } from './y';\n"),
            file("film.ts", &[0x47, 0x40, 0x00, 0x10, 0x00]),
            file("empty.ts", b""),
        ];
        assert_eq!(answers, [false, true, true]);
    }
}
