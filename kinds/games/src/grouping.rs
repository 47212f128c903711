//! How the files of a folder form games: ROMs, discs with their tracks, playlists of discs.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use ledge_core::registry::naming::{FileName, FolderListing, Group, ItemNames, Member, join};

use crate::disc::DiscName;
use crate::platforms::{self, Platform};
use crate::release::Release;
use crate::{inspect, names};

/// Data tracks stand behind every disc that a core can open: it opens the first file.
const TRACKS_FROM: i64 = 1000;

/// Folders of more files are not those of a single disc and its tracks.
const MOST_OF_A_DISC: usize = 200;

/// One file, as its name tells.
struct Entry<'a> {
    file: usize,
    name: &'a FileName,
    parsed: DiscName,
    class: &'static str,
}

/// Where a game lives, and what its folder tells about its disc.
struct Place<'a> {
    /// The folder that holds all discs.
    path: &'a str,
    /// Its name, for files that are called `Disc 1` and no more.
    name: Option<String>,
    disc: Option<i64>,
    label: Option<String>,
}

impl<'a> Place<'a> {
    /// A folder of one disc, `Game/Disc 1` or `Game (Disc 1)`, is part of the folder that holds it.
    fn of(folder: &FolderListing<'a>) -> Self {
        let own = folder.name().map(DiscName::of);
        let Some((own, parent)) = own
            .clone()
            .filter(|own| own.disc.is_some())
            .zip(folder.parent())
        else {
            return Self {
                path: folder.path,
                name: own.map(|own| own.base),
                disc: None,
                label: None,
            };
        };
        let above = folder.parts().rev().nth(1).map(str::to_owned);
        Self {
            path: parent,
            name: if own.bare { above } else { Some(own.base) },
            disc: own.disc,
            label: own.label,
        }
    }
}

/// One item for every game. Releases of other regions and revisions are games of their own; discs,
/// disk sides, tracks and playlists of the same release are one.
pub fn group(folder: &FolderListing<'_>) -> Vec<Group> {
    let hint = platforms::by_path(folder.parts()).or_else(|| platforms::by_folder(folder.library));
    let place = Place::of(folder);
    let entries: Vec<Entry<'_>> = (folder.files.iter().enumerate())
        .map(|(file, name)| Entry::of(file, name, hint).placed(&place))
        .collect();
    let lone = lone_disc(&entries);
    let mut order: Vec<String> = Vec::new();
    let mut games: HashMap<String, Vec<Entry<'_>>> = HashMap::new();
    let bases = disc_bases(&entries);
    for mut entry in entries {
        if let Some(base) = &lone
            && entry.follows()
            && !bases.contains_key(&entry.parsed.base)
        {
            entry.parsed.base.clone_from(base);
        }
        let key = join(
            entry.anchor(folder, &place),
            &format!("{}#{}", entry.parsed.base, entry.class),
        );
        if !games.contains_key(&key) {
            order.push(key.clone());
        }
        games.entry(key).or_default().push(entry);
    }
    let take = |key: String| games.remove(&key).map(|entries| item(key, &entries, hint));
    order.into_iter().filter_map(take).collect()
}

/// The files of one game have one base.
pub fn families(folder: &FolderListing<'_>) -> Vec<u64> {
    if folder.files.len() <= MOST_OF_A_DISC {
        return vec![0; folder.files.len()];
    }
    let hint = platforms::by_path(folder.parts()).or_else(|| platforms::by_folder(folder.library));
    let place = Place::of(folder);
    let family = |name| hash(&Entry::of(0, name, hint).placed(&place));
    folder.files.iter().map(family).collect()
}

fn hash(entry: &Entry<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&entry.parsed.base, entry.class).hash(&mut hasher);
    hasher.finish()
}

impl<'a> Entry<'a> {
    fn of(file: usize, name: &'a FileName, hint: Option<&'static Platform>) -> Self {
        let mut parsed = DiscName::of(&name.stem);
        if name.extension == "ecm" {
            // `Game.bin.ecm`: the packed track of `Game.cue`.
            let stem = name.stem.strip_suffix(".bin").unwrap_or(&name.stem);
            parsed = DiscName::of(stem);
        }
        let class = class(&name.extension, hint);
        Self {
            file,
            name,
            parsed,
            class,
        }
    }

