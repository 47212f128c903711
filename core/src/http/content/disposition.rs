//! `Content-Disposition` for downloads, with a file name that is safe and that every client can
//! parse.

use std::fmt::Write as _;

use axum::http::HeaderValue;

/// Returns a header that makes the client save the response as `name`. It contains an ASCII name
/// for old clients and the full name as RFC 8187 defines it.
pub fn attachment(name: &str) -> HeaderValue {
    let name: String = name
        .chars()
        .map(|c| if is_safe(c) { c } else { '_' })
        .collect();
    let plain: String = name
        .chars()
        .map(|c| match c {
            // Some clients decode percent signs, and clients disagree on escaped quotes.
            '"' | '\\' | '%' => '_',
            c if c.is_ascii() => c,
            _ => '_',
        })
        .collect();
    let value = format!(
        "attachment; filename=\"{plain}\"; filename*=UTF-8''{}",
        percent_encoded(&name)
    );
    HeaderValue::try_from(value).expect("printable ASCII is a header value")
}

/// Returns `false` for path separators, control characters, and invisible characters that make a
/// name look like another one.
fn is_safe(c: char) -> bool {
    let invisible = matches!(c,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
    !(c.is_control() || invisible || matches!(c, '/' | '\\'))
}

/// Percent-encodes every byte that is not an `attr-char` of RFC 8187.
fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len() * 3);
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"!#$&+-.^_`|~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            write!(encoded, "%{byte:02X}").expect("a string takes all that is written to it");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn attachment_escapes_names() {
        for (name, expected) in [
            (
                "Dune.epub",
                "attachment; filename=\"Dune.epub\"; filename*=UTF-8''Dune.epub",
            ),
            (
                "Ström & Söner 50%.pdf",
                "attachment; filename=\"Str_m & S_ner 50_.pdf\"; \
                 filename*=UTF-8''Str%C3%B6m%20&%20S%C3%B6ner%2050%25.pdf",
            ),
            (
                "a\"b\\c/d\r\nX-Evil: 1.txt",
                "attachment; filename=\"a_b_c_d__X-Evil: 1.txt\"; \
                 filename*=UTF-8''a%22b_c_d__X-Evil%3A%201.txt",
            ),
            (
                "gpj\u{202e}exe.\u{fffd}",
                "attachment; filename=\"gpj_exe._\"; filename*=UTF-8''gpj_exe.%EF%BF%BD",
            ),
        ] {
            assert_eq!(
                attachment(name).to_str().expect("ASCII"),
                expected,
                "{name:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn arbitrary_name_becomes_one_quoted_string(name in any::<String>()) {
            let value = attachment(&name);
            let text = value.to_str().expect("printable ASCII");
            prop_assert_eq!(text.matches('"').count(), 2);
            prop_assert!(!text.contains('\\') && !text.contains('/'));
        }
    }
}
