//! What real recordings say, held against what other readers found in them, and what hostile ones
//! do.
//!
//! Reads the folder that `LEDGE_TEST_CORPUS` names, with its `manifest.json`; without it the tests
//! say that they were skipped.

#![expect(clippy::indexing_slicing, reason = "JSON is indexed without a panic")]

use std::path::Path;

use ledge_core::registry::naming::{FileName, FolderListing};
use ledge_core::registry::reading::{Inspection, Probe};
use ledge_kind_audio::KIND;
use ledge_kind_audio::inspect::{cover, examine};
use ledge_proving::{Corpus, READ_TOOLS, Tally, in_time};
use serde_json::{Value, json};

/// Facts that differ from those of the manifest, with the reasons.
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
fn real_recordings_say_what_other_readers_found() {
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
        let (said, probe) = examine(&file, &READ_TOOLS);
        match (said, probe) {
            (Ok(said), Ok(probe)) => {
                hold_sound(&mut tally, path, facts, &said, &probe);
                hold_tags(&mut tally, path, facts, &said);
            }
            (said, probe) => tally.miss(path, &format!("{said:?} {probe:?}")),
        }
        let has_cover = cover(&file, &READ_TOOLS).expect(path).is_some();
        tally.hold(path, "cover", &facts["attached_picture"], &has_cover.into());
    }
    tally.end(500, EXCEPTIONS);
}

fn hold_sound(tally: &mut Tally, path: &str, facts: &Value, said: &Inspection, probe: &Probe) {
    let container = match facts["container"].as_str().unwrap_or_default() {
        "aac" => "adts",
        name if name.starts_with("mov") => "mp4",
        name => name.split(',').next().unwrap_or_default(),
    };
    let kept = kept(said);
    for (fact, expected, found) in [
        ("container", json!(container), json!(probe.container)),
        ("acodec", facts["acodec"].clone(), json!(probe.acodec)),
        ("vcodec", facts["vcodec"].clone(), json!(probe.vcodec)),
        ("width", facts["width"].clone(), json!(probe.width)),
        ("height", facts["height"].clone(), json!(probe.height)),
        ("rate", facts["sample_rate"].clone(), kept["sr"].clone()),
        ("channels", facts["channels"].clone(), kept["ch"].clone()),
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

fn kept(said: &Inspection) -> Value {
    said.said
        .as_deref()
        .map(|said| serde_json::from_str(said).expect("JSON"))
        .unwrap_or_default()
}

fn hold_tags(tally: &mut Tally, path: &str, facts: &Value, said: &Inspection) {
    let item = item_of(path, said);
    let number = |name: &str, second: &str| {
        let number = tag(facts, name, second).as_str()?.split('/').next()?;
        number.parse::<i64>().ok().filter(|number| *number > 0)
    };
    let date = tag(facts, "date", "date").as_str();
    let year = date.or(facts["tags"]["year"].as_str());
    let year = year.and_then(|date| date.get(..4)?.parse::<i64>().ok());
    let kept = kept(said);
    for (fact, expected, found) in [
        (
            "title",
            tag(facts, "title", "title").clone(),
            json!(said.part_title),
        ),
        (
            "album",
            tag(facts, "album", "album").clone(),
            kept["al"].clone(),
        ),
        (
            "track",
            json!(number("track", "tracknumber")),
            kept["tr"].clone(),
        ),
        (
            "disc",
            json!(number("disc", "discnumber")),
            kept["di"].clone(),
        ),
        ("year", json!(year), json!(item.year)),
        ("authors", expected_authors(facts), authors(&item)),
    ] {
        tally.hold(path, fact, &expected, &found);
    }
}

/// Who the second reader found, one by one; the first joins them, or knows the first alone.
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

/// A tag by the first reader, or where it is silent by the second.
fn tag<'a>(facts: &'a Value, name: &str, second: &str) -> &'a Value {
    match &facts["tags"][name] {
        Value::Null => &facts["mutagen"][second][0],
        said => said,
    }
}

/// The item that a file would be, were it alone.
fn item_of(path: &str, said: &Inspection) -> Inspection {
    let name = path.rsplit('/').next().unwrap_or_default();
    let mut file = FileName::new(name);
    file.said.clone_from(&said.said);
    let files = [file];
    let listing = FolderListing {
        library: "Library",
        path: "",
        files: &files,
        folders: &[],
    };
    let groups = (KIND.group)(&listing);
    let together = KIND.together.expect("recordings speak together");
    together(&listing, &groups[0], &[&files[0]]).inspection
}

fn authors(found: &Inspection) -> Value {
    let authors = found
        .credits
        .iter()
        .filter(|credit| credit.role == "author");
    authors.map(|credit| credit.name.clone()).collect()
}

#[test]
fn hostile_recordings_are_read_or_refused_in_no_time() {
    let Some(corpus) = Corpus::open() else {
        return;
    };
    let mut read = 0;
    for (path, _) in corpus.below("hostile/") {
        let file = corpus.root.join(path);
        if !is_recording(&file) {
            continue;
        }
        let ((said, probe), cover) = in_time(path, || {
            (examine(&file, &READ_TOOLS), cover(&file, &READ_TOOLS))
        });
        if let Ok(said) = &said {
            let title = said.part_title.as_deref().unwrap_or_default();
            assert!(title.chars().count() <= 1_000, "{path}");
        }
        eprintln!(
            "{path}: {} / {} / {}",
            outcome(&said.map(|said| said.part_title)),
            outcome(&probe.map(|probe| (probe.acodec, probe.duration))),
            outcome(&cover.map(|cover| cover.map(|bytes| bytes.len()))),
        );
        read += 1;
    }
    assert!(read > 4, "only {read} hostile recordings");
}

fn outcome<T: std::fmt::Debug>(
    said: &Result<T, ledge_core::registry::reading::ReadError>,
) -> String {
    match said {
        Ok(said) => format!("{said:.60?}"),
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