    /// The same with what the folder's name adds.
    fn placed(mut self, place: &Place<'_>) -> Self {
        if self.parsed.bare
            && let Some(name) = &place.name
        {
            self.parsed.base.clone_from(name);
        }
        if self.parsed.disc.is_none() && self.class == "disc" {
            self.parsed.disc = place.disc;
            self.parsed.label.clone_from(&place.label);
        }
        self
    }

    /// The folder the game lives in: only discs are spread over several.
    fn anchor<'b>(&self, folder: &FolderListing<'b>, place: &Place<'b>) -> &'b str {
        if self.class == "disc" {
            place.path
        } else {
            folder.path
        }
    }

    /// Whether the file only makes sense with another one: a track, a playlist.
    fn follows(&self) -> bool {
        self.class == "disc" && matches!(self.name.extension.as_str(), "bin" | "ecm" | "m3u")
    }

    fn member(&self, several: bool) -> Member {
        let extension = self.name.extension.as_str();
        let disc = self.parsed.disc.unwrap_or(1);
        let sequence = match extension {
            "m3u" => 0,
            "bin" | "ecm" if self.class == "disc" => {
                TRACKS_FROM * disc + self.parsed.track.unwrap_or(0)
            }
            _ => disc,
        };
        let ordered = self.parsed.disc.is_some() || (several && self.class == "disc");
        let track = self.parsed.track.map(|track| format!("Track {track}"));
        Member {
            sequence: ordered.then_some(sequence),
            title: track.or_else(|| self.parsed.label.clone()),
            ..Member::alternative(self.file)
        }
    }
}

/// Files of different classes are never one game, whatever they are called: the platform's id, or
/// the family of an extension that several platforms share.
fn class(extension: &str, hint: Option<&'static Platform>) -> &'static str {
    match (platforms::by_extension(extension), hint) {
        // Extensions that only discs have.
        (Some(platform), _) if platform.extensions.contains(&"cue") => "disc",
        (Some(platform), _) => platform.id,
        (None, Some(platform)) if !platform.extensions.contains(&"cue") => platform.id,
        (None, _) if matches!(extension, "zip" | "7z") => "archive",
        (None, _) => "disc",
    }
}

/// The bases of discs a core can open.
fn disc_bases(entries: &[Entry<'_>]) -> HashMap<String, usize> {
    let mut bases = HashMap::new();
    for entry in entries.iter().filter(|e| e.class == "disc" && !e.follows()) {
        *bases.entry(entry.parsed.base.clone()).or_default() += 1;
    }
    bases
}

/// The base of the only disc game of a folder: tracks and playlists that are called otherwise
/// belong to it all the same.
fn lone_disc(entries: &[Entry<'_>]) -> Option<String> {
    if entries.len() > MOST_OF_A_DISC {
        return None;
    }
    let bases = disc_bases(entries);
    let mut bases = bases.into_keys();
    bases.next().filter(|_| bases.next().is_none())
}

fn item(key: String, entries: &[Entry<'_>], hint: Option<&'static Platform>) -> Group {
    let several = entries.len() > 1;
    let mut members: Vec<Member> = entries.iter().map(|entry| entry.member(several)).collect();
    members.sort_by_key(|member| (member.sequence, member.file));
    let first = entries
        .iter()
        .find(|e| !e.follows())
        .or_else(|| entries.first());
    let names = first.map_or_else(ItemNames::default, |entry| {
        describe(entry, discs(entries), hint)
    });
    Group {
        key,
        members,
        names,
    }
}

fn discs(entries: &[Entry<'_>]) -> usize {
    let mut numbers: Vec<i64> = entries.iter().filter_map(|e| e.parsed.disc).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers.len()
}

fn describe(entry: &Entry<'_>, discs: usize, hint: Option<&'static Platform>) -> ItemNames {
    let release = Release::of(&entry.parsed.base);
    let mut names = ItemNames::titled(names::stored_title(&entry.parsed.base, &entry.name.stem));
    names.year = release.year;
    names.facts = release.facts();
    if discs > 1 {
        names.facts.insert("discs".to_owned(), discs.into());
    }
    if let Some(platform) = inspect::platform_of(&entry.name.extension, hint) {
        names.facts.extend(platform.facts());
    }
    names
}
