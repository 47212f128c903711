//! For tests: the names that a probe can answer with.

use ledge_core::registry::PlaybackEngine;

/// The audio and video codecs FFmpeg 5.1 decodes, `A` or `V` before each, from `ffprobe -codecs`.
const CODECS: &str = include_str!("known/codecs.txt");

/// The probe's words for containers: FFmpeg's names of its demuxers, with the few that the probe
/// renames.
const CONTAINERS: &[&str] = &[
    "mp4",
    "webm",
    "matroska",
    "avi",
    "mpegts",
    "mpegps",
    "mpegvideo",
    "flv",
    "asf",
    "ogg",
    "mp3",
    "flac",
    "wav",
    "aiff",
    "adts",
    "ac3",
    "eac3",
    "dts",
    "dtshd",
    "truehd",
    "mlp",
    "loas",
    "amr",
    "ape",
    "au",
    "caf",
    "dsf",
    "iff",
    "mpc",
    "tak",
    "tta",
    "wv",
    "rm",
    "mxf",
    "nsv",
    "nut",
    "dv",
    "ivf",
    "h264",
    "hevc",
    "m4v",
    "vc1",
    "wtv",
];

/// Fails naming what no probe ever says.
pub(crate) fn assert_names(engine: &PlaybackEngine) {
    let codec = |letter: char, name: &str| CODECS.lines().any(|l| l == format!("{letter} {name}"));
    let unknown: Vec<&str> = [
        stray(engine.containers, |name| CONTAINERS.contains(&name)),
        stray(engine.vcodecs, |name| codec('V', name)),
        stray(engine.acodecs, |name| codec('A', name)),
    ]
    .concat();
    assert!(unknown.is_empty(), "{}: {unknown:?}", engine.id);
    assert!(!engine.label.is_empty());
}

/// The names that are unknown or stand twice.
fn stray(names: &'static [&'static str], known: impl Fn(&str) -> bool) -> Vec<&'static str> {
    let twice = |at: usize, name: &str| names.iter().take(at).any(|earlier| *earlier == name);
    names
        .iter()
        .enumerate()
        .filter(|(at, name)| !known(name) || twice(*at, name))
        .map(|(_, name)| *name)
        .collect()
}
