//! Audio codecs by the format tags of `WAVEFORMATEX`, which AVI, ASF and Matroska use.

use ledge_formats::bytes::ByteReader;

/// Fields of a `WAVEFORMATEX` structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wave {
    /// Codec name as in ffprobe. `None` for unknown format tags.
    pub codec: Option<&'static str>,
    /// Number of channels.
    pub channels: u16,
}

/// Format tag of `WAVEFORMATEXTENSIBLE`, whose GUID begins with the actual tag.
const EXTENSIBLE: u16 = 0xfffe;

/// Parses a `WAVEFORMATEX` structure.
pub fn format(bytes: &[u8]) -> Option<Wave> {
    let mut rest = ByteReader(bytes);
    let tag = rest.u16_le()?;
    let channels = rest.u16_le()?;
    rest.skip(10)?;
    let bits = rest.u16_le().unwrap_or(0);
    let tag = match tag {
        EXTENSIBLE => bytes.get(24..26).map_or(tag, |two| {
            u16::from_le_bytes([
                two.first().copied().unwrap_or(0),
                two.last().copied().unwrap_or(0),
            ])
        }),
        tag => tag,
    };
    Some(Wave {
        codec: codec(tag, bits),
        channels,
    })
}

/// Returns the codec of a format tag.
fn codec(tag: u16, bits: u16) -> Option<&'static str> {
    Some(match tag {
        0x0001 => match bits {
            1..=8 => "pcm_u8",
            17..=24 => "pcm_s24le",
            25..=32 => "pcm_s32le",
            33..=64 => "pcm_s64le",
            _ => "pcm_s16le",
        },
        0x0002 => "adpcm_ms",
        0x0003 if bits == 64 => "pcm_f64le",
        0x0003 => "pcm_f32le",
        0x0006 => "pcm_alaw",
        0x0007 => "pcm_mulaw",
        0x000a => "wmavoice",
        0x0011 => "adpcm_ima_wav",
        0x0022 => "truespeech",
        0x0031 | 0x0032 => "gsm_ms",
        0x0045 => "adpcm_g726",
        0x0050 => "mp2",
        0x0055 => "mp3",
        0x0057 => "amr_nb",
        0x0058 => "amr_wb",
        0x0061 => "adpcm_ima_dk4",
        0x0062 => "adpcm_ima_dk3",
        0x0075 => "metasound",
        0x00ff | 0x706d | 0x4143 | 0xa106 | 0x1600 | 0x1602 => "aac",
        0x0160 => "wmav1",
        0x0161 => "wmav2",
        0x0162 => "wmapro",
        0x0163 => "wmalossless",
        0x0200 => "adpcm_ct",
        0x0270 => "atrac3",
        0x0401 => "imc",
        0x0500 | 0x0501 => "on2avc",
        0x566f | 0x674f..=0x6751 | 0x676f..=0x6771 => "vorbis",
        0x2000 => "ac3",
        0x2001 | 0x0008 => "dts",
        0x2048 => "sonic",
        0x5756 => "wavpack",
        0x704f => "opus",
        0xa109 => "speex",
        0xf1ac => "flac",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_tags_map_to_codecs() {
        let wave = |tag: u16, bits: u16| {
            let mut bytes = vec![0; 16];
            bytes[..2].copy_from_slice(&tag.to_le_bytes());
            bytes[2] = 2;
            bytes[14..].copy_from_slice(&bits.to_le_bytes());
            format(&bytes).expect("a format")
        };
        assert_eq!(wave(1, 16).codec, Some("pcm_s16le"));
        assert_eq!(wave(0x55, 0).channels, 2);
        assert_eq!(wave(0x4242, 0).codec, None);
        assert_eq!(format(&[1, 0]), None);
    }
}
