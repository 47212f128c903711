//! Asks `ffprobe` what a media file holds: container, codecs, duration, streams and chapters.
//!
//! Kinds whose files ffprobe understands name [`probe`] in their descriptor.

mod answer;
mod container;

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::outside::{self, Bounds};
use crate::playback::UNKNOWN;
use crate::registry::reading::{Probe, ReadError, ReadTools};

/// Answers are a few kilobytes; a thousand chapters stay below one megabyte.
const ANSWER_LIMIT: u64 = 4 << 20;

/// The demuxers of media files. Without a list, a playlist or script that bears a media file's
/// name would be followed, to other files and to the network.
const DEMUXERS: &str = "aac,ac3,aiff,amr,amrnb,amrwb,ape,asf,au,avi,caf,dsf,dts,dtshd,dv,eac3,\
    flac,flv,h264,hevc,iff,ivf,loas,m4v,matroska,mlp,mov,mp3,mp4,mpc,mpc8,mpeg,mpegts,mpegvideo,\
    mxf,nsv,nut,ogg,rm,tak,truehd,tta,vc1,w64,wav,webm,wtv,wv";

/// Probes one file. Where there is no `ffprobe`, nothing is known: [`Probe::container`] is `None`.
///
/// A file without a byte is not asked about: its container is `unknown`.
pub fn probe(path: &Path, tools: &ReadTools<'_>) -> Result<Probe, ReadError> {
    let Some(ffprobe) = tools.ffprobe else {
        return Ok(Probe::default());
    };
    let path = std::path::absolute(path)?;
    if std::fs::metadata(&path)?.len() == 0 {
        return Ok(Probe {
            container: Some(UNKNOWN.to_owned()),
            ..Probe::default()
        });
    }
    let input = input(&path);
    let bounds = Bounds {
        task: "probing",
        time: tools.time_limit,
        output: ANSWER_LIMIT,
    };
    let json = outside::output(command(ffprobe, &input), Stdio::null(), bounds)
        .map_err(|error| outside::without_input(error, &input))?;
    let mut probe = answer::read(&json)?;
    if probe.container.as_deref() == Some(container::MATROSKA) && container::is_webm(&path) {
        probe.container = Some(container::WEBM.to_owned());
    }
    Ok(probe)
}

/// The path as ffprobe's file protocol reads it: literally, and never as an option or an address.
fn input(absolute: &Path) -> OsString {
    let mut input = OsString::from("file:");
    input.push(absolute);
    input
}

fn command(ffprobe: &Path, input: &OsString) -> Command {
    let mut command = Command::new(ffprobe);
    command
        .args(["-v", "error", "-print_format", "json"])
        .args(["-show_format", "-show_streams", "-show_chapters"])
        .args(["-protocol_whitelist", "file"])
        .args(["-format_whitelist", DEMUXERS])
        .arg("-i")
        .arg(input)
        // A report would be written into the working folder; colours would garble messages.
        .env_remove("FFREPORT")
        .env("AV_LOG_FORCE_NOCOLOR", "1");
    command
}
