//! Files that bear a video's extension and are none, or are none anybody looks for.

use std::io::Read;
use std::path::Path;

use ledge_core::registry::reading::Candidate;

use crate::extras;
use crate::formats::FORMATS;

/// Vetoes samples and trailers beside the video they belong to, and program text named `.ts`.
///
/// Kodi leaves samples and trailers out of its listings, and so does Jellyfin but for a button:
/// as items or as versions of the film they would be offered in its place. A clip that has its
/// folder to itself stays, whatever its name.
pub(crate) fn accepts(candidate: &Candidate<'_>) -> bool {
    if candidate.extension == "ts" && is_text(candidate) {
        return false;
    }
    let stem = candidate
        .path
        .file_stem()
        .map(|stem| stem.to_string_lossy());
    let stem = stem.unwrap_or_default();
    if extras::is_sample(&stem) && in_sample_folder(candidate.path) {
        return false;
    }
    !(extras::is_sample(&stem) || extras::is_trailer(&stem)) || !has_company(candidate)
}

fn in_sample_folder(path: &Path) -> bool {
    let folder = path.parent().and_then(Path::file_name);
    folder.is_some_and(|name| {
        name.eq_ignore_ascii_case("sample") || name.eq_ignore_ascii_case("samples")
    })
}

/// Whether another video lies beside it that is neither sample nor trailer.
fn has_company(candidate: &Candidate<'_>) -> bool {
    candidate.names.iter().any(|name| {
        let Some((stem, extension)) = name.rsplit_once('.') else {
            return false;
        };
        let extension = extension.to_lowercase();
        FORMATS.iter().any(|format| format.extension == extension)
            && !extras::is_sample(stem)
            && !extras::is_trailer(stem)
    })
}

/// TypeScript sources and Qt's translations share the extension of MPEG transport streams, whose
/// packets are binary.
fn is_text(candidate: &Candidate<'_>) -> bool {
    let mut start = Vec::new();
    let read = candidate
        .open(candidate.path)
        .and_then(|file| file.take(512).read_to_end(&mut start));
    let printable = |b: &u8| *b >= 0x20 && *b != 0x7f || matches!(b, b'\t' | b'\r' | b'\n');
    read.is_ok() && !start.is_empty() && start.iter().all(printable)
}

#[cfg(test)]
mod tests {
    use ledge_core::registry::reading::FolderNotes;

    use super::*;

    fn accepted(path: &str, names: &[&str]) -> bool {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let extension = path.rsplit('.').next().unwrap_or_default().to_owned();
        accepts(&Candidate {
            path: Path::new(path),
            root: Path::new("/"),
            extension: &extension,
            siblings: &[],
            names: &names,
            notes: &FolderNotes::default(),
        })
    }

    #[test]
    fn samples_and_trailers_are_left_out_beside_their_film() {
        let names = ["Film.mkv", "sample.mkv", "Film-trailer.mp4", "Film.nfo"];
        assert!(accepted("/m/Film/Film.mkv", &names));
        assert!(!accepted("/m/Film/sample.mkv", &names));
        assert!(!accepted("/m/Film/Film-trailer.mp4", &names));
        assert!(!accepted(
            "/m/Film/Sample/grp-sample.mkv",
            &["grp-sample.mkv"]
        ));
    }

    #[test]
    fn a_clip_alone_stays() {
        assert!(accepted("/m/trailer.mp4", &["trailer.mp4", "cover.jpg"]));
        assert!(accepted("/m/sample.mkv", &["sample.mkv"]));
        assert!(accepted(
            "/m/Trailer Park Boys.mkv",
            &["Trailer Park Boys.mkv", "Film.mkv"]
        ));
    }

    #[test]
    fn program_text_is_no_transport_stream() {
        let folder = std::env::temp_dir().join(format!("ledge-ts-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let file = |name: &str, bytes: &[u8]| {
            let path = folder.join(name);
            std::fs::write(&path, bytes).expect("a file");
            accepted(path.to_str().expect("a plain path"), &[name])
        };
        let answers = [
            file("main.ts", b"import { x } from './y';\n"),
            file("film.ts", &[0x47, 0x40, 0x00, 0x10, 0x00]),
            file("empty.ts", b""),
        ];
        std::fs::remove_dir_all(&folder).expect("cleaned up");
        assert_eq!(answers, [false, true, true]);
    }
}
