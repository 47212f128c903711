//! Reading an answer's body: decompressed, and never more of it than is wanted.

use std::io::{self, Read};

use flate2::read::MultiGzDecoder;
use ureq::http::HeaderMap;
use ureq::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};

use super::errand::said;
use crate::registry::provider::AskError;

/// The whole body; the limit holds for what is sent and for what becomes of it.
pub(super) fn read(headers: &HeaderMap, body: impl Read, limit: u64) -> Result<Vec<u8>, AskError> {
    let announced = text(headers, CONTENT_LENGTH).parse::<u64>();
    if announced.is_ok_and(|length| length > limit) {
        return Err(AskError::TooLarge);
    }
    // One more than the limit tells what is too large.
    let sent = body.take(limit + 1);
    let mut bytes = Vec::new();
    let read = match text(headers, CONTENT_ENCODING)
        .to_ascii_lowercase()
        .as_str()
    {
        "" | "identity" => { sent }.read_to_end(&mut bytes),
        "gzip" | "x-gzip" => MultiGzDecoder::new(sent)
            .take(limit + 1)
            .read_to_end(&mut bytes),
        _ => {
            let what = "the answer is encoded in a way that was not asked for";
            return Err(AskError::Malformed(what.to_owned()));
        }
    };
    if bytes.len() as u64 > limit {
        return Err(AskError::TooLarge);
    }
    read.map_err(failed)?;
    Ok(bytes)
}

fn failed(error: io::Error) -> AskError {
    match error.kind() {
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            AskError::Malformed("the answer's compression is damaged".to_owned())
        }
        _ => said(ureq::Error::Io(error)),
    }
}

/// The media type without its parameters.
pub(super) fn content_type(headers: &HeaderMap) -> String {
    let value = text(headers, CONTENT_TYPE);
    let essence = value.split(';').next().unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}

/// A header field as text; empty where it is absent or none.
pub(super) fn text(headers: &HeaderMap, name: ureq::http::HeaderName) -> &str {
    let value = headers.get(name).and_then(|value| value.to_str().ok());
    value.unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn headers(fields: &[(ureq::http::HeaderName, &'static str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in fields {
            map.insert(name, value.parse().expect("a value"));
        }
        map
    }

    fn zipped(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).expect("room");
        encoder.finish().expect("room")
    }

    #[test]
    fn a_body_within_the_limit_is_read() {
        let plain = read(&headers(&[]), &b"abc"[..], 3);
        assert_eq!(plain, Ok(b"abc".to_vec()));
        let gzip = headers(&[(CONTENT_ENCODING, "gzip")]);
        assert_eq!(
            read(&gzip, zipped(b"abc").as_slice(), 100),
            Ok(b"abc".to_vec())
        );
    }

    #[test]
    fn what_is_larger_is_refused_however_it_comes() {
        assert_eq!(
            read(&headers(&[]), &b"abcd"[..], 3),
            Err(AskError::TooLarge)
        );
        let announced = headers(&[(CONTENT_LENGTH, "4")]);
        assert_eq!(read(&announced, io::empty(), 3), Err(AskError::TooLarge));
        let gzip = headers(&[(CONTENT_ENCODING, "gzip")]);
        let bomb = zipped(&vec![0; 10 << 20]);
        assert!(bomb.len() < 16 << 10);
        assert_eq!(
            read(&gzip, bomb.as_slice(), 1 << 20),
            Err(AskError::TooLarge)
        );
    }

    #[test]
    fn what_cannot_be_decompressed_is_malformed() {
        let gzip = headers(&[(CONTENT_ENCODING, "gzip")]);
        assert!(matches!(
            read(&gzip, &b"not zipped at all"[..], 100),
            Err(AskError::Malformed(_))
        ));
        let brotli = headers(&[(CONTENT_ENCODING, "br")]);
        assert!(matches!(
            read(&brotli, &b"abc"[..], 100),
            Err(AskError::Malformed(_))
        ));
    }
}
