//! Codec names for four-character codes of QuickTime, MP4, AVI and ASF.

/// Codecs of MP4 and QuickTime video with their codes in lower case.
const VIDEO: &[(&str, &str)] = &[
    ("aic", "icod"),
    ("av1", "av01|dav1"),
    ("bmp", "wrle"),
    ("cfhd", "cfhd"),
    ("cinepak", "cvid"),
    ("dirac", "drac"),
    ("dnxhd", "avdh|avdn"),
    (
        "dvvideo",
        "avd1|dv5n|dv5p|dvc |dvcp|dvh2|dvh5|dvh6|dvhp|dvhq|dvpp",
    ),
    ("ffv1", "ffv1"),
    ("flv1", "flv1"),
    ("gif", "gif "),
    ("h261", "h261"),
    ("h263", "h263|s263"),
    ("h264", "ai12|ai5p|ai5q|avc1|avc2|avc3|avc4|dva1|dvav|h264"),
    ("hap", "hap1|hap5|hapa|hapm|hapy"),
    ("hevc", "dvh1|dvhe|hev1|hvc1"),
    ("jpeg2000", "mjp2"),
    ("mjpeg", "jpeg|mjpa|mjpg"),
    ("mjpegb", "mjpb"),
    ("mpeg1video", "m1v |mp1v|mpeg"),
    ("mpeg2video", "hdv1|hdv2|hdv3|hdv5|hdv6|hdv7|m2v1|mp2v"),
    ("mpeg4", "3iv2|divx|fmp4|xvid"),
    ("png", "png "),
    ("prores", "ap4h|ap4x|apch|apcn|apco|apcs"),
    ("qtrle", "rle "),
    ("rawvideo", "yuv2"),
    ("rpza", "rpza"),
    ("smc", "smc "),
    ("svq1", "svq1"),
    ("svq3", "svq3"),
    ("theora", "theo"),
    ("tiff", "tiff"),
    ("utvideo", "ulra|ulrg"),
    ("v210", "v210"),
    ("vc1", "vc-1"),
    ("vp3", "vp31"),
    ("vp6f", "vp6f"),
    ("vp8", "vp08"),
    ("vp9", "vp09"),
    ("vvc", "vvc1|vvi1"),
    ("wmv3", "wmv3"),
];

/// Codecs of MP4 and QuickTime audio with their codes in lower case.
const AUDIO: &[(&str, &str)] = &[
    ("aac", "mp4a"),
    ("ac3", "ac-3"),
    ("ac4", "ac-4"),
    ("adpcm_ima_qt", "ima4"),
    ("alac", "alac"),
    ("amr_nb", "samr"),
    ("amr_wb", "sawb"),
    ("dts", "dtsc|dtse|dtsh|dtsl|dtsx"),
    ("eac3", "ec-3"),
    ("flac", "flac"),
    ("gsm", "agsm"),
    ("mace3", "mac3"),
    ("mace6", "mac6"),
    ("mp1", ".mp1"),
    ("mp2", ".mp2"),
    ("mp3", ".mp3|mpeg"),
    ("nellymoser", "nmos"),
    ("opus", "opus"),
    ("pcm_alaw", "alaw"),
    ("pcm_f32be", "fl32"),
    ("pcm_f64be", "fl64"),
    ("pcm_mulaw", "ulaw"),
    ("pcm_s16be", "twos|vdva"),
    ("pcm_s16le", "ipcm|lpcm|sowt"),
    ("pcm_s24be", "in24"),
    ("pcm_s32be", "in32"),
    ("qcelp", "qclp|sqcp"),
    ("qdm2", "qdm2"),
    ("qdmc", "qdmc"),
    ("speex", "spex"),
    ("truehd", "mlpa"),
    ("wmav2", "wma2"),
];

/// Codecs of MP4 and QuickTime text with their codes.
const TEXT: &[(&str, &str)] = &[
    ("eia_608", "c608|c708"),
    ("mov_text", "text|tx3g"),
    ("ttml", "dfxp|stpp"),
    ("webvtt", "wvtt"),
];

/// Codecs of AVI and ASF video with their codes in lower case.
const RIFF: &[(&str, &str)] = &[
    ("amv", "amv3"),
    ("av1", "av01"),
    ("cfhd", "cfhd"),
    ("cinepak", "cvid"),
    ("dirac", "drac"),
    ("dvvideo", "dv25|dv50|dvh1|dvhd|dvis|dvsd|dvsl"),
    ("ffv1", "ffv1"),
    ("ffvhuff", "ffvh"),
    ("flv1", "flv1"),
    ("fraps", "fps1"),
    ("h263", "h263|s263|u263|x263"),
    ("h263i", "i263"),
    ("h264", "avc1|davc|h264|x264"),
    ("hevc", "h265|hevc|hvc1"),
    ("huffyuv", "hfyu"),
    ("indeo3", "iv31|iv32"),
    ("indeo4", "iv41"),
    ("indeo5", "iv50"),
    ("lagarith", "lags"),
    ("ljpeg", "ljpg"),
    ("mjpeg", "jpeg|mjpg"),
    ("mpeg1video", "mpeg|mpg1|pim1"),
    ("mpeg2video", "mpg2|vdst"),
    (
        "mpeg4",
        "3iv1|3iv2|3ivx|divx|dm4v|dx50|ffds|fmp4|fvfw|m4s2|mp4s|mp4v|mvi2|rmp4|smp4|umpx|xvid|\
         xvix",
    ),
    ("msmpeg4v1", "div1|mp41|mpg4"),
    ("msmpeg4v2", "div2|mp42"),
    ("msmpeg4v3", "ap41|col0|col1|div3|div4|div5|div6|mp43|mpg3"),
    ("msrle", "mrle"),
    ("msvideo1", "cram|msvc"),
    ("mszh", "mszh"),
    ("mwsc", "mwv1"),
    ("png", "png "),
    ("qtrle", "qtrl"),
    ("rawvideo", "uyvy|yuy2|yv12"),
    ("snow", "snow"),
    ("svq1", "svq1"),
    ("svq3", "svq3"),
    ("theora", "theo"),
    ("tscc", "tscc"),
    ("utvideo", "ulra|ulrg|uly0|uly2"),
    ("vc1", "wmva|wvc1"),
    ("vc1image", "wvp2"),
    ("vp3", "vp31"),
    ("vp4", "vp40"),
    ("vp5", "vp50"),
    ("vp6", "vp60|vp61|vp62"),
    ("vp6a", "vp6a"),
    ("vp6f", "vp6f"),
    ("vp7", "vp70"),
    ("vp8", "vp80"),
    ("vp9", "vp90"),
    ("wmv1", "wmv1"),
    ("wmv2", "wmv2"),
    ("wmv3", "wmv3"),
    ("wmv3image", "wmvp"),
    ("zlib", "zlib"),
];

