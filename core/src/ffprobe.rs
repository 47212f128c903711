//! Asks `ffprobe` what a media file holds: container, codecs, duration, streams and chapters.
//!
//! Kinds whose files ffprobe understands name [`probe`] in their descriptor.

mod answer;
mod container;

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::outside::{self, Bounds};
use crate::playback::UNKNOWN;
use crate::registry::reading::{Probe, ReadError, ReadTools};

/// Answers are a few kilobytes; a thousand chapters stay below one megabyte.
const ANSWER_LIMIT: u64 = 4 << 20;

/// What was opened and judged is what is read, by whichever name it is known meanwhile: it is the
/// program's standard input, which its file protocol opens once more, so that it can seek in it. No
/// file's name is ever part of the command.
const INPUT: &str = "file:/proc/self/fd/0";

/// The demuxers of media files. Without a list, a playlist or script that bears a media file's
/// name would be followed, to other files and to the network. Each of them knows its files by what
/// is in them, so that none needs to see a name.
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
    let file = tools.open(path)?;
    if file.metadata()?.len() == 0 {
        return Ok(Probe {
            container: Some(UNKNOWN.to_owned()),
            ..Probe::default()
        });
    }
    let bounds = Bounds {
        task: "probing",
        time: tools.time_limit,
        output: ANSWER_LIMIT,
    };
    let header = container::header(&file)?;
    let json = outside::output(command(ffprobe), Stdio::from(file), bounds)
        .map_err(|error| outside::without_input(error.into(), OsStr::new(INPUT)))?;
    let mut probe = answer::read(&json)?;
    if probe.container.as_deref() == Some(container::MATROSKA) && container::is_webm(&header, path)
    {
        probe.container = Some(container::WEBM.to_owned());
    }
    Ok(probe)
}

fn command(ffprobe: &Path) -> Command {
    let mut command = Command::new(ffprobe);
    command
        .args(["-v", "error", "-print_format", "json"])
        .args(["-show_format", "-show_streams", "-show_chapters"])
        .args(["-protocol_whitelist", "file"])
        .args(["-format_whitelist", DEMUXERS])
        .arg("-i")
        .arg(INPUT)
        // A report would be written into the working folder; colours would garble messages.
        .env_remove("FFREPORT")
        .env("AV_LOG_FORCE_NOCOLOR", "1");
    command
}
