//! Test data: the container and codec names that a probe can return.

use ledge_core::registry::PlaybackEngine;

/// Audio and video codecs that FFmpeg 5.1 decodes, from `ffprobe -codecs`. The prefix `A` or `V` is
/// the codec's type.
const CODECS: &str = include_str!("probe_names/codecs.txt");

/// Container names of the probe: FFmpeg's demuxer names, a few of them renamed by the probe.
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

/// Panics with the names of `engine` that the probe never returns or that occur twice.
pub(crate) fn assert_names(engine: &PlaybackEngine) {
    let codec = |letter: char, name: &str| CODECS.lines().any(|l| l == format!("{letter} {name}"));
    let unknown: Vec<&str> = [
        unknown_or_repeated(engine.containers, |name| CONTAINERS.contains(&name)),
        unknown_or_repeated(engine.vcodecs, |name| codec('V', name)),
        unknown_or_repeated(engine.acodecs, |name| codec('A', name)),
    ]
    .concat();
    assert!(unknown.is_empty(), "{}: {unknown:?}", engine.id);
    assert!(!engine.label.is_empty());
}

/// Returns the names that are unknown or occur a second time.
fn unknown_or_repeated(
    names: &'static [&'static str],
    known: impl Fn(&str) -> bool,
) -> Vec<&'static str> {
    let twice = |at: usize, name: &str| names.iter().take(at).any(|earlier| *earlier == name);
    names
        .iter()
        .enumerate()
        .filter(|(at, name)| !known(name) || twice(*at, name))
        .map(|(_, name)| *name)
        .collect()
}
