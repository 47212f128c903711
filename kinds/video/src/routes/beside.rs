//! Which files beside a video are its subtitles.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use ledge_core::names::natural;
use ledge_core::store::location::FileLocation;

use crate::formats::FORMATS;
use crate::subtitles::Format;
use crate::subtitles::name::{self, Said};

/// Most names of a folder that are looked at.
const MOST_NAMES: usize = 20_000;
/// Most tracks of one video.
const MOST: usize = 500;
/// Folders that releases put subtitles into.
const FOLDERS: &[&str] = &["subs", "subtitles", "sub"];

/// A file of subtitles.
#[derive(Debug, Clone)]
pub(super) struct Beside {
    /// Its path below the library's root.
    pub(super) path: PathBuf,
    pub(super) said: Said,
    pub(super) format: Format,
}

/// A folder's names: its files, and its folders.
struct Names {
    files: Vec<String>,
    folders: Vec<String>,
}

/// The files that are a video's subtitles, by name.
pub(super) fn of(location: &FileLocation) -> Vec<Beside> {
    let video = location.name_text();
    let stem = stem(&video);
    let Some(names) = names(&location.root, &location.folder) else {
        return Vec::new();
    };
    let mut found: Vec<Beside> = Vec::new();
    let mut take = |folder: &Path, file: &str, said: Option<Said>| {
        let format = extension(file).and_then(|end| Format::of_extension(&end));
        if let Some((said, format)) = said.zip(format) {
            found.push(Beside {
                path: folder.join(file),
                said,
                format,
            });
        }
    };
    for file in &names.files {
        take(&location.folder, file, name::of(stem, self::stem(file)));
    }
    let is_alone = names.files.iter().filter(|file| is_video(file)).count() == 1;
    for folder in &names.folders {
        if !FOLDERS.contains(&folder.to_lowercase().as_str()) {
            continue;
        }
        let path = location.folder.join(folder);
        let Some(inner) = self::names(&location.root, &path) else {
            continue;
        };
        for file in &inner.files {
            let own = name::of(stem, self::stem(file));
            let said = own.or_else(|| is_alone.then(|| numbered(self::stem(file))));
            take(&path, file, said);
        }
        let own = inner
            .folders
            .iter()
            .find(|name| name.eq_ignore_ascii_case(stem));
        if let Some(own) = own {
            let path = path.join(own);
            for file in self::names(&location.root, &path)
                .iter()
                .flat_map(|n| &n.files)
            {
                take(&path, file, Some(numbered(self::stem(file))));
            }
        }
    }
    found.sort_by(|a, b| natural::cmp(&a.path.to_string_lossy(), &b.path.to_string_lossy()));
    found.truncate(MOST);
    found
}

/// `2_English`: the number only counts.
fn numbered(stem: &str) -> Said {
    let rest = stem.trim_start_matches(|c: char| c.is_ascii_digit());
    name::said(rest)
}

fn stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

fn extension(name: &str) -> Option<String> {
    name.rsplit_once('.').map(|(_, end)| end.to_lowercase())
}

fn is_video(name: &str) -> bool {
    extension(name).is_some_and(|end| FORMATS.iter().any(|format| format.extension == end))
}

/// The names in a folder below the root, links resolved; others are not looked into.
fn names(root: &Path, folder: &Path) -> Option<Names> {
    let root = root.canonicalize().ok()?;
    let path = root.join(folder).canonicalize().ok()?;
    if !path.starts_with(&root) {
        return None;
    }
    let mut names = Names {
        files: Vec::new(),
        folders: Vec::new(),
    };
    for entry in path.read_dir().ok()?.flatten().take(MOST_NAMES) {
        // Names that are no text cannot be asked for.
        let Some(name) = entry.file_name().to_str().map(str::to_owned) else {
            continue;
        };
        if is_hidden(entry.file_name().as_os_str()) {
            continue;
        }
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            names.folders.push(name);
        } else {
            names.files.push(name);
        }
    }
    Some(names)
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use ledge_core::id::FileId;

    use super::*;

    fn found(names: &[&str], video: &str) -> Vec<String> {
        let tree = tempfile::tempdir().expect("a folder");
        for name in names {
            let path = tree.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            std::fs::write(path, "x").expect("a file");
        }
        let (folder, name) = video.rsplit_once('/').unwrap_or(("", video));
        let location = FileLocation {
            id: FileId(1),
            kind: "video".to_owned(),
            root: tree.path().to_owned(),
            folder: PathBuf::from(folder),
            name: OsString::from(name),
        };
        let shown = |beside: Beside| {
            let language = beside.said.language.unwrap_or_default();
            format!("{} {language}", beside.path.display())
                .trim()
                .to_owned()
        };
        of(&location).into_iter().map(shown).collect()
    }

    #[test]
    fn subtitles_bear_the_videos_name() {
        let names = [
            "Film.mkv",
            "Other.mkv",
            "Film.srt",
            "Film.de.ass",
            "Other.en.vtt",
            "Film.nfo",
            ".Film.fr.srt",
            "Subs/Film.es.srt",
            "Subs/2_English.srt",
        ];
        assert_eq!(
            found(&names, "Film.mkv"),
            ["Film.de.ass de", "Film.srt", "Subs/Film.es.srt es"]
        );
    }

    #[test]
    fn a_film_alone_has_all_of_the_folder_of_subtitles() {
        let names = [
            "F/Film.mkv",
            "F/Subs/2_English.srt",
            "F/Subs/Film/3_German.srt",
        ];
        assert_eq!(
            found(&names, "F/Film.mkv"),
            ["F/Subs/2_English.srt en", "F/Subs/Film/3_German.srt de"]
        );
    }

    #[test]
    fn folders_that_lead_out_are_not_looked_into() {
        let tree = tempfile::tempdir().expect("a folder");
        let outside = tempfile::tempdir().expect("a folder");
        std::fs::write(outside.path().join("Film.srt"), "x").expect("a file");
        std::os::unix::fs::symlink(outside.path(), tree.path().join("out")).expect("a link");
        assert!(names(tree.path(), Path::new("out")).is_none());
        assert!(names(tree.path(), Path::new("none")).is_none());
    }
}
