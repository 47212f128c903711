//! Whether a file is a book at all: texts lie about everywhere.

use ledge_core::registry::reading::Candidate;

/// Beside audio and video a text or PDF is a booklet, a description or a licence. Kinds do not
/// know each other; these are the containers that such files come in everywhere.
const AUDIO_AND_VIDEO: &[&str] = &[
    "mp3", "m4a", "m4b", "flac", "ogg", "oga", "opus", "aac", "wav", "wma", "ape", "wv", "aiff",
    "aif", "alac", "dsf", "mka", "mp4", "m4v", "mkv", "avi", "mov", "webm", "wmv", "mpg", "mpeg",
    "ts", "m2ts", "vob", "flv", "ogv", "aax",
];

/// Formats that are books only by themselves.
const COMMON: &[&str] = &["txt", "rtf", "pdf"];

/// Names of texts that are about other files: of programs, of downloads, and the description and
/// reader that Audiobookshelf keeps beside a book.
const LITTER: &[&str] = &[
    "about",
    "authors",
    "changelog",
    "changes",
    "contributing",
    "copying",
    "copyright",
    "cover",
    "credits",
    "desc",
    "description",
    "eula",
    "faq",
    "file_id",
    "filelist",
    "history",
    "info",
    "install",
    "licence",
    "license",
    "manifest",
    "news",
    "notes",
    "notice",
    "read me",
    "read_me",
    "reader",
    "readme",
    "release notes",
    "requirements",
    "robots",
    "source",
    "thanks",
    "todo",
    "tracklist",
    "version",
];

/// How texts about a download begin.
const LITTER_STARTS: &[&str] = &[
    "readme",
    "read me",
    "torrent downloaded from",
    "downloaded from",
    "license-",
    "licence-",
];

/// Whether audio or video lies in a folder.
struct BesideFilm(bool);

/// The veto of the books kind.
pub fn accepts(candidate: &Candidate<'_>) -> bool {
    if !COMMON.contains(&candidate.extension) {
        return true;
    }
    let film = |sibling: &String| AUDIO_AND_VIDEO.contains(&sibling.as_str());
    let beside_film = candidate
        .notes
        .get_or_make(|| BesideFilm(candidate.siblings.iter().any(film)));
    if beside_film.0 {
        return false;
    }
    let stem = candidate.path.file_stem().unwrap_or_default();
    candidate.extension == "pdf" || !is_litter(&stem.to_string_lossy())
}

fn is_litter(stem: &str) -> bool {
    let stem = stem.trim().to_lowercase();
    LITTER.binary_search(&stem.as_str()).is_ok()
        || LITTER_STARTS.iter().any(|start| stem.starts_with(start))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use ledge_core::registry::reading::FolderNotes;

    use super::*;

    fn accepted(name: &str, siblings: &[&str]) -> bool {
        let (_, extension) = name.rsplit_once('.').expect("an extension");
        let mut siblings: Vec<String> = siblings.iter().map(|s| (*s).to_owned()).collect();
        siblings.push(extension.to_owned());
        accepts(&Candidate {
            path: &Path::new("/library/folder").join(name),
            root: Path::new("/"),
            extension,
            siblings: &siblings,
            names: &[],
            notes: &FolderNotes::default(),
        })
    }

    #[test]
    fn the_litter_is_sorted() {
        assert!(LITTER.is_sorted());
    }

    #[test]
    fn texts_beside_audio_and_video_are_extras() {
        assert!(!accepted("booklet.pdf", &["flac"]));
        assert!(!accepted("Film.txt", &["mkv"]));
        assert!(accepted("Book.epub", &["m4b"]));
        assert!(accepted("Book.pdf", &["epub"]));
        assert!(accepted("Book.txt", &[]));
    }

    #[test]
    fn texts_about_other_files_are_no_books() {
        for name in [
            "README.txt",
            "License.txt",
            "desc.txt",
            "reader.txt",
            "Torrent downloaded from x.txt",
        ] {
            assert!(!accepted(name, &["epub"]), "{name}");
        }
        assert!(accepted("Reader, I Married Him.txt", &[]));
        assert!(accepted("README.pdf", &[]));
    }
}
