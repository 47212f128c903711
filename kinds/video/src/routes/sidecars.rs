//! Lookup of the subtitle files of a video.

use std::iter;
use std::path::{Path, PathBuf};

use ledge_core::fs::list_inside;
use ledge_core::store::file::location::FileLocation;
use ledge_core::text::names::natural;

use crate::formats::FORMATS;
use crate::subtitles::Format;
use crate::subtitles::name::{self, SubtitleName};

/// Maximum number of names that are checked per folder.
const MAX_NAMES: usize = 20_000;
/// Maximum number of tracks per video.
const MAX_TRACKS: usize = 500;
/// Folder names that releases use for subtitles.
const FOLDERS: &[&str] = &["subs", "subtitles", "sub"];

/// Subtitle file next to a video.
#[derive(Debug, Clone)]
pub(super) struct SubtitleFile {
    /// Path relative to the library's root.
    pub(super) path: PathBuf,
    pub(super) name: SubtitleName,
    pub(super) format: Format,
}

/// Names in a folder.
struct Names {
    files: Vec<String>,
    folders: Vec<String>,
}

/// Finds the subtitle files of a video by their names.
pub(super) fn find(location: &FileLocation) -> Vec<SubtitleFile> {
    let video = location.name_text();
    let Some(names) = names(&location.root, &location.folder) else {
        return Vec::new();
    };
    let stems = stems(&video, &names.files);
    let mut found: Vec<SubtitleFile> = Vec::new();
    let mut add = |folder: &Path, file: &str, name: Option<SubtitleName>| {
        let format = extension(file).and_then(|end| Format::from_extension(&end));
        if let Some((name, format)) = name.zip(format) {
            found.push(SubtitleFile {
                path: folder.join(file),
                name,
                format,
            });
        }
    };
    for file in &names.files {
        add(&location.folder, file, name_of(&stems, stem(file)));
    }
    let is_only_video = names.files.iter().filter(|file| is_video(file)).count() == 1;
    for folder in &names.folders {
        if !FOLDERS.contains(&folder.to_lowercase().as_str()) {
            continue;
        }
        let path = location.folder.join(folder);
        let Some(inner) = self::names(&location.root, &path) else {
            continue;
        };
        for file in &inner.files {
            let name = name_of(&stems, stem(file));
            let name = name.or_else(|| is_only_video.then(|| counted_name(stem(file))));
            add(&path, file, name);
        }
        let matching_folders = stems.iter().filter_map(|stem| {
            let mut folders = inner.folders.iter();
            folders.find(|name| name.eq_ignore_ascii_case(stem))
        });
        for folder in matching_folders {
            let path = path.join(folder);
            for file in self::names(&location.root, &path)
                .iter()
                .flat_map(|n| &n.files)
            {
                add(&path, file, Some(counted_name(stem(file))));
            }
        }
    }
    found.sort_by(|a, b| natural::cmp(&a.path.to_string_lossy(), &b.path.to_string_lossy()));
    found.truncate(MAX_TRACKS);
    found
}

/// Returns the stems that subtitle files may begin with. These are the video's stem and its forms
/// without trailing brackets, except those that another video shares.
fn stems<'a>(video: &'a str, files: &[String]) -> Vec<&'a str> {
    let others: Vec<&str> = files
        .iter()
        .filter(|file| *file != video && is_video(file))
        .flat_map(|file| shortened(stem(file)))
        .collect();
    let is_free = |stem: &&str| !others.iter().any(|other| other.eq_ignore_ascii_case(stem));
    let video_stem = stem(video);
    let shorter = shortened(video_stem).skip(1).filter(is_free);
    iter::once(video_stem).chain(shorter).collect()
}

/// Yields a name and its forms with one trailing bracket less each time: `Film [1080p] [x264]`,
/// `Film [1080p]`, `Film`. The name never becomes empty.
fn shortened(stem: &str) -> impl Iterator<Item = &str> {
    iter::successors(Some(stem), |name| {
        let (before, _) = name.strip_suffix(']')?.rsplit_once('[')?;
        Some(before.trim_end()).filter(|before| !before.is_empty())
    })
}

/// Parses a subtitle stem that begins with one of the video's stems.
fn name_of(stems: &[&str], subtitles: &str) -> Option<SubtitleName> {
    let (whole, shorter) = stems.split_first()?;
    // `Film [720p].srt` does not belong to `Film [1080p].mkv`.
    let is_plain = |stem: &str| matches!(subtitles.as_bytes().get(stem.len()), None | Some(b'.'));
    name::parse(whole, subtitles).or_else(|| {
        let mut shorter = shorter.iter().filter(|stem| is_plain(stem));
        shorter.find_map(|stem| name::parse(stem, subtitles))
    })
}

