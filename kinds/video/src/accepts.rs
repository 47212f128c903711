//! Files that bear a video's extension and are none, or are none anybody looks for.

use std::path::Path;

use ledge_core::ogg;
use ledge_core::registry::reading::Candidate;

use crate::codec::mpeg;
use crate::extras;
use crate::formats::FORMATS;
use crate::program;

/// How much of a file is read to tell what it is, in bytes.
const HEAD: u64 = 64 << 10;
/// A film takes as many bytes: beside less, a sample or a trailer is one clip among others.
const FILM: u64 = 64 << 20;
/// A film is so many times as large as its sample.
const TIMES: u64 = 4;
/// A release's sample takes as many bytes.
const SAMPLE: u64 = 1 << 20;

/// Vetoes samples and trailers beside the film they belong to, and program text named `.ts`.
///
/// Kodi leaves samples and trailers out of its listings, and so does Jellyfin but for a button:
/// as items or as versions of the film they would be offered in its place. A clip that has its
/// folder to itself stays, whatever its name, and so does one among others of its size.
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
    if is_sample && in_sample_folder(candidate.path) && size >= SAMPLE {
        return false;
    }
    let film = largest_film(candidate);
    film < FILM || film / TIMES < size
}

/// Whether the content can be a video, for extensions that other programs use as well. A file
/// that cannot be read can.
fn has_expected_content(candidate: &Candidate<'_>) -> bool {
    let head = || candidate.beginning(HEAD).unwrap_or_default();
    let is_empty_or = |is_video: fn(&[u8]) -> bool| {
        let head = head();
        head.is_empty() || is_video(&head)
    };
    match candidate.extension {
        "ts" => !is_text(candidate),
        // PostScript has the extension of program streams.
        "ps" => is_empty_or(|head| head.starts_with(program::MAGIC)),
        "ogg" => ogg::has_pictures(&head()),
        "ogx" => is_empty_or(|head| !ogg::begins(head) || ogg::has_pictures(head)),
        "mpg" | "mpeg" => is_empty_or(|head| !is_mpeg_audio(head)),
        _ => true,
    }
}

/// Whether a file begins with an ID3 tag or a frame header of MPEG audio.
fn is_mpeg_audio(head: &[u8]) -> bool {
    head.starts_with(b"ID3")
        || head.starts_with(&[0xff]) && mpeg::audio_layer(head.get(..4).unwrap_or(head)).is_some()
}

/// Bytes of a file; `None` where it cannot be opened.
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

/// Bytes of the largest video of a folder that is neither sample nor trailer.
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

/// TypeScript sources and Qt's translations share the extension of MPEG transport streams, whose
/// packets are binary.
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

    /// Which files of a folder are left out, of names and sizes.
    fn left_out<'a>(folder: &str, files: &[(&'a str, u64)]) -> Vec<&'a str> {
        let root = tempfile::tempdir().expect("a folder");
        let folder = root.path().join(folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
        for (name, bytes) in files {
            let file = std::fs::File::create(folder.join(name)).expect("a file");
            file.set_len(*bytes).expect("a size");
        }
        let mut left_out = names.clone();
        left_out.retain(|name| !accepted(&folder.join(name), &names));
        left_out
    }

    #[test]
    fn samples_and_trailers_are_left_out_beside_their_film() {
        let files = [
            ("Film.mkv", 700 * MIB),
            ("sample.mkv", 20 * MIB),
            ("Film-trailer.mp4", 30 * MIB),
            ("Trailer Park Boys.mkv", MIB),
            ("Film.nfo", 10),
        ];
        assert_eq!(left_out("Film", &files), ["sample.mkv", "Film-trailer.mp4"]);
        let sample = [("grp-sample.mkv", 20 * MIB)];
        assert_eq!(left_out("Film/Sample", &sample), ["grp-sample.mkv"]);
    }

    #[test]
    fn a_clip_stays_alone_and_among_others_of_its_size() {
        assert_eq!(
            left_out("", &[("trailer.mp4", MIB), ("cover.jpg", 10)]),
            [""; 0]
        );
        assert_eq!(left_out("", &[("sample.mkv", MIB)]), [""; 0]);
        let small = [
            ("sample.avi", 300),
            ("sample_dts.mkv", 40),
            ("bt601.mov", 60_000),
        ];
        assert_eq!(left_out("Codecs", &small), [""; 0]);
        let long = [("Film.mkv", 700 * MIB), ("Film-sample.mkv", 600 * MIB)];
        assert_eq!(left_out("Film", &long), [""; 0]);
        assert_eq!(left_out("Samples", &[("sample.mkv", 40_000)]), [""; 0]);
    }

    #[test]
    fn content_decides_where_an_extension_is_shared() {
        let folder = tempfile::tempdir().expect("a folder");
        let page = |packet: &[u8]| {
            let length = u8::try_from(packet.len()).expect("short");
            [b"OggS\0\x02", &[0; 20][..], &[1, length], packet].concat()
        };
        let (sound, film) = (page(b"\x01vorbis"), page(b"\x80theora"));
        for (name, content, expected) in [
            ("a.ogg", &film, true),
            ("a.ogg", &sound, false),
            ("a.ogg", &b"damaged".to_vec(), false),
            ("a.ogx", &film, true),
            ("a.ogx", &sound, false),
            ("a.ogx", &b"damaged".to_vec(), true),
            ("a.ogv", &sound, true),
            ("a.ps", &b"%!PS-Adobe-3.0".to_vec(), false),
            ("a.ps", &b"\0\0\x01\xba".to_vec(), true),
            ("a.mpg", &b"\0\0\x01\xba".to_vec(), true),
            ("a.mpg", &b"\xff\xfd\x90\0".to_vec(), false),
            ("a.mpeg", &b"ID3\x04".to_vec(), false),
            ("a.mpeg", &b"damaged".to_vec(), true),
        ] {
            let path = folder.path().join(name);
            std::fs::write(&path, content).expect("a file");
            assert_eq!(accepted(&path, &[name]), expected, "{name} {content:?}");
        }
    }

    #[test]
    fn program_text_is_no_transport_stream() {
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
