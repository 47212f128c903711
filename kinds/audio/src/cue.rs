//! Cue sheets: the tracks of a recording that is one file, as its chapters.
//!
//! What a sheet names is never opened: the name is compared with that of the recording.

use ledge_core::registry::Notes;
use ledge_core::registry::reading::Chapter;

use crate::tags::MOST_CHAPTERS;
use crate::text;

/// What lies beside a recording and is read with it. Words of songs beside it are not: they are
/// read when somebody asks for them.
pub(crate) const NOTES: Notes = Notes {
    of_file: &["cue"],
    ..Notes::NONE
};

/// Longest sheet that is read.
pub(crate) const LONGEST: u64 = 1 << 20;

/// Frames a second in a sheet's times.
const FRAMES: f64 = 75.0;

/// A track on its way.
#[derive(Default)]
struct Track {
    title: String,
    performer: String,
    start: Option<f64>,
}

/// The tracks of a sheet that are of this file; `None` for a sheet inside its file. A single track
/// is no division.
pub(crate) fn read(sheet: &[u8], file: Option<&str>) -> Vec<Chapter> {
    let text = decode(sheet);
    let names = text
        .lines()
        .filter(|line| keyword(line).is_some_and(|(word, _)| word == "FILE"));
    let is_only_one = names.count() < 2;
    let mut is_here = true;
    let mut album_performer = String::new();
    let mut tracks: Vec<Track> = Vec::new();
    let mut is_in_track = false;
    for (word, rest) in text.lines().filter_map(keyword) {
        match word.as_str() {
            "FILE" => {
                let name = quoted(rest);
                is_here = is_only_one || file.is_none_or(|file| is_of(&name, file));
                is_in_track = false;
            }
            "TRACK" => {
                is_in_track = is_here && tracks.len() < MOST_CHAPTERS;
                if is_in_track {
                    tracks.push(Track::default());
                }
            }
            "PERFORMER" if !is_in_track && tracks.is_empty() => album_performer = quoted(rest),
            _ if !is_in_track => {}
            word => {
                let Some(track) = tracks.last_mut() else {
                    continue;
                };
                match word {
                    "TITLE" => track.title = quoted(rest),
                    "PERFORMER" => track.performer = quoted(rest),
                    "INDEX" => index(rest, track),
                    _ => {}
                }
            }
        }
    }
    let chapters: Vec<Chapter> = tracks
        .into_iter()
        .filter_map(|track| chapter(track, &album_performer))
        .collect();
    if chapters.len() > 1 {
        chapters
    } else {
        Vec::new()
    }
}

/// The track begins at its first index; what stands before that is a pause.
fn index(rest: &str, track: &mut Track) {
    let mut words = rest.split_whitespace();
    let is_first = words.next().is_some_and(|number| number.parse() == Ok(1));
    if is_first {
        track.start = words.next().and_then(time);
    }
}

fn chapter(track: Track, album_performer: &str) -> Option<Chapter> {
    let is_guest = !track.performer.is_empty() && track.performer != album_performer;
    let title = match (track.title.is_empty(), is_guest) {
        (false, true) => format!("{} – {}", track.performer, track.title),
        (true, true) => track.performer,
        (_, false) => track.title,
    };
    Some(Chapter {
        title: text::line(&title).unwrap_or_default(),
        start: track.start?,
    })
}

/// Minutes, seconds and frames.
fn time(text: &str) -> Option<f64> {
    let mut parts = text.split(':').map(|part| part.parse::<u32>().ok());
    let (minutes, seconds, frames) = (parts.next()??, parts.next()??, parts.next()??);
    let whole = f64::from(minutes) * 60.0 + f64::from(seconds);
    Some(whole + f64::from(frames) / FRAMES)
}

/// A line's first word in capitals, and the rest.
fn keyword(line: &str) -> Option<(String, &str)> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace)?;
    Some((word.to_ascii_uppercase(), rest.trim()))
}

/// What stands between quotation marks, else the first word.
fn quoted(rest: &str) -> String {
    let inner = rest
        .strip_prefix('"')
        .map(|rest| rest.rsplit_once('"').map_or(rest, |(text, _)| text));
    inner.unwrap_or(rest).trim().to_owned()
}

/// Whether a sheet's name of a file is that of this one: rips are encoded anew, and keep the name
/// they had before.
fn is_of(name: &str, file: &str) -> bool {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let stem = |name: &str| {
        name.rsplit_once('.')
            .map_or(name, |(stem, _)| stem)
            .to_lowercase()
    };
    stem(name) == stem(file)
}

/// UTF-8 or UTF-16 with their marks, else what old programs wrote.
fn decode(sheet: &[u8]) -> String {
    match sheet {
        [0xef, 0xbb, 0xbf, rest @ ..] => text::utf8(rest),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => text::utf16(sheet, false),
        _ => text::latin1(sheet),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHEET: &str = r#"
PERFORMER "Band"
TITLE "Album"
FILE "Album.wav" WAVE
  TRACK 01 AUDIO
    TITLE "Begin"
    PERFORMER "Band"
    INDEX 01 00:00:00
  TRACK 02 AUDIO
    TITLE "The "End""
    PERFORMER "Guest"
    INDEX 00 03:58:00
    INDEX 01 04:00:37
"#;

    fn chapters(sheet: &str, file: Option<&str>) -> Vec<(String, f64)> {
        let chapters = read(sheet.as_bytes(), file);
        chapters
            .into_iter()
            .map(|chapter| (chapter.title, chapter.start))
            .collect()
    }

    #[test]
    fn tracks_are_chapters() {
        let found = chapters(SHEET, Some("Album.flac"));
        let [(first, start), (second, later)] = found.as_slice() else {
            panic!("two tracks: {found:?}");
        };
        assert_eq!((first.as_str(), *start), ("Begin", 0.0));
        assert_eq!(second, "Guest – The \"End\"");
        assert!((later - 240.493).abs() < 0.001);
    }

    #[test]
    fn of_several_files_only_the_tracks_of_this_one_count() {
        let two = format!("{SHEET}{}", SHEET.replace("Album.wav", "Other.wav"));
        assert_eq!(chapters(&two, Some("other.flac")).len(), 2);
        assert!(chapters(&two, Some("third.flac")).is_empty());
    }

    #[test]
    fn one_track_is_no_division() {
        let one = "FILE \"a\" WAVE\nTRACK 01 AUDIO\nINDEX 01 00:00:00\n";
        assert!(chapters(one, None).is_empty());
        assert!(chapters("", None).is_empty());
    }
}
