//! Comparison of real recordings with the results of other readers, and limits for hostile files.
//!
//! The tests read the folder in `LEDGE_TEST_CORPUS` with its `manifest.json`. Without it they print
//! that they were skipped.

#![expect(clippy::indexing_slicing, reason = "JSON is indexed without a panic")]

use std::path::Path;

use ledge_core::registry::naming::{FileName, FolderListing};
use ledge_core::registry::reading::{Inspection, Probe};
use ledge_kind_audio::KIND;
use ledge_kind_audio::inspect::{cover, read_metadata};
use ledge_proving::{Corpus, READ_TOOLS, Tally, in_time};
use serde_json::{Value, json};

/// Facts that differ from the manifest, with the reasons.
const EXCEPTIONS: &[(&str, &str)] = &[
    (
        "audio/androidx/bear-opus.mka: container",
        "The document type of the file is `webm`; the other reader names both containers.",
    ),
    (
        "audio/beets/full.ape: disc",
        "The APE tag has DISCNUMBER, which the other reader leaves out.",
    ),
    (
        "audio/lofty/full_test.aac: authors",
        "The ID3v2 tag precedes a second tag, which the other reader prefers.",
    ),
    (
        "audio/mutagen/silence-2s-PCM-44100-16-ID3v23.wav: authors",
        "The ID3 chunk precedes the INFO chunk, which the other reader prefers.",
    ),
    (
        "audio/navidrome/test.mp3: year",
        "The year of the recording precedes that of this release.",
    ),
    (
        "audio/navidrome/test.wav: disc",
        "The ID3 chunk has TPOS; the other reader reads the INFO chunk alone.",
    ),
    (
        "audio/navidrome/test.wma: year",
        "The file has WM/Year, which the other reader leaves out.",
    ),
    (
        "audio/taglib/itunes10.mp3: disc",
        "The ID3v2.2 tag has TPA, which the other reader leaves out.",
    ),
    (
        "audio/taglib/mac-399-tagged.ape: album",
        "The other reader gives up on an APE tag with values this long.",
    ),
    (
        "audio/taglib/mac-399-tagged.ape: authors",
        "The other reader gives up on an APE tag with values this long.",
    ),
    (
        "audio/taglib/mac-399-tagged.ape: title",
        "The other reader gives up on an APE tag with values this long.",
    ),
];

#[test]
fn real_recordings_match_other_readers() {
    let Some(corpus) = Corpus::open() else {
        return;
    };
    let mut tally = Tally::default();
    for (path, row) in corpus.below("audio/") {
        let facts = &row["facts"];
        if facts["sidecar"] == true || !facts["error"].is_null() {
            continue;
        }
        let file = corpus.root.join(path);
        let (inspection, probe) = read_metadata(&file, &READ_TOOLS);
        match (inspection, probe) {
            (Ok(inspection), Ok(probe)) => {
                compare_sound(&mut tally, path, facts, &inspection, &probe);
                compare_tags(&mut tally, path, facts, &inspection);
            }
            (inspection, probe) => tally.miss(path, &format!("{inspection:?} {probe:?}")),
        }
        let has_cover = cover(&file, &READ_TOOLS).expect(path).is_some();
        tally.hold(path, "cover", &facts["attached_picture"], &has_cover.into());
    }
    tally.end(500, EXCEPTIONS);
}

fn compare_sound(
    tally: &mut Tally,
    path: &str,
    facts: &Value,
    inspection: &Inspection,
    probe: &Probe,
) {
    let container = match facts["container"].as_str().unwrap_or_default() {
        "aac" => "adts",
        name if name.starts_with("mov") => "mp4",
        name => name.split(',').next().unwrap_or_default(),
    };
    let stored_tags = stored_tags(inspection);
    for (fact, expected, found) in [
        ("container", json!(container), json!(probe.container)),
        ("acodec", facts["acodec"].clone(), json!(probe.acodec)),
        ("vcodec", facts["vcodec"].clone(), json!(probe.vcodec)),
        ("width", facts["width"].clone(), json!(probe.width)),
        ("height", facts["height"].clone(), json!(probe.height)),
        (
            "rate",
            facts["sample_rate"].clone(),
            stored_tags["sr"].clone(),
        ),
        (
            "channels",
            facts["channels"].clone(),
            stored_tags["ch"].clone(),
        ),
        (
            "chapters",
            json!(facts["chapters"].as_u64().unwrap_or(0)),
            json!(probe.chapters.len()),
        ),
    ] {
        tally.hold(path, fact, &expected, &found);
    }
    let found = probe.duration.unwrap_or(-10.0);
    tally.hold(path, "duration", &facts["duration"], &json!(found));
}

