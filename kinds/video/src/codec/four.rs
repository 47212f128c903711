//! Codecs by the four characters that stand for them: QuickTime's and MP4's, and those of AVI.

/// Pictures in MP4 and QuickTime, in lower case. Sorted.
const VIDEO: &[(&[u8; 4], &str)] = &[
    (b"3iv2", "mpeg4"),
    (b"ai12", "h264"),
    (b"ai5p", "h264"),
    (b"ai5q", "h264"),
    (b"ap4h", "prores"),
    (b"ap4x", "prores"),
    (b"apch", "prores"),
    (b"apcn", "prores"),
    (b"apco", "prores"),
    (b"apcs", "prores"),
    (b"av01", "av1"),
    (b"avc1", "h264"),
    (b"avc2", "h264"),
    (b"avc3", "h264"),
    (b"avc4", "h264"),
    (b"avd1", "dvvideo"),
    (b"avdh", "dnxhd"),
    (b"avdn", "dnxhd"),
    (b"cfhd", "cfhd"),
    (b"cvid", "cinepak"),
    (b"dav1", "av1"),
    (b"divx", "mpeg4"),
    (b"drac", "dirac"),
    (b"dv5n", "dvvideo"),
    (b"dv5p", "dvvideo"),
    (b"dva1", "h264"),
    (b"dvav", "h264"),
    (b"dvc ", "dvvideo"),
    (b"dvcp", "dvvideo"),
    (b"dvh1", "hevc"),
    (b"dvh2", "dvvideo"),
    (b"dvh5", "dvvideo"),
    (b"dvh6", "dvvideo"),
    (b"dvhe", "hevc"),
    (b"dvhp", "dvvideo"),
    (b"dvhq", "dvvideo"),
    (b"dvpp", "dvvideo"),
    (b"ffv1", "ffv1"),
    (b"flv1", "flv1"),
    (b"fmp4", "mpeg4"),
    (b"gif ", "gif"),
    (b"h261", "h261"),
    (b"h263", "h263"),
    (b"h264", "h264"),
    (b"hap1", "hap"),
    (b"hap5", "hap"),
    (b"hapa", "hap"),
    (b"hapm", "hap"),
    (b"hapy", "hap"),
    (b"hdv1", "mpeg2video"),
    (b"hdv2", "mpeg2video"),
    (b"hdv3", "mpeg2video"),
    (b"hdv5", "mpeg2video"),
    (b"hdv6", "mpeg2video"),
    (b"hdv7", "mpeg2video"),
    (b"hev1", "hevc"),
    (b"hvc1", "hevc"),
    (b"icod", "aic"),
    (b"jpeg", "mjpeg"),
    (b"m1v ", "mpeg1video"),
    (b"m2v1", "mpeg2video"),
    (b"mjp2", "jpeg2000"),
    (b"mjpa", "mjpeg"),
    (b"mjpb", "mjpegb"),
    (b"mjpg", "mjpeg"),
    (b"mp1v", "mpeg1video"),
    (b"mp2v", "mpeg2video"),
    (b"mpeg", "mpeg1video"),
    (b"png ", "png"),
    (b"rle ", "qtrle"),
    (b"rpza", "rpza"),
    (b"s263", "h263"),
    (b"smc ", "smc"),
    (b"svq1", "svq1"),
    (b"svq3", "svq3"),
    (b"theo", "theora"),
    (b"tiff", "tiff"),
    (b"ulra", "utvideo"),
    (b"ulrg", "utvideo"),
    (b"v210", "v210"),
    (b"vc-1", "vc1"),
    (b"vp08", "vp8"),
    (b"vp09", "vp9"),
    (b"vp31", "vp3"),
    (b"vp6f", "vp6f"),
    (b"vvc1", "vvc"),
    (b"vvi1", "vvc"),
    (b"wmv3", "wmv3"),
    (b"wrle", "bmp"),
    (b"xvid", "mpeg4"),
    (b"yuv2", "rawvideo"),
];

