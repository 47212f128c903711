//! Veto against files that are not books: texts and PDFs often accompany other files.

use ledge_core::registry::reading::Candidate;

/// Extensions of audio and video files. A text or PDF in the same folder is a booklet, a
/// description or a licence. Kinds do not know each other, so this list repeats the common
/// containers.
const AUDIO_AND_VIDEO: &[&str] = &[
    "mp3", "m4a", "m4b", "flac", "ogg", "oga", "opus", "aac", "wav", "wma", "ape", "wv", "aiff",
    "aif", "alac", "dsf", "mka", "mp4", "m4v", "mkv", "avi", "mov", "webm", "wmv", "mpg", "mpeg",
    "ts", "m2ts", "vob", "flv", "ogv", "aax",
];

/// Extensions of formats that are books only if they do not accompany other media.
const ACCOMPANYING: &[&str] = &["txt", "rtf", "pdf"];

/// File stems of texts about other files: of programs, of downloads, and the description and reader
/// files of Audiobookshelf. Sorted for binary search.
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

/// First words of the names of texts about a download.
const LITTER_STARTS: &[&str] = &[
    "readme",
    "read me",
    "torrent downloaded from",
    "downloaded from",
    "license-",
    "licence-",
];

/// Cached result for a folder: true if it contains audio or video.
struct HasAudioOrVideo(bool);

/// Returns false if a file is not a book. This is the veto of the books kind.
pub fn accepts(candidate: &Candidate<'_>) -> bool {
    if !ACCOMPANYING.contains(&candidate.extension) {
        return true;
    }
    let is_media = |sibling: &String| AUDIO_AND_VIDEO.contains(&sibling.as_str());
    let has_media = candidate
        .notes
        .get_or_make(|| HasAudioOrVideo(candidate.siblings.iter().any(is_media)));
    if has_media.0 {
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
    fn litter_is_sorted() {
        assert!(LITTER.is_sorted());
    }

    #[test]
    fn texts_in_folders_with_audio_or_video_are_not_books() {
        assert!(!accepted("booklet.pdf", &["flac"]));
        assert!(!accepted("Film.txt", &["mkv"]));
        assert!(accepted("Book.epub", &["m4b"]));
        assert!(accepted("Book.pdf", &["epub"]));
        assert!(accepted("Book.txt", &[]));
    }

    #[test]
    fn texts_about_other_files_are_not_books() {
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
