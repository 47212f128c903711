//! mpv, which also represents every other player that is built on FFmpeg.

use ledge_core::registry::PlaybackEngine;

/// Profile of mpv. It reads and decodes with FFmpeg's libraries, so these are FFmpeg's formats,
/// limited to those that occur in media libraries.
///
/// Sources: <https://mpv.io/manual/stable/> ("mpv is based on … FFmpeg"; `--vd`, `--ad`,
/// `--demuxer`) and <https://ffmpeg.org/general.html#Supported-File-Formats_002c-Codecs-or-Features>.
pub const MPV: PlaybackEngine = PlaybackEngine {
    id: "mpv",
    label: "mpv",
    rank: 20,
    containers: &[
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
        "nut",
        "dv",
        "ivf",
        "h264",
        "hevc",
        "m4v",
        "vc1",
        "wtv",
    ],
    vcodecs: &[
        "h264",
        "hevc",
        "av1",
        "vp8",
        "vp9",
        "vp6",
        "vp6f",
        "vp7",
        "mpeg1video",
        "mpeg2video",
        "mpeg4",
        "msmpeg4v1",
        "msmpeg4v2",
        "msmpeg4v3",
        "h261",
        "h263",
        "flv1",
        "theora",
        "wmv1",
        "wmv2",
        "wmv3",
        "vc1",
        "rv10",
        "rv20",
        "rv30",
        "rv40",
        "mjpeg",
        "prores",
        "dnxhd",
        "dvvideo",
        "ffv1",
        "huffyuv",
        "cinepak",
        "indeo3",
        "indeo5",
        "svq1",
        "svq3",
        "rawvideo",
    ],
    acodecs: &[
        "aac",
        "mp3",
        "mp2",
        "mp1",
        "opus",
        "vorbis",
        "speex",
        "flac",
        "alac",
        "ac3",
        "eac3",
        "dts",
        "truehd",
        "mlp",
        "amr_nb",
        "amr_wb",
        "ape",
        "wavpack",
        "tta",
        "tak",
        "musepack7",
        "musepack8",
        "wmav1",
        "wmav2",
        "wmapro",
        "wmalossless",
        "wmavoice",
        "cook",
        "atrac3",
        "sipr",
        "ra_144",
        "ra_288",
        "qdm2",
        "nellymoser",
        "dsd_lsbf",
        "dsd_msbf",
        "dsd_lsbf_planar",
        "dsd_msbf_planar",
        "pcm_u8",
        "pcm_s8",
        "pcm_s16le",
        "pcm_s16be",
        "pcm_s24le",
        "pcm_s24be",
        "pcm_s32le",
        "pcm_s32be",
        "pcm_f32le",
        "pcm_f32be",
        "pcm_f64le",
        "pcm_f64be",
        "pcm_alaw",
        "pcm_mulaw",
        "pcm_dvd",
        "pcm_bluray",
        "adpcm_ms",
        "adpcm_ima_wav",
        "adpcm_ima_qt",
        "adpcm_swf",
    ],
};

inventory::submit! { MPV }

#[cfg(test)]
mod tests {
    use super::MPV;
    use crate::probe_names;
    use crate::{AVPLAYER, EXOPLAYER, HTML5};

    #[test]
    fn mpv_plays_all_formats_of_other_engines() {
        probe_names::assert_names(&MPV);
        for engine in [HTML5, EXOPLAYER, AVPLAYER] {
            let covers = |mine: &[&str], theirs: &[&str]| {
                let lacking: Vec<_> = theirs.iter().filter(|name| !mine.contains(name)).collect();
                assert!(lacking.is_empty(), "{}: {lacking:?}", engine.id);
            };
            covers(MPV.containers, engine.containers);
            covers(MPV.vcodecs, engine.vcodecs);
            covers(MPV.acodecs, engine.acodecs);
        }
        assert!(MPV.containers.contains(&"asf") && MPV.acodecs.contains(&"dts"));
        assert!(!MPV.containers.contains(&"unknown"));
    }
}