/// Sound in MP4 and QuickTime, in lower case. Sorted.
const AUDIO: &[(&[u8; 4], &str)] = &[
    (b".mp1", "mp1"),
    (b".mp2", "mp2"),
    (b".mp3", "mp3"),
    (b"ac-3", "ac3"),
    (b"ac-4", "ac4"),
    (b"agsm", "gsm"),
    (b"alac", "alac"),
    (b"alaw", "pcm_alaw"),
    (b"dtsc", "dts"),
    (b"dtse", "dts"),
    (b"dtsh", "dts"),
    (b"dtsl", "dts"),
    (b"dtsx", "dts"),
    (b"ec-3", "eac3"),
    (b"fl32", "pcm_f32be"),
    (b"fl64", "pcm_f64be"),
    (b"flac", "flac"),
    (b"ima4", "adpcm_ima_qt"),
    (b"in24", "pcm_s24be"),
    (b"in32", "pcm_s32be"),
    (b"ipcm", "pcm_s16le"),
    (b"lpcm", "pcm_s16le"),
    (b"mac3", "mace3"),
    (b"mac6", "mace6"),
    (b"mlpa", "truehd"),
    (b"mp4a", "aac"),
    (b"mpeg", "mp3"),
    (b"nmos", "nellymoser"),
    (b"opus", "opus"),
    (b"qclp", "qcelp"),
    (b"qdm2", "qdm2"),
    (b"qdmc", "qdmc"),
    (b"samr", "amr_nb"),
    (b"sawb", "amr_wb"),
    (b"sowt", "pcm_s16le"),
    (b"spex", "speex"),
    (b"sqcp", "qcelp"),
    (b"twos", "pcm_s16be"),
    (b"ulaw", "pcm_mulaw"),
    (b"vdva", "pcm_s16be"),
    (b"wma2", "wmav2"),
];

/// Text in MP4 and QuickTime. Sorted.
const TEXT: &[(&[u8; 4], &str)] = &[
    (b"c608", "eia_608"),
    (b"c708", "eia_608"),
    (b"dfxp", "ttml"),
    (b"stpp", "ttml"),
    (b"text", "mov_text"),
    (b"tx3g", "mov_text"),
    (b"wvtt", "webvtt"),
];

/// Pictures in AVI and ASF, in lower case. Sorted.
const RIFF: &[(&[u8; 4], &str)] = &[
    (b"3iv1", "mpeg4"),
    (b"3iv2", "mpeg4"),
    (b"3ivx", "mpeg4"),
    (b"amv3", "amv"),
    (b"ap41", "msmpeg4v3"),
    (b"av01", "av1"),
    (b"avc1", "h264"),
    (b"cfhd", "cfhd"),
    (b"col0", "msmpeg4v3"),
    (b"col1", "msmpeg4v3"),
    (b"cram", "msvideo1"),
    (b"cvid", "cinepak"),
    (b"davc", "h264"),
    (b"div1", "msmpeg4v1"),
    (b"div2", "msmpeg4v2"),
    (b"div3", "msmpeg4v3"),
    (b"div4", "msmpeg4v3"),
    (b"div5", "msmpeg4v3"),
    (b"div6", "msmpeg4v3"),
    (b"divx", "mpeg4"),
    (b"dm4v", "mpeg4"),
    (b"drac", "dirac"),
    (b"dv25", "dvvideo"),
    (b"dv50", "dvvideo"),
    (b"dvh1", "dvvideo"),
    (b"dvhd", "dvvideo"),
    (b"dvis", "dvvideo"),
    (b"dvsd", "dvvideo"),
    (b"dvsl", "dvvideo"),
    (b"dx50", "mpeg4"),
    (b"ffds", "mpeg4"),
    (b"ffv1", "ffv1"),
    (b"ffvh", "ffvhuff"),
    (b"flv1", "flv1"),
    (b"fmp4", "mpeg4"),
    (b"fps1", "fraps"),
    (b"fvfw", "mpeg4"),
    (b"h263", "h263"),
    (b"h264", "h264"),
    (b"h265", "hevc"),
    (b"hevc", "hevc"),
    (b"hfyu", "huffyuv"),
    (b"hvc1", "hevc"),
    (b"i263", "h263i"),
    (b"iv31", "indeo3"),
    (b"iv32", "indeo3"),
    (b"iv41", "indeo4"),
    (b"iv50", "indeo5"),
    (b"jpeg", "mjpeg"),
    (b"lags", "lagarith"),
    (b"ljpg", "ljpeg"),
    (b"m4s2", "mpeg4"),
    (b"mjpg", "mjpeg"),
    (b"mp41", "msmpeg4v1"),
    (b"mp42", "msmpeg4v2"),
    (b"mp43", "msmpeg4v3"),
    (b"mp4s", "mpeg4"),
    (b"mp4v", "mpeg4"),
    (b"mpeg", "mpeg1video"),
    (b"mpg1", "mpeg1video"),
    (b"mpg2", "mpeg2video"),
    (b"mpg3", "msmpeg4v3"),
    (b"mpg4", "msmpeg4v1"),
    (b"mrle", "msrle"),
    (b"msvc", "msvideo1"),
    (b"mszh", "mszh"),
    (b"mvi2", "mpeg4"),
    (b"mwv1", "mwsc"),
    (b"pim1", "mpeg1video"),
    (b"png ", "png"),
    (b"qtrl", "qtrle"),
    (b"rmp4", "mpeg4"),
    (b"s263", "h263"),
    (b"smp4", "mpeg4"),
    (b"snow", "snow"),
    (b"svq1", "svq1"),
    (b"svq3", "svq3"),
    (b"theo", "theora"),
    (b"tscc", "tscc"),
    (b"u263", "h263"),
    (b"ulra", "utvideo"),
    (b"ulrg", "utvideo"),
    (b"uly0", "utvideo"),
    (b"uly2", "utvideo"),
    (b"umpx", "mpeg4"),
    (b"uyvy", "rawvideo"),
    (b"vdst", "mpeg2video"),
    (b"vp31", "vp3"),
    (b"vp40", "vp4"),
    (b"vp50", "vp5"),
    (b"vp60", "vp6"),
    (b"vp61", "vp6"),
    (b"vp62", "vp6"),
    (b"vp6a", "vp6a"),
    (b"vp6f", "vp6f"),
    (b"vp70", "vp7"),
    (b"vp80", "vp8"),
    (b"vp90", "vp9"),
    (b"wmv1", "wmv1"),
    (b"wmv2", "wmv2"),
    (b"wmv3", "wmv3"),
    (b"wmva", "vc1"),
    (b"wmvp", "wmv3image"),
    (b"wvc1", "vc1"),
    (b"wvp2", "vc1image"),
    (b"x263", "h263"),
    (b"x264", "h264"),
    (b"xvid", "mpeg4"),
    (b"xvix", "mpeg4"),
    (b"yuy2", "rawvideo"),
    (b"yv12", "rawvideo"),
    (b"zlib", "zlib"),
];

