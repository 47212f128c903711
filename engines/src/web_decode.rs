//! The web interface's own decoders: FFmpeg's libraries as WebAssembly, in a worker of the page.

use ledge_core::registry::PlaybackEngine;

/// Profile of the decoders in `web/av`: the demuxers and decoders that their component list
/// enables, limited to those that the probe reports.
///
/// AV1 is not decoded. The page passes its packets on to the browser, as it does with H.264 and VP9.
/// A picture can be too large for a slow device; the page knows that device and says so before it
/// starts.
///
/// Source: `web/av/components.txt`.
pub const WEB_DECODE: PlaybackEngine = PlaybackEngine {
    id: "web-decode",
    label: "Web browser with Ledge's decoders",
    rank: 50,
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
        "nut",
        "dv",
        "ivf",
        "h264",
        "hevc",
        "m4v",
    ],
    vcodecs: &[
        "h264",
        "hevc",
        "av1",
        "vp8",
        "vp9",
        "vp6",
        "vp6f",
        "vp6a",
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
        "vp3",
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
        "mjpegb",
        "prores",
        "dnxhd",
        "dvvideo",
        "ffv1",
        "huffyuv",
        "ffvhuff",
        "cinepak",
        "indeo3",
        "indeo5",
        "svq1",
        "svq3",
        "rawvideo",
        "msvideo1",
        "qtrle",
        "rpza",
        "8bps",
        "png",
    ],
    acodecs: &[
        "aac",
        "aac_latm",
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
        "atrac1",
        "atrac3",
        "atrac3p",
        "sipr",
        "ra_144",
        "ra_288",
        "qdm2",
        "qdmc",
        "nellymoser",
        "shorten",
        "mace3",
        "mace6",
        "gsm",
        "gsm_ms",
        "qcelp",
        "dst",
        "dsd_lsbf",
        "dsd_msbf",
        "dsd_lsbf_planar",
        "dsd_msbf_planar",
        "pcm_u8",
        "pcm_s8",
        "pcm_s16le",
        "pcm_s16be",
        "pcm_u16le",
        "pcm_u16be",
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
        "pcm_s8_planar",
        "pcm_s16le_planar",
        "pcm_s16be_planar",
        "adpcm_ms",
        "adpcm_ima_wav",
        "adpcm_ima_qt",
        "adpcm_swf",
        "adpcm_yamaha",
        "adpcm_g722",
        "adpcm_g726",
    ],
};

inventory::submit! { WEB_DECODE }

#[cfg(test)]
mod tests {
    use super::WEB_DECODE;
    use crate::{HTML5, probe_names};

    #[test]
    fn page_plays_all_formats_of_browsers_and_those_that_browsers_lack() {
        probe_names::assert_names(&WEB_DECODE);
        for (mine, browsers) in [
            (WEB_DECODE.containers, HTML5.containers),
            (WEB_DECODE.vcodecs, HTML5.vcodecs),
            (WEB_DECODE.acodecs, HTML5.acodecs),
        ] {
            assert!(browsers.iter().all(|name| mine.contains(name)), "{mine:?}");
        }
        for codec in ["hevc", "mpeg2video", "mpeg4", "wmv3", "prores", "theora"] {
            assert!(WEB_DECODE.vcodecs.contains(&codec), "{codec}");
        }
        for codec in ["ac3", "eac3", "dts", "alac", "wmav2", "ape"] {
            assert!(WEB_DECODE.acodecs.contains(&codec), "{codec}");
        }
        assert!(!WEB_DECODE.vcodecs.contains(&"vvc"));
    }

    /// Returns FFmpeg's name of the decoder for a codec of the probe.
    fn decoder(codec: &str) -> &str {
        match codec {
            "mp1" => "mp1float",
            "mp2" => "mp2float",
            "mp3" => "mp3float",
            "dts" => "dca",
            "musepack7" => "mpc7",
            "musepack8" => "mpc8",
            "amr_nb" => "amrnb",
            "amr_wb" => "amrwb",
            "flv1" => "flv",
            "8bps" => "eightbps",
            other => other,
        }
    }

    #[test]
    fn every_codec_has_a_decoder_in_the_build() {
        let list = concat!(env!("CARGO_MANIFEST_DIR"), "/../web/av/components.txt");
        let list = std::fs::read_to_string(list).expect("the component list");
        let decoders = list
            .lines()
            .filter_map(|line| line.strip_prefix("decoder: "));
        let decoders: Vec<&str> = decoders.flat_map(str::split_whitespace).collect();
        // AV1 is passed on to the browser.
        let codecs = [WEB_DECODE.vcodecs, WEB_DECODE.acodecs].concat();
        let codecs = codecs.into_iter().filter(|codec| *codec != "av1");
        let missing: Vec<&str> = codecs
            .filter(|codec| !decoders.contains(&decoder(codec)))
            .collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