/// Parses names such as `2_English`, whose number is only a counter.
fn counted_name(stem: &str) -> SubtitleName {
    let rest = stem.trim_start_matches(|c: char| c.is_ascii_digit());
    name::parse_words(rest)
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

/// Lists the visible names of a folder. Returns `None` if the resolved folder is outside the root.
fn names(root: &Path, folder: &Path) -> Option<Names> {
    let listed = list_inside(root, &root.join(folder), MAX_NAMES).ok()?;
    let mut names = Names {
        files: Vec::new(),
        folders: Vec::new(),
    };
    for entry in listed {
        // Names that are not UTF-8 cannot be requested.
        let Ok(name) = entry.name.into_string() else {
            continue;
        };
        if name.starts_with('.') {
            continue;
        }
        if entry.is_folder {
            names.folders.push(name);
        } else {
            names.files.push(name);
        }
    }
    Some(names)
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
        let shown = |file: SubtitleFile| {
            let language = file.name.language.unwrap_or_default();
            format!("{} {language}", file.path.display())
                .trim()
                .to_owned()
        };
        find(&location).into_iter().map(shown).collect()
    }

    #[test]
    fn subtitles_begin_with_the_video_name() {
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
    fn release_brackets_may_be_omitted() {
        let names = [
            "Film (1978) [1080p x264] [de].mkv",
            "Film (1978).en.srt",
            "Film (1978) [1080p x264] [de].fr.srt",
            "Film (1978) 2.es.srt",
            "Film (1978) [720p].it.srt",
            "[Group] Other.mkv",
            "Other.it.srt",
        ];
        assert_eq!(
            found(&names, "Film (1978) [1080p x264] [de].mkv"),
            [
                "Film (1978) [1080p x264] [de].fr.srt fr",
                "Film (1978).en.srt en"
            ]
        );
        assert_eq!(found(&names, "[Group] Other.mkv"), [""; 0]);
    }

    #[test]
    fn shortened_names_lose_one_bracket_each_and_never_become_empty() {
        for (stem, expected) in [
            ("Film [a] [b]", "Film [a] [b]|Film [a]|Film"),
            ("[Group][Show][1]", "[Group][Show][1]|[Group][Show]|[Group]"),
            ("[Group] Film", "[Group] Film"),
            (" [1080p]", " [1080p]"),
            ("a ]", "a ]"),
            ("a [b", "a [b"),
            ("", ""),
        ] {
            let found: Vec<&str> = shortened(stem).collect();
            assert_eq!(found.join("|"), expected);
        }
    }

    #[test]
    fn some_brackets_may_be_omitted_while_others_stay() {
        let names = [
            "Film [1080p] [x264].mkv",
            "Film [1080p].en.srt",
            "Film [1080p] [DTS].it.srt",
            "Film [x264].es.srt",
            "Film.de.srt",
            "A/[Group][Show][01][1080p].mkv",
            "A/[Group][Show][01].ass",
            "A/[Group][Show][02].ass",
        ];
        assert_eq!(
            found(&names, "Film [1080p] [x264].mkv"),
            ["Film [1080p].en.srt en", "Film.de.srt de"]
        );
        assert_eq!(
            found(&names, "A/[Group][Show][01][1080p].mkv"),
            ["A/[Group][Show][01].ass"]
        );
    }

    #[test]
    fn shortened_name_of_another_video_does_not_match() {
        let names = [
            "FILM.mkv",
            "Film [Director's Cut].mkv",
            "Film.en.srt",
            "Film.nfo",
            "Subs/Film.fr.srt",
            "Subs/Film/2_German.srt",
        ];
        let expected = [
            "Film.en.srt en",
            "Subs/Film.fr.srt fr",
            "Subs/Film/2_German.srt de",
        ];
        assert_eq!(found(&names, "FILM.mkv"), expected);
        assert_eq!(found(&names, "Film [Director's Cut].mkv"), [""; 0]);
        // Without the other video, the subtitles belong to the film.
        assert_eq!(found(&names[1..], "Film [Director's Cut].mkv").len(), 3);
    }

    #[test]
    fn shortened_name_shared_by_two_videos_matches_neither() {
        let names = [
            "Film [CD1].avi",
            "Film [CD2].avi",
            "Film.srt",
            "Film [CD1].srt",
            "Show/Show [01] [x264].mkv",
            "Show/Show [02] [x264].mkv",
            "Show/Show.en.srt",
            "Show/Show [02].en.srt",
            "Show/Subs/Show/2_English.srt",
            "Show/Subs/Show [02]/3_German.srt",
        ];
        assert_eq!(found(&names, "Film [CD1].avi"), ["Film [CD1].srt"]);
        assert_eq!(found(&names, "Film [CD2].avi"), [""; 0]);
        assert_eq!(found(&names, "Show/Show [01] [x264].mkv"), [""; 0]);
        assert_eq!(
            found(&names, "Show/Show [02] [x264].mkv"),
            [
                "Show/Show [02].en.srt en",
                "Show/Subs/Show [02]/3_German.srt de"
            ]
        );
    }

    #[test]
    fn brackets_may_be_omitted_in_subtitle_folders() {
        let names = [
            "F/Film (1978) [1080p].mkv",
            "F/Other.mkv",
            "F/Subs/Film (1978)/2_English.srt",
            "F/Subs/Film (1978) [1080p]/3_German.srt",
            "F/Subs/Film/4_French.srt",
        ];
        assert_eq!(
            found(&names, "F/Film (1978) [1080p].mkv"),
            [
                "F/Subs/Film (1978) [1080p]/3_German.srt de",
                "F/Subs/Film (1978)/2_English.srt en"
            ]
        );
        assert_eq!(found(&names, "F/Other.mkv"), [""; 0]);
    }

    #[test]
    fn single_film_gets_all_files_of_the_subtitle_folder() {
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
    fn linked_folders_outside_the_root_are_ignored() {
        let tree = tempfile::tempdir().expect("a folder");
        let outside = tempfile::tempdir().expect("a folder");
        std::fs::write(outside.path().join("Film.srt"), "x").expect("a file");
        std::os::unix::fs::symlink(outside.path(), tree.path().join("out")).expect("a link");
        assert!(names(tree.path(), Path::new("out")).is_none());
        assert!(names(tree.path(), Path::new("none")).is_none());
    }
}
