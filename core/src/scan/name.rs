//! Names as bytes and as text: file systems know bytes, people and kinds read text.

/// The bytes as text; those that are no UTF-8 as `\xNN`, so that unlike names stay unlike.
pub fn display(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_utf8_are_shown_and_told_apart() {
        assert_eq!(display("Çédille.epub".as_bytes()), "Çédille.epub");
        assert_eq!(display(b"caf\xe9.epub"), "caf\\xe9.epub");
        assert_ne!(display(b"\xfe"), display(b"\xff"));
    }
}
