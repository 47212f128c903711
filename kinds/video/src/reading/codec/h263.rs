//! H.263 picture headers (ITU-T H.263, 5.1).

use super::bits::Bits;
use super::config::Picture;

/// Returns the picture size of a stream that begins with a picture header.
pub fn picture(stream: &[u8]) -> Option<Picture> {
    let size = size(&mut Bits::new(stream))?;
    Some(Picture {
        size: Some(size),
        ..Picture::default()
    })
}

fn size(bits: &mut Bits<'_>) -> Option<(u32, u32)> {
    const START: u32 = 0x20;
    // Start code, temporal reference, and two bits that distinguish H.263 from H.261.
    if bits.number(22)? != START {
        return None;
    }
    bits.skip(8);
    if bits.number(2)? != 0b10 {
        return None;
    }
    // Split screen, document camera, freeze release.
    bits.skip(3);
    match bits.number(3)? {
        7 => extended_size(bits),
        format => standard_size(format),
    }
}

/// Parses PLUSPTYPE, which is complete only if its first field is 1.
fn extended_size(bits: &mut Bits<'_>) -> Option<(u32, u32)> {
    if bits.number(3)? != 1 {
        return None;
    }
    let format = bits.number(3)?;
    // The rest of OPPTYPE, and MPPTYPE.
    bits.skip(15 + 9);
    if bits.bit()? {
        bits.skip(2);
    }
    if format != 6 {
        return standard_size(format);
    }
    bits.skip(4);
    let width = (bits.number(9)? + 1) * 4;
    bits.bit().filter(|marker| *marker)?;
    let height = bits.number(9)? * 4;
    (height > 0).then_some((width, height))
}

fn standard_size(format: u32) -> Option<(u32, u32)> {
    Some(match format {
        1 => (128, 96),
        2 => (176, 144),
        3 => (352, 288),
        4 => (704, 576),
        5 => (1408, 1152),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Converts a text of binary digits into bytes.
    fn bytes(digits: &str) -> Vec<u8> {
        let digits: Vec<u8> = digits.bytes().filter(|b| *b != b' ').collect();
        let byte = |eight: &[u8]| {
            let value = |sum: u8, (at, digit): (usize, &u8)| sum | (digit - b'0') << (7 - at);
            eight.iter().enumerate().fold(0, value)
        };
        digits.chunks(8).map(byte).collect()
    }

    fn size_of_header(rest: &str) -> Option<(u32, u32)> {
        let start = "0000000000000000100000 00000000";
        picture(&bytes(&format!("{start} {rest} 00000000")))?.size
    }

    #[test]
    fn sizes_are_parsed_from_the_picture_header() {
        assert_eq!(size_of_header("10 000 010"), Some((176, 144)));
        assert_eq!(size_of_header("10 000 101"), Some((1408, 1152)));
        let custom = "10 000 111 001 110 000000000001000 000000001 0 0010 001001111 1 000111100";
        assert_eq!(size_of_header(custom), Some((320, 240)));
        let extended = "10 000 111 001 011 000000000001000 000000001 0";
        assert_eq!(size_of_header(extended), Some((352, 288)));
    }

    #[test]
    fn other_streams_are_rejected() {
        for rest in ["11 000 010", "10 000 000", "10 000 110", "10 000 111 000"] {
            assert_eq!(size_of_header(rest), None, "{rest}");
        }
        assert_eq!(picture(&[]), None);
        assert_eq!(picture(&[0, 0, 1, 0xb3, 0x16, 0x01, 0x20]), None);
    }
}
