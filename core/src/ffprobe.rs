//! Asks `ffprobe` what a media file holds: container, codecs, duration, streams and chapters.
//!
//! Kinds whose files ffprobe understands name [`probe`] in their descriptor.

mod answer;
mod container;
mod run;

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use crate::playback::UNKNOWN;
use crate::registry::reading::{Probe, ReadError, ReadTools};

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
    let json = run::output(command(ffprobe, &input), tools.time_limit)
        .map_err(|error| run::without_input(error, &input))?;
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
