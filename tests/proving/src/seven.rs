//! 7z archives, built byte by byte (7zFormat.txt).

/// Returns a 7z archive of these files, each stored in a separate block.
pub fn seven(files: &[(&str, &[u8])]) -> Vec<u8> {
    seven_coded(files, &[1, 0])
}

/// Returns a 7z archive whose blocks all declare this coder: flags, method and properties.
pub fn seven_coded(files: &[(&str, &[u8])], coder: &[u8]) -> Vec<u8> {
    let count = u8::try_from(files.len()).expect("few");
    let sizes = || {
        files.iter().flat_map(|(_, bytes)| {
            let size = u16::try_from(bytes.len()).expect("small").to_le_bytes();
            // 7z number with two further bytes.
            [&[0xc0], size.as_slice()].concat()
        })
    };
    let mut header = vec![1, 4, 6, 0, count, 9];
    header.extend(sizes());
    header.extend([0, 7, 0x0b, count, 0]);
    for _ in files {
        header.push(1);
        header.extend(coder);
    }
    header.push(0x0c);
    header.extend(sizes());
    header.extend([0, 8, 0, 0, 5, count, 0x11]);
    let names: Vec<u8> = files
        .iter()
        .flat_map(|(name, _)| name.encode_utf16().chain([0]))
        .flat_map(u16::to_le_bytes)
        .collect();
    let length = u16::try_from(names.len() + 1).expect("short").to_le_bytes();
    header.extend([&[0xc0], length.as_slice(), &[0]].concat());
    header.extend(names);
    header.extend([0, 0]);
    let content: Vec<u8> = files.iter().flat_map(|(_, bytes)| bytes.to_vec()).collect();
    let mut start = (content.len() as u64).to_le_bytes().to_vec();
    start.extend((header.len() as u64).to_le_bytes());
    start.extend(crc(&header));
    let mut out = b"7z\xbc\xaf\x27\x1c\0\x04".to_vec();
    out.extend(crc(&start));
    out.extend(start);
    out.extend(content);
    out.extend(header);
    out
}

/// Returns the CRC-32 of ZIP and 7z in little-endian order.
fn crc(bytes: &[u8]) -> [u8; 4] {
    let one = |sum: u32, byte: &u8| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg())
        })
    };
    (!bytes.iter().fold(!0, one)).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crc_matches_standard_values() {
        assert_eq!(crc(b"123456789"), 0xcbf4_3926_u32.to_le_bytes());
    }
}