/// Returns the codec of an MP4 or QuickTime video track.
pub fn video(code: [u8; 4]) -> Option<&'static str> {
    match &code {
        // Sony XDCAM and IMX use many codes that differ in one character.
        [b'x', b'd', b'v' | b'5', _] | [b'm', b'x', _, b'p' | b'n'] => Some("mpeg2video"),
        _ => find(VIDEO, code),
    }
}

/// Returns the codec of an MP4 or QuickTime audio track. `bits` is the sample size of the sample
/// entry.
pub fn audio(code: [u8; 4], bits: u16) -> Option<&'static str> {
    match &code {
        b"sowt" | b"twos" if bits == 8 => return Some("pcm_s8"),
        b"raw " => return Some("pcm_u8"),
        // The prefix `ms`, then a Microsoft format tag.
        [b'm', b's', 0, 0x55] => return Some("mp3"),
        [b'm', b's', 0, 2] => return Some("adpcm_ms"),
        [b'm', b's', 0, 0x11] => return Some("adpcm_ima_wav"),
        _ => {}
    }
    find(AUDIO, code)
}

/// Returns the codec of an MP4 or QuickTime text track.
pub fn text(code: [u8; 4]) -> Option<&'static str> {
    find(TEXT, code)
}

/// Returns the codec of an AVI or ASF video stream.
pub fn riff(code: [u8; 4]) -> Option<&'static str> {
    match code {
        [0, 0, 0, 0] => Some("rawvideo"),
        [1, 0, 0, 0] => Some("msrle"),
        [4, 0, 0, 0] => Some("mpeg4"),
        _ => find(RIFF, code),
    }
}

/// Returns the codec of an MPEG-4 object type (ISO/IEC 14496-1, 7.2.6.6.2, and registered values).
pub fn object_type(number: u8) -> Option<&'static str> {
    Some(match number {
        0x08 => "mov_text",
        0x20 => "mpeg4",
        0x21 => "h264",
        0x23 => "hevc",
        0x40 | 0x66..=0x68 => "aac",
        0x60..=0x65 => "mpeg2video",
        0x69 | 0x6b => "mp3",
        0x6a => "mpeg1video",
        0x6c => "mjpeg",
        0x6d => "png",
        0x6e => "jpeg2000",
        0xa3 => "vc1",
        0xa4 => "dirac",
        0xa5 => "ac3",
        0xa6 => "eac3",
        0xa9..=0xac => "dts",
        0xad => "opus",
        0xb1 => "vp9",
        0xdd => "vorbis",
        0xe0 => "dvd_subtitle",
        0xe1 => "qcelp",
        _ => return None,
    })
}

/// Finds the codec of a code. The codes of a row have four characters each, and a separator.
fn find(table: &[(&'static str, &str)], code: [u8; 4]) -> Option<&'static str> {
    let code = code.map(|byte| byte.to_ascii_lowercase());
    let has_code = |codes: &str| codes.as_bytes().chunks(5).any(|row| row.starts_with(&code));
    let row = table.iter().find(|(_, codes)| has_code(codes))?;
    Some(row.0)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_code_is_in_one_row() {
        for table in [VIDEO, AUDIO, TEXT, RIFF] {
            let codes: Vec<&str> = table.iter().flat_map(|row| row.1.split('|')).collect();
            assert!(codes.iter().all(|code| code.len() == 4), "{codes:?}");
            let unique: BTreeSet<&str> = codes.iter().copied().collect();
            assert_eq!(unique.len(), codes.len());
        }
    }

    #[test]
    fn codes_match_in_any_case() {
        assert_eq!(video(*b"hvc1"), Some("hevc"));
        assert_eq!(video(*b"xdvc"), Some("mpeg2video"));
        assert_eq!(audio(*b"fLaC", 16), Some("flac"));
        assert_eq!(audio(*b"twos", 8), Some("pcm_s8"));
        assert_eq!(riff(*b"DIVX"), Some("mpeg4"));
        assert_eq!(riff([0; 4]), Some("rawvideo"));
        assert_eq!(text(*b"\xffzzz"), None);
    }
}
