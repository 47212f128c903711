//! Cue sheets: the tracks of a single-file recording, as chapters.
//!
//! File names in a sheet are compared with the recording's name. They are never opened.

use ledge_core::registry::MetadataSidecars;
use ledge_core::registry::reading::Chapter;

use crate::tags::MAX_CHAPTERS;
use crate::text;

/// Sidecar files that are read with a recording. Lyrics files are missing here because they are
/// read on request.
pub(crate) const METADATA_SIDECARS: MetadataSidecars = MetadataSidecars {
    of_file: &["cue"],
    ..MetadataSidecars::NONE
};

/// Maximum size of a cue sheet, in bytes.
pub(crate) const MAX_SIZE: u64 = 1 << 20;

/// Frames per second in the times of a sheet.
const FRAMES_PER_SECOND: f64 = 75.0;

/// Track under construction.
#[derive(Default)]
struct Track {
    title: String,
    performer: String,
    start: Option<f64>,
}

/// Returns the tracks of a sheet that belong to `file`. `None` means an embedded sheet, whose
/// tracks all count.
///
/// A single track does not divide a file, so it yields no chapters.
pub(crate) fn read(sheet: &[u8], file: Option<&str>) -> Vec<Chapter> {
    let text = text::decode(sheet);
    let names = text
        .lines()
        .filter(|line| keyword(line).is_some_and(|(word, _)| word == "FILE"));
    let is_single_file = names.count() < 2;
    let mut is_this_file = true;
    let mut album_performer = String::new();
    let mut tracks: Vec<Track> = Vec::new();
    let mut is_in_track = false;
    for (word, rest) in text.lines().filter_map(keyword) {
        match word.as_str() {
            "FILE" => {
                let name = quoted(rest);
                is_this_file =
                    is_single_file || file.is_none_or(|file| is_same_recording(&name, file));
                is_in_track = false;
            }
            "TRACK" => {
                is_in_track = is_this_file && tracks.len() < MAX_CHAPTERS;
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

/// Stores the time of index 1, the start of the track. Index 0 is the pause before it.
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

/// Parses `minutes:seconds:frames` into seconds.
fn time(text: &str) -> Option<f64> {
    let mut parts = text.split(':').map(|part| part.parse::<u32>().ok());
    let (minutes, seconds, frames) = (parts.next()??, parts.next()??, parts.next()??);
    let whole = f64::from(minutes) * 60.0 + f64::from(seconds);
    Some(whole + f64::from(frames) / FRAMES_PER_SECOND)
}

/// Splits a line into its first word in upper case and the rest.
fn keyword(line: &str) -> Option<(String, &str)> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace)?;
    Some((word.to_ascii_uppercase(), rest.trim()))
}

/// Returns the text between quotation marks, or the whole text without them.
fn quoted(rest: &str) -> String {
    let inner = rest
        .strip_prefix('"')
        .map(|rest| rest.rsplit_once('"').map_or(rest, |(text, _)| text));
    inner.unwrap_or(rest).trim().to_owned()
}

/// Compares a file name in a sheet with the recording. Extensions are ignored because a re-encoded
/// rip keeps the sheet with its old names.
fn is_same_recording(name: &str, file: &str) -> bool {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let stem = |name: &str| {
        name.rsplit_once('.')
            .map_or(name, |(stem, _)| stem)
            .to_lowercase()
    };
    stem(name) == stem(file)
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
    fn tracks_become_chapters() {
        let found = chapters(SHEET, Some("Album.flac"));
        let [(first, start), (second, later)] = found.as_slice() else {
            panic!("two tracks: {found:?}");
        };
        assert_eq!((first.as_str(), *start), ("Begin", 0.0));
        assert_eq!(second, "Guest – The \"End\"");
        assert!((later - 240.493).abs() < 0.001);
    }

    #[test]
    fn sheets_of_several_files_yield_only_the_tracks_of_this_file() {
        let two = format!("{SHEET}{}", SHEET.replace("Album.wav", "Other.wav"));
        assert_eq!(chapters(&two, Some("other.flac")).len(), 2);
        assert!(chapters(&two, Some("third.flac")).is_empty());
    }

    #[test]
    fn sheets_with_one_track_yield_no_chapters() {
        let one = "FILE \"a\" WAVE\nTRACK 01 AUDIO\nINDEX 01 00:00:00\n";
        assert!(chapters(one, None).is_empty());
        assert!(chapters("", None).is_empty());
    }
}
