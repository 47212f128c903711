//! Media kinds for tests, with a record of their reads.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use ledge_core::error::ReadError;
use ledge_core::registry::naming::{
    Credit, FileName, FolderListing, Group, ItemNames, Member, Series, join,
};
use ledge_core::registry::reading::{Candidate, Inspection, Probe, ReadTools, Verdict};
use ledge_core::registry::{Format, MediaKind, MetadataSidecars, PlaybackEngine, Registry, Unit};

pub(super) const ENGINE: PlaybackEngine = PlaybackEngine {
    id: "html5",
    label: "Browser",
    rank: 0,
    containers: &[],
    vcodecs: &[],
    acodecs: &[],
};

/// Every file is an item. A file that begins with `title=` has that title, and the bytes after a
/// line `%%picture` are its picture.
const PAPER: MediaKind = MediaKind {
    cover: Some(cover_paper),
    inspect: Some(inspect_paper),
    accepts: Some(accepts_paper),
    partition: Some(partition_papers),
    metadata_sidecars: MetadataSidecars {
        of_file: &["slip"],
        of_folder: &["shelf.slip", "house.slip"],
        of_folders_below: &["house.slip"],
    },
    ..MediaKind::new(
        "paper",
        "Sheet",
        "Sheets",
        &[
            Format::new("sheet", "text/x-sheet", "download", Unit::Page),
            Format::untyped("leaf", "download", Unit::Page),
        ],
    )
};

/// The same kind with newer readers.
pub(super) const BETTER_PAPER: MediaKind = MediaKind {
    reading_version: 2,
    ..PAPER
};

/// A folder is an item of parts. Folders named `Disc N` belong to the parent folder. A file with a
/// number as name has that position, and a file that begins with `blank` has unknown codecs.
pub(super) const REEL: MediaKind = MediaKind {
    contested: &[Format::new("leaf", "text/x-film", "reel", Unit::Second)],
    accepts: Some(accepts_reel),
    inspect: Some(inspect_paper),
    group: group_reels,
    probe: Some(probe_reel),
    ..MediaKind::new(
        "reel",
        "Reel",
        "Reels",
        &[Format::untyped("reel", "download", Unit::Second)],
    )
};

fn partition_papers(folder: &FolderListing<'_>) -> Vec<u64> {
    (0..).take(folder.files.len()).collect()
}

fn accepts_paper(candidate: &Candidate<'_>) -> Verdict {
    note_read(candidate.path);
    let body = fs::read(candidate.path).unwrap_or_default();
    if body.starts_with(b"blank") {
        return Verdict::Reject("is a blank sheet".to_owned());
    }
    if body.starts_with(b"wet") {
        return Verdict::RetryLater("is not dry yet".to_owned());
    }
    (!body.starts_with(b"veto") && !body.starts_with(b"film")).into()
}

/// Accepts leaves that begin with `film` from another kind.
fn accepts_reel(candidate: &Candidate<'_>) -> Verdict {
    let is_film = || fs::read(candidate.path).is_ok_and(|body| body.starts_with(b"film"));
    (candidate.extension == "reel" || is_film()).into()
}

fn inspect_paper(path: &Path, _: &ReadTools<'_>) -> Result<Inspection, ReadError> {
    note_read(path);
    let body = fs::read(path)?;
    let text = String::from_utf8_lossy(&body).into_owned();
    assert!(!text.starts_with("panic"), "a reader of files crashed");
    if text.starts_with("damaged") {
        return Err(ReadError::Damaged("it is torn".to_owned()));
    }
    let folder = path.parent().expect("a folder");
    let notes = [
        folder.join("../house.slip"),
        folder.join("house.slip"),
        folder.join("shelf.slip"),
        path.with_extension("slip"),
    ];
    let notes = notes.map(|note| fs::read_to_string(note).unwrap_or_default());
    let mut inspection = Inspection::default();
    for line in text
        .lines()
        .chain(notes.iter().flat_map(|note| note.lines()))
    {
        match line.split_once('=') {
            Some(("title", value)) => inspection.title = Some(value.to_owned()),
            Some(("part", value)) => inspection.part_title = Some(value.to_owned()),
            Some(("author", value)) => inspection.credits.push(Credit::author(value)),
            Some(("series", value)) => {
                inspection.series = Some(Series {
                    name: value.to_owned(),
                    index: Some(1.5),
                });
            }
            Some(("fact", value)) => {
                inspection.facts.insert("fact".to_owned(), value.into());
            }
            _ => {}
        }
    }
    Ok(inspection)
}

fn cover_paper(path: &Path, _: &ReadTools<'_>) -> Result<Option<Vec<u8>>, ReadError> {
    const LINE: &[u8] = b"\n%%picture\n";
    let body = fs::read(path)?;
    let line = body.windows(LINE.len()).position(|part| part == LINE);
    let picture = line.and_then(|at| body.get(at + LINE.len()..));
    assert_ne!(picture, Some(&b"panic"[..]), "a reader of pictures crashed");
    if picture == Some(b"damaged") {
        return Err(ReadError::Damaged("its picture is torn".to_owned()));
    }
    Ok(picture.map(<[u8]>::to_vec))
}

fn probe_reel(path: &Path, _: &ReadTools<'_>) -> Result<Probe, ReadError> {
    if fs::read(path)?.starts_with(b"blank") {
        return Ok(Probe::default());
    }
    Ok(Probe {
        container: Some("reel".to_owned()),
        duration: Some(61.5),
        ..Probe::default()
    })
}

fn group_reels(folder: &FolderListing<'_>) -> Vec<Group> {
    let is_disc = folder.name().is_some_and(|name| name.starts_with("Disc "));
    let home = if is_disc {
        folder.parent().unwrap_or("")
    } else {
        folder.path
    };
    let title = home.rsplit('/').next().filter(|name| !name.is_empty());
    let part = |(index, file): (usize, &FileName)| {
        let place = i64::try_from(index).expect("small") + 1;
        Member::part(index, file.stem.parse().unwrap_or(place))
    };
    vec![Group {
        key: join(home, "*"),
        members: folder.files.iter().enumerate().map(part).collect(),
        names: ItemNames {
            credits: vec![Credit::author("Ada Reel")],
            ..ItemNames::titled(title.unwrap_or(folder.library))
        },
    }]
}

/// Paths of files whose content a kind has read, over all tests.
pub(super) static READ: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn note_read(path: &Path) {
    READ.lock()
        .expect("no test panics here")
        .push(path.to_owned());
}

pub(crate) fn registry() -> Registry {
    Registry::of(vec![&PAPER, &REEL], vec![&ENGINE], vec![]).expect("sound kinds")
}
