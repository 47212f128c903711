//! Runs `ffprobe` to read the container, codecs, duration, streams and chapters of a media file.
//!
//! Kinds whose files ffprobe supports use [`probe`] in their descriptor.

mod answer;
mod container;

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::error::ReadError;
use crate::process::subprocess::{self, Bounds};
use crate::registry::UNKNOWN_CODEC;
use crate::registry::reading::{Probe, ReadTools};

/// Maximum size of ffprobe's output, in bytes. It is usually a few kilobytes, and below one
/// megabyte with a thousand chapters.
const ANSWER_LIMIT: u64 = 4 << 20;

/// Input path for ffprobe: its standard input, which is the descriptor that was opened and checked.
/// The file protocol opens it once more, so that ffprobe can seek. The name of the media file is
/// never part of the command line.
const INPUT: &str = "file:/proc/self/fd/0";

/// Permitted demuxers. Without a list, ffprobe would follow a playlist or script with the name of a
/// media file, to other files and to the network. Each of these demuxers recognizes files by their
/// content, so the name is not needed.
const DEMUXERS: &str = "aac,ac3,aiff,amr,amrnb,amrwb,ape,asf,au,avi,caf,dsf,dts,dtshd,dv,eac3,\
    flac,flv,h264,hevc,iff,ivf,loas,m4v,matroska,mlp,mov,mp3,mp4,mpc,mpc8,mpeg,mpegts,mpegvideo,\
    mxf,nsv,nut,ogg,rm,tak,truehd,tta,vc1,w64,wav,webm,wtv,wv";

/// Probes a file. Without `ffprobe`, nothing is known and [`Probe::container`] is `None`.
///
/// An empty file is not probed: its container is `unknown`.
pub fn probe(path: &Path, tools: &ReadTools<'_>) -> Result<Probe, ReadError> {
    let Some(ffprobe) = tools.ffprobe else {
        return Ok(Probe::default());
    };
    let file = tools.open(path)?;
    if file.metadata()?.len() == 0 {
        return Ok(Probe {
            container: Some(UNKNOWN_CODEC.to_owned()),
            ..Probe::default()
        });
    }
    let bounds = Bounds {
        task: "probing",
        time: tools.time_limit,
        output: ANSWER_LIMIT,
    };
    let header = container::header(&file)?;
    let json = subprocess::output(command(ffprobe), Stdio::from(file), bounds)
        .map_err(|error| subprocess::without_input(error.into(), OsStr::new(INPUT)))?;
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
        // `FFREPORT` would write a report into the working folder. Colour codes would corrupt error
        // messages.
        .env_remove("FFREPORT")
        .env("AV_LOG_FORCE_NOCOLOR", "1");
    command
}
