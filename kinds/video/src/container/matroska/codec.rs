//! Codec names of ffprobe for Matroska codec ids.

use crate::reading::codec::{fourcc, wave};

/// Prefixes of codec ids and their codecs. A longer prefix precedes a shorter one.
const NAMES: &[(&str, &str)] = &[
    ("V_MPEG4/ISO/AVC", "h264"),
    ("V_MPEGH/ISO/HEVC", "hevc"),
    ("V_MPEGI/ISO/VVC", "vvc"),
    ("V_MPEG4/ISO/", "mpeg4"),
    ("V_MPEG4/MS/V3", "msmpeg4v3"),
    ("V_MPEG1", "mpeg1video"),
    ("V_MPEG2", "mpeg2video"),
    ("V_AV1", "av1"),
    ("V_VP8", "vp8"),
    ("V_VP9", "vp9"),
    ("V_THEORA", "theora"),
    ("V_MJPEG", "mjpeg"),
    ("V_PRORES", "prores"),
    ("V_FFV1", "ffv1"),
    ("V_DIRAC", "dirac"),
    ("V_SNOW", "snow"),
    ("V_UNCOMPRESSED", "rawvideo"),
    ("V_AVS2", "avs2"),
    ("V_AVS3", "avs3"),
    ("V_REAL/RV10", "rv10"),
    ("V_REAL/RV20", "rv20"),
    ("V_REAL/RV30", "rv30"),
    ("V_REAL/RV40", "rv40"),
    ("A_AAC", "aac"),
    ("A_AC3", "ac3"),
    ("A_EAC3", "eac3"),
    ("A_AC4", "ac4"),
    ("A_ALAC", "alac"),
    ("A_DTS", "dts"),
    ("A_FLAC", "flac"),
    ("A_MLP", "mlp"),
    ("A_TRUEHD", "truehd"),
    ("A_MPEG/L1", "mp1"),
    ("A_MPEG/L2", "mp2"),
    ("A_MPEG/L3", "mp3"),
    ("A_OPUS", "opus"),
    ("A_VORBIS", "vorbis"),
    ("A_TTA1", "tta"),
    ("A_WAVPACK4", "wavpack"),
    ("A_QUICKTIME/QDMC", "qdmc"),
    ("A_QUICKTIME/QDM2", "qdm2"),
    ("A_REAL/14_4", "ra_144"),
    ("A_REAL/28_8", "ra_288"),
    ("A_REAL/ATRC", "atrac3"),
    ("A_REAL/COOK", "cook"),
    ("A_REAL/SIPR", "sipr"),
    ("A_ATRAC/AT1", "atrac1"),
    ("S_TEXT/UTF8", "subrip"),
    ("S_TEXT/ASCII", "text"),
    ("S_TEXT/ASS", "ass"),
    ("S_TEXT/SSA", "ass"),
    ("S_ASS", "ass"),
    ("S_SSA", "ass"),
    ("S_TEXT/WEBVTT", "webvtt"),
    ("D_WEBVTT/", "webvtt"),
    ("S_TEXT/USF", "text"),
    ("S_VOBSUB", "dvd_subtitle"),
    ("S_DVBSUB", "dvb_subtitle"),
    ("S_HDMV/PGS", "hdmv_pgs_subtitle"),
    ("S_HDMV/TEXTST", "hdmv_text_subtitle"),
    ("S_ARIBSUB", "arib_caption"),
];

/// Returns the codec of a Matroska id, its private data and its sample size in bits.
pub(super) fn name(id: &str, private: &[u8], bits: u64) -> Option<&'static str> {
    match id {
        // The private data is a `BITMAPINFOHEADER`.
        "V_MS/VFW/FOURCC" => private.get(16..20).and_then(code_of).and_then(fourcc::riff),
        // The private data is a sample description, including its length field.
        "V_QUICKTIME" => private.get(4..8).and_then(code_of).and_then(fourcc::video),
        "A_QUICKTIME" => private
            .get(4..8)
            .and_then(code_of)
            .and_then(|code| fourcc::audio(code, 16)),
        "A_MS/ACM" => wave::format(private).and_then(|wave| wave.codec),
        "A_PCM/INT/LIT" if bits == 8 => Some("pcm_u8"),
        "A_PCM/INT/LIT" => Some(integer(bits, ["pcm_s16le", "pcm_s24le", "pcm_s32le"])),
        "A_PCM/INT/BIG" => Some(integer(bits, ["pcm_s16be", "pcm_s24be", "pcm_s32be"])),
        "A_PCM/FLOAT/IEEE" if bits == 64 => Some("pcm_f64le"),
        "A_PCM/FLOAT/IEEE" => Some("pcm_f32le"),
        _ => NAMES
            .iter()
            .find(|(known, _)| id.starts_with(known))
            .map(|(_, codec)| *codec),
    }
}

fn code_of(bytes: &[u8]) -> Option<[u8; 4]> {
    bytes.try_into().ok()
}

fn integer(bits: u64, names: [&'static str; 3]) -> &'static str {
    let [two, three, four] = names;
    match bits {
        24 => three,
        32 => four,
        _ => two,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codec_ids_map_to_ffprobe_names() {
        let mut header = vec![0; 40];
        header[16..20].copy_from_slice(b"XVID");
        for (id, private, bits, codec) in [
            ("V_MPEG4/ISO/ASP", &[][..], 0, Some("mpeg4")),
            ("V_MS/VFW/FOURCC", &header, 0, Some("mpeg4")),
            ("A_AAC/MPEG4/LC", &[], 0, Some("aac")),
            ("A_DTS/EXPRESS", &[], 0, Some("dts")),
            ("A_PCM/INT/LIT", &[], 24, Some("pcm_s24le")),
            ("S_TEXT/UTF8", &[], 0, Some("subrip")),
            ("V_MS/VFW/FOURCC", &[], 0, None),
            ("X_NEW", &[], 0, None),
        ] {
            assert_eq!(name(id, private, bits), codec, "{id}");
        }
    }
}