/// Pictures of MP4 or QuickTime.
pub fn video(four: [u8; 4]) -> Option<&'static str> {
    match &four {
        // Sony's XDCAM and IMX bear many numbers.
        [b'x', b'd', b'v' | b'5', _] | [b'm', b'x', _, b'p' | b'n'] => Some("mpeg2video"),
        _ => find(VIDEO, four),
    }
}

/// Sound of MP4 or QuickTime. `bits` is the length of a sample as the entry has it.
pub fn audio(four: [u8; 4], bits: u16) -> Option<&'static str> {
    match &four {
        b"sowt" | b"twos" if bits == 8 => return Some("pcm_s8"),
        b"raw " => return Some("pcm_u8"),
        // Microsoft's format tags behind their initials.
        [b'm', b's', 0, 0x55] => return Some("mp3"),
        [b'm', b's', 0, 2] => return Some("adpcm_ms"),
        [b'm', b's', 0, 0x11] => return Some("adpcm_ima_wav"),
        _ => {}
    }
    find(AUDIO, four)
}

/// Text of MP4 or QuickTime.
pub fn text(four: [u8; 4]) -> Option<&'static str> {
    find(TEXT, four)
}

/// Pictures of AVI or ASF.
pub fn riff(four: [u8; 4]) -> Option<&'static str> {
    match four {
        [0, 0, 0, 0] => Some("rawvideo"),
        [1, 0, 0, 0] => Some("msrle"),
        [4, 0, 0, 0] => Some("mpeg4"),
        _ => find(RIFF, four),
    }
}

/// What MPEG-4 calls a stream's object type: ISO/IEC 14496-1, 7.2.6.6.2, and registered ones.
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

fn find(table: &[(&[u8; 4], &'static str)], four: [u8; 4]) -> Option<&'static str> {
    let lower = four.map(|byte| byte.to_ascii_lowercase());
    let at = table
        .binary_search_by_key(&lower, |(known, _)| **known)
        .ok()?;
    table.get(at).map(|(_, codec)| *codec)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted() {
        for table in [VIDEO, AUDIO, TEXT, RIFF] {
            for pair in table.windows(2) {
                assert!(
                    pair[0].0 < pair[1].0,
                    "{:?}",
                    String::from_utf8_lossy(pair[1].0)
                );
            }
        }
    }

    #[test]
    fn characters_name_codecs_in_any_case() {
        assert_eq!(video(*b"hvc1"), Some("hevc"));
        assert_eq!(video(*b"xdvc"), Some("mpeg2video"));
        assert_eq!(audio(*b"fLaC", 16), Some("flac"));
        assert_eq!(audio(*b"twos", 8), Some("pcm_s8"));
        assert_eq!(riff(*b"DIVX"), Some("mpeg4"));
        assert_eq!(riff([0; 4]), Some("rawvideo"));
        assert_eq!(text(*b"\xffzzz"), None);
    }
}
