//! Detection of MPEG audio (ISO/IEC 11172-3, layers I to III) by its first bytes.

/// Returns `true` if a file begins with an ID3 tag or an MPEG audio frame header. AAC in ADTS is not
/// MPEG audio, although its frames have the same sync word.
pub fn begins(head: &[u8]) -> bool {
    match head {
        [b'I', b'D', b'3', ..] => true,
        // Sync word of 11 bits, then version, layer, bit rate and sample rate; reserved values are
        // rejected.
        [0xff, second, third, ..] => {
            second & 0xe0 == 0xe0
                && second & 0x18 != 0x08
                && second & 0x06 != 0
                && third & 0xf0 != 0xf0
                && third & 0x0c != 0x0c
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_headers_of_layers_one_to_three_are_mpeg_audio() {
        assert!(begins(b"ID3\x04"));
        assert!(begins(&[0xff, 0xfb, 0x90, 0x00]));
        for other in [
            &[0xff, 0xf1, 0x50, 0x80][..], // AAC in ADTS
            &[0xff, 0xfb, 0xf0, 0x00],     // reserved bit rate
            &[0xff, 0xfb],
            b"\0\0\x01\xba",
            b"",
        ] {
            assert!(!begins(other), "{other:x?}");
        }
    }
}
