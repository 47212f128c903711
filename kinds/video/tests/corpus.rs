//! Comparison of real videos with the results of ffprobe, and limits for hostile files.
//!
//! The tests read the folder in `LEDGE_TEST_CORPUS` with its `manifest.json`. Without it they print
//! that they were skipped.

use std::path::Path;

use ledge_core::registry::reading::{Inspection, Probe, StreamKind};
use ledge_core::text::language;
use ledge_kind_video::reading::inspect::{cover, inspect, probe};
use ledge_proving::{Corpus, READ_TOOLS, Tally, in_time};
use serde_json::{Value, json};

/// Facts that differ from the manifest, with the reasons.
const EXCEPTIONS: &[(&str, &str)] = &[(
    "video/androidx/sample_fragmented.mp4: duration",
    "The fragments add up to it; the other reader gives none.",
)];

#[test]
fn real_videos_match_ffprobe() {
    let Some(corpus) = Corpus::open() else {
        return;
    };
    let mut tally = Tally::default();
    for (path, row) in corpus.below("video/") {
        let facts = &row["facts"];
        if facts["sidecar"] == json!(true) {
            continue;
        }
        let file = corpus.root.join(path);
        match probe(&file, &READ_TOOLS) {
            Ok(found) => compare(&mut tally, path, facts, &found),
            Err(error) => tally.miss(path, &error),
        }
        let inspection = inspect(&file, &READ_TOOLS).expect("an inspection");
        compare_tags(&mut tally, path, &facts["tags"], &inspection);
        let has_cover = cover(&file, &READ_TOOLS).ok().flatten().is_some();
        tally.hold(path, "cover", &facts["attached_picture"], &has_cover.into());
        if let Some(profile) = facts["vprofile"].as_str() {
            let found = inspection.facts.get("profile").cloned();
            if let Some(found) = found {
                tally.hold(path, "profile", &profile.into(), &found);
            }
        }
    }
    tally.end(600, EXCEPTIONS);
}

fn compare(tally: &mut Tally, path: &str, facts: &Value, found: &Probe) {
    let container = container(path, facts["container"].as_str().unwrap_or_default());
    let chapters = facts["chapters"].as_u64().unwrap_or(0);
    for (name, expected, found) in [
        ("container", json!(container), json!(found.container)),
        ("vcodec", facts["vcodec"].clone(), json!(found.vcodec)),
        ("acodec", facts["acodec"].clone(), json!(found.acodec)),
        ("width", facts["width"].clone(), json!(found.width)),
        ("height", facts["height"].clone(), json!(found.height)),
        ("duration", facts["duration"].clone(), json!(found.duration)),
        ("chapters", json!(chapters), json!(found.chapters.len())),
    ] {
        tally.hold(path, name, &expected, &found);
    }
    for (name, kind) in [
        ("audio_tracks", StreamKind::Audio),
        ("subtitles", StreamKind::Subtitle),
    ] {
        let Some(expected) = facts[name].as_array() else {
            continue;
        };
        let streams: Vec<_> = found.streams.iter().filter(|s| s.kind == kind).collect();
        tally.hold(path, name, &expected.len().into(), &streams.len().into());
        for (expected, stream) in expected.iter().zip(streams) {
            tally.hold(path, name, &expected["codec"], &json!(stream.codec));
            let language = expected["language"].as_str().and_then(language::tag);
            tally.hold(path, name, &json!(language), &json!(stream.language));
            if let Some(default) = expected["default"].as_bool() {
                tally.hold(path, name, &json!(default), &json!(stream.default));
            }
        }
    }
}

/// Maps the demuxer names of ffprobe to one name. ffprobe has one demuxer for Matroska and WebM.
fn container<'a>(path: &str, names: &'a str) -> &'a str {
    match names.split(',').next().unwrap_or_default() {
        "mov" => "mp4",
        "mpeg" => "mpegps",
        "matroska" if extension(path) == "webm" => "webm",
        name => name,
    }
}

fn compare_tags(tally: &mut Tally, path: &str, tags: &Value, found: &Inspection) {
    if let Some(title) = tags["title"].as_str() {
        let own = found.title.as_ref().or(found.part_title.as_ref());
        tally.hold(path, "title", &title.into(), &json!(own));
    }
    if let Some(date) = tags["date"].as_str() {
        let year: Option<i32> = date.get(..4).and_then(|year| year.parse().ok());
        tally.hold(path, "year", &json!(year), &json!(found.year));
    }
}

#[test]
fn hostile_videos_are_read_or_rejected_in_time() {
    let Some(corpus) = Corpus::open() else {
        return;
    };
    let mut read = 0;
    for (path, _) in corpus.below("hostile/") {
        let file = corpus.root.join(path);
        if !is_media(path) {
            continue;
        }
        let (found, inspection, cover) = in_time(path, || {
            let found = probe(&file, &READ_TOOLS);
            let inspection = inspect(&file, &READ_TOOLS);
            (found, inspection, cover(&file, &READ_TOOLS))
        });
        if let Ok(Some(cover)) = &cover {
            assert!(cover.len() <= 32 << 20, "{path}");
        }
        if let Ok(inspection) = &inspection {
            let title = inspection.title.as_deref().unwrap_or_default();
            assert!(title.chars().count() <= 1_000, "{path}");
        }
        match found {
            Ok(found) => eprintln!(
                "{path}: {:?} {:?} {:?} {:?}",
                found.container, found.vcodec, found.width, found.duration
            ),
            Err(error) => eprintln!("{path}: {error}"),
        }
        read += 1;
    }
    assert!(read > 12, "only {read} hostile videos");
}

fn extension(path: &str) -> String {
    let end = Path::new(path).extension().unwrap_or_default();
    end.to_string_lossy().to_lowercase()
}

fn is_media(path: &str) -> bool {
    let extension = extension(path);
    ledge_kind_video::formats::FORMATS
        .iter()
        .any(|format| format.extension == extension)
        || matches!(extension.as_str(), "m4a" | "mp3" | "ogg")
}
