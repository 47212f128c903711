//! Grouping of a folder's files into games: ROMs, discs with their tracks, playlists of discs.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use ledge_core::registry::naming::{FileName, FolderListing, Group, ItemNames, Member, join};

use crate::formats::platforms::{self, Platform};
use crate::naming::disc::DiscName;
use crate::naming::names;
use crate::naming::release::Release;
use crate::reading::inspect;

/// Sequence offset of data tracks. They follow every file that a core can open, because a core
/// opens the first file.
const TRACKS_FROM: i64 = 1000;

/// Folders with more files are not treated as a single disc with its tracks.
const MOST_OF_A_DISC: usize = 200;

/// One file, with its parsed name.
struct Entry<'a> {
    file: usize,
    name: &'a FileName,
    parsed: DiscName,
    class: &'static str,
}

/// Folder of a game, with the disc number in the folder's name.
struct GameFolder<'a> {
    /// Path of the folder that contains all discs.
    path: &'a str,
    /// Name of that folder, for files that are only called `Disc 1`.
    name: Option<String>,
    disc: Option<i64>,
    label: Option<String>,
}

impl<'a> GameFolder<'a> {
    /// Parses a folder's name. The folder of one disc, `Game/Disc 1` or `Game (Disc 1)`, belongs to
    /// its parent.
    fn parse(folder: &FolderListing<'a>) -> Self {
        let parsed = folder.name().map(DiscName::parse);
        let Some((parsed, parent)) = parsed
            .clone()
            .filter(|parsed| parsed.disc.is_some())
            .zip(folder.parent())
        else {
            return Self {
                path: folder.path,
                name: parsed.map(|parsed| parsed.base),
                disc: None,
                label: None,
            };
        };
        let above = folder.parts().rev().nth(1).map(str::to_owned);
        Self {
            path: parent,
            name: if parsed.is_only_disc {
                above
            } else {
                Some(parsed.base)
            },
            disc: parsed.disc,
            label: parsed.label,
        }
    }
}

/// Returns one item per game. Releases of other regions and revisions are separate games. Discs,
/// disk sides, tracks and playlists of the same release are one game.
pub fn group(folder: &FolderListing<'_>) -> Vec<Group> {
    let hint = platforms::by_path(folder.parts()).or_else(|| platforms::by_folder(folder.library));
    let game_folder = GameFolder::parse(folder);
    let entries: Vec<Entry<'_>> = (folder.files.iter().enumerate())
        .map(|(file, name)| Entry::parse(file, name, hint).with_folder(&game_folder))
        .collect();
    let only_disc = only_disc_base(&entries);
    let mut order: Vec<String> = Vec::new();
    let mut games: HashMap<String, Vec<Entry<'_>>> = HashMap::new();
    let bases = disc_bases(&entries);
    for mut entry in entries {
        if let Some(base) = &only_disc
            && entry.follows()
            && !bases.contains_key(&entry.parsed.base)
        {
            entry.parsed.base.clone_from(base);
        }
        let key = join(
            entry.key_folder(folder, &game_folder),
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

/// Returns a partition id per file. Files of one game have the same base name and class, and thus
/// the same id.
pub fn partition(folder: &FolderListing<'_>) -> Vec<u64> {
    if folder.files.len() <= MOST_OF_A_DISC {
        return vec![0; folder.files.len()];
    }
    let hint = platforms::by_path(folder.parts()).or_else(|| platforms::by_folder(folder.library));
    let game_folder = GameFolder::parse(folder);
    let family = |name| hash(&Entry::parse(0, name, hint).with_folder(&game_folder));
    folder.files.iter().map(family).collect()
}

fn hash(entry: &Entry<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&entry.parsed.base, entry.class).hash(&mut hasher);
    hasher.finish()
}

impl<'a> Entry<'a> {
    fn parse(file: usize, name: &'a FileName, hint: Option<&'static Platform>) -> Self {
        let mut parsed = DiscName::parse(&name.stem);
        if name.extension == "ecm" {
            // `Game.bin.ecm` is the compressed track of `Game.cue`.
            let stem = name.stem.strip_suffix(".bin").unwrap_or(&name.stem);
            parsed = DiscName::parse(stem);
        }
        let class = class(&name.extension, hint);
        Self {
            file,
            name,
            parsed,
            class,
        }
    }

    /// Adds the values of the folder's name.
    fn with_folder(mut self, game_folder: &GameFolder<'_>) -> Self {
        if self.parsed.is_only_disc
            && let Some(name) = &game_folder.name
        {
            self.parsed.base.clone_from(name);
        }
        if self.parsed.disc.is_none() && self.class == "disc" {
            self.parsed.disc = game_folder.disc;
            self.parsed.label.clone_from(&game_folder.label);
        }
        self
    }

    /// Returns the folder for the item's key. Only discs can be spread over several folders.
    fn key_folder<'b>(&self, folder: &FolderListing<'b>, game_folder: &GameFolder<'b>) -> &'b str {
        if self.class == "disc" {
            game_folder.path
        } else {
            folder.path
        }
    }

    /// Returns true if the file depends on another one: a track or a playlist.
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

/// Returns the class of a file: the platform's id, or a class for extensions that several platforms
/// share. Files of different classes are never one game.
fn class(extension: &str, hint: Option<&'static Platform>) -> &'static str {
    match (platforms::by_extension(extension), hint) {
        // An extension that only discs have.
        (Some(platform), _) if platform.extensions.contains(&"cue") => "disc",
        (Some(platform), _) => platform.id,
        (None, Some(platform)) if !platform.extensions.contains(&"cue") => platform.id,
        (None, _) if matches!(extension, "zip" | "7z") => "archive",
        (None, _) => "disc",
    }
}

/// Returns the base names of the discs that a core can open.
fn disc_bases(entries: &[Entry<'_>]) -> HashMap<String, usize> {
    let mut bases = HashMap::new();
    for entry in entries.iter().filter(|e| e.class == "disc" && !e.follows()) {
        *bases.entry(entry.parsed.base.clone()).or_default() += 1;
    }
    bases
}

/// Returns the base name of the only disc game in a folder. Tracks and playlists with other names
/// belong to it as well.
fn only_disc_base(entries: &[Entry<'_>]) -> Option<String> {
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
    let release = Release::parse(&entry.parsed.base);
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
