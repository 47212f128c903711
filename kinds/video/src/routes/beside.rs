//! Which files beside a video are its subtitles.

use std::iter;
use std::path::{Path, PathBuf};

use ledge_core::content::list_inside;
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
    let Some(names) = names(&location.root, &location.folder) else {
        return Vec::new();
    };
    let stems = stems(&video, &names.files);
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
        take(&location.folder, file, own(&stems, stem(file)));
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
            let own = own(&stems, stem(file));
            let said = own.or_else(|| is_alone.then(|| numbered(stem(file))));
            take(&path, file, said);
        }
        let of_stem = stems.iter().filter_map(|stem| {
            let mut folders = inner.folders.iter();
            folders.find(|name| name.eq_ignore_ascii_case(stem))
        });
        for own in of_stem {
            let path = path.join(own);
            for file in self::names(&location.root, &path)
                .iter()
                .flat_map(|n| &n.files)
            {
                take(&path, file, Some(numbered(stem(file))));
            }
        }
    }
    found.sort_by(|a, b| natural::cmp(&a.path.to_string_lossy(), &b.path.to_string_lossy()));
    found.truncate(MOST);
    found
}

/// What subtitles may be called after: the video's name, and what is left of it without brackets at
/// its end, where no other video of the folder is called so or comes to the same.
fn stems<'a>(video: &'a str, files: &[String]) -> Vec<&'a str> {
    let others: Vec<&str> = files
        .iter()
        .filter(|file| *file != video && is_video(file))
        .flat_map(|file| shortened(stem(file)))
        .collect();
    let is_free = |stem: &&str| !others.iter().any(|other| other.eq_ignore_ascii_case(stem));
    let own = stem(video);
    let shorter = shortened(own).skip(1).filter(is_free);
    iter::once(own).chain(shorter).collect()
}

/// `Film [1080p] [x264]`, `Film [1080p]`, `Film`: a name, then without the brackets at its end, one
/// more each time, as long as something is left.
fn shortened(stem: &str) -> impl Iterator<Item = &str> {
    iter::successors(Some(stem), |name| {
        let (before, _) = name.strip_suffix(']')?.rsplit_once('[')?;
        Some(before.trim_end()).filter(|before| !before.is_empty())
    })
}

/// What a name says that is called after a video: after its whole name, or one of those that leave
/// something out.
fn own(stems: &[&str], subtitles: &str) -> Option<Said> {
    let (whole, shorter) = stems.split_first()?;
    // `Film [720p].srt` is not that of `Film [1080p].mkv`.
    let is_plain = |stem: &str| matches!(subtitles.as_bytes().get(stem.len()), None | Some(b'.'));
    name::of(whole, subtitles).or_else(|| {
        let mut shorter = shorter.iter().filter(|stem| is_plain(stem));
        shorter.find_map(|stem| name::of(stem, subtitles))
    })
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
    let listed = list_inside(root, &root.join(folder), MOST_NAMES).ok()?;
    let mut names = Names {
        files: Vec::new(),
        folders: Vec::new(),
    };
    for entry in listed {
        // Names that are no text cannot be asked for.
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
    fn what_a_name_says_of_its_release_in_brackets_is_left_out() {
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
    fn names_lose_one_bracket_after_the_other_and_never_all() {
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
    fn some_brackets_may_be_left_out_and_others_stay() {
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
    fn what_is_left_of_a_name_is_not_another_videos() {
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
        // Without the other, it is the film's.
        assert_eq!(found(&names[1..], "Film [Director's Cut].mkv").len(), 3);
    }

    #[test]
    fn what_is_left_of_the_names_of_two_videos_is_neithers() {
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
    fn folders_of_subtitles_leave_out_brackets_too() {
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