fn stored_tags(inspection: &Inspection) -> Value {
    inspection
        .kind_data
        .as_deref()
        .map(|json| serde_json::from_str(json).expect("JSON"))
        .unwrap_or_default()
}

fn compare_tags(tally: &mut Tally, path: &str, facts: &Value, inspection: &Inspection) {
    let item = item_of(path, inspection);
    let number = |name: &str, second: &str| {
        let number = tag(facts, name, second).as_str()?.split('/').next()?;
        number.parse::<i64>().ok().filter(|number| *number > 0)
    };
    let date = tag(facts, "date", "date").as_str();
    let year = date.or(facts["tags"]["year"].as_str());
    let year = year.and_then(|date| date.get(..4)?.parse::<i64>().ok());
    let stored_tags = stored_tags(inspection);
    for (fact, expected, found) in [
        (
            "title",
            tag(facts, "title", "title").clone(),
            json!(inspection.part_title),
        ),
        (
            "album",
            tag(facts, "album", "album").clone(),
            stored_tags["al"].clone(),
        ),
        (
            "track",
            json!(number("track", "tracknumber")),
            stored_tags["tr"].clone(),
        ),
        (
            "disc",
            json!(number("disc", "discnumber")),
            stored_tags["di"].clone(),
        ),
        ("year", json!(year), json!(item.year)),
        ("authors", expected_authors(facts), authors(&item)),
    ] {
        tally.hold(path, fact, &expected, &found);
    }
}

/// Returns the authors of the second reader as a list. The first reader joins them, and is the
/// fallback.
fn expected_authors(facts: &Value) -> Value {
    let joined = facts["tags"]["artist"].as_str();
    let second = facts["mutagen"]["artist"].as_array();
    let split: Vec<&str> = second
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .flat_map(|name| name.split('\0'))
        .collect();
    match (split.first(), joined) {
        (Some(first), Some(joined)) if joined.starts_with(first) => split.into(),
        (Some(_), None) => split.into(),
        (_, Some(joined)) => joined.split(';').collect(),
        (None, None) => json!([]),
    }
}

/// Returns a tag of the first reader, or of the second if the first has none.
fn tag<'a>(facts: &'a Value, name: &str, second: &str) -> &'a Value {
    match &facts["tags"][name] {
        Value::Null => &facts["mutagen"][second][0],
        value => value,
    }
}

/// Builds the item of a single file.
fn item_of(path: &str, inspection: &Inspection) -> Inspection {
    let name = path.rsplit('/').next().unwrap_or_default();
    let mut file = FileName::new(name);
    file.kind_data.clone_from(&inspection.kind_data);
    let files = [file];
    let listing = FolderListing {
        library: "Library",
        path: "",
        files: &files,
        folders: &[],
    };
    let groups = (KIND.group)(&listing);
    let summarize = KIND.summarize.expect("the audio kind combines tags");
    summarize(&listing, &groups[0], &[&files[0]]).inspection
}

fn authors(found: &Inspection) -> Value {
    let authors = found
        .credits
        .iter()
        .filter(|credit| credit.role == "author");
    authors.map(|credit| credit.name.clone()).collect()
}

#[test]
fn hostile_recordings_are_read_or_rejected_in_time() {
    let Some(corpus) = Corpus::open() else {
        return;
    };
    let mut read = 0;
    for (path, _) in corpus.below("hostile/") {
        let file = corpus.root.join(path);
        if !is_recording(&file) {
            continue;
        }
        let ((inspection, probe), cover) = in_time(path, || {
            (read_metadata(&file, &READ_TOOLS), cover(&file, &READ_TOOLS))
        });
        if let Ok(inspection) = &inspection {
            let title = inspection.part_title.as_deref().unwrap_or_default();
            assert!(title.chars().count() <= 1_000, "{path}");
        }
        eprintln!(
            "{path}: {} / {} / {}",
            outcome(&inspection.map(|inspection| inspection.part_title)),
            outcome(&probe.map(|probe| (probe.acodec, probe.duration))),
            outcome(&cover.map(|cover| cover.map(|bytes| bytes.len()))),
        );
        read += 1;
    }
    assert!(read > 4, "only {read} hostile recordings");
}

fn outcome<T: std::fmt::Debug>(inspection: &Result<T, ledge_core::error::ReadError>) -> String {
    match inspection {
        Ok(inspection) => format!("{inspection:.60?}"),
        Err(error) => error.to_string(),
    }
}

fn is_recording(path: &Path) -> bool {
    let extension = path
        .extension()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
    KIND.format(&extension).is_some() || path.components().any(|part| part.as_os_str() == "audio")
}
