//! Conditions for the compression of an asset.

use axum::http::{HeaderMap, header};
use mime::Mime;

/// Returns `true` if the response is compressed: the client accepts gzip, the type is compressible,
/// no range is requested, and the response is not encoded yet.
pub(crate) fn wants_gzip(request: &HeaderMap, mime: &str, answer: &HeaderMap) -> bool {
    accepts_gzip(request)
        && is_compressible(mime)
        && !request.contains_key(header::RANGE)
        && !answer.contains_key(header::CONTENT_ENCODING)
}

/// Returns `true` if compression makes files of this type smaller.
pub(crate) fn is_compressible(mime: &str) -> bool {
    let Ok(mime) = mime.parse::<Mime>() else {
        return false;
    };
    let is_text = |name| [mime::JAVASCRIPT, mime::JSON, mime::XML].contains(&name);
    mime.type_() == mime::TEXT
        || mime.suffix().is_some_and(is_text)
        || is_text(mime.subtype())
        || mime.subtype() == "wasm"
}

/// Parses `Accept-Encoding` with its weights (RFC 9110, section 12.5.3): `gzip;q=0` excludes gzip,
/// and `*` stands for codings that are not listed.
fn accepts_gzip(request: &HeaderMap) -> bool {
    let codings = request
        .get_all(header::ACCEPT_ENCODING)
        .into_iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .map(coding);
    let mut any = None;
    for (name, accepted) in codings {
        match name.as_str() {
            "gzip" | "x-gzip" => return accepted,
            "*" => any = Some(accepted),
            _ => {}
        }
    }
    any.unwrap_or(false)
}

/// Parses the name of a coding, with `true` if its weight is positive.
fn coding(text: &str) -> (String, bool) {
    let mut parts = text.split(';').map(str::trim);
    let name = parts.next().unwrap_or_default().to_ascii_lowercase();
    let weight = parts
        .filter_map(|part| part.split_once('='))
        .find(|(key, _)| key.trim().eq_ignore_ascii_case("q"))
        .map_or(Ok(1.0), |(_, value)| value.trim().parse::<f32>());
    (name, weight.is_ok_and(|weight| weight > 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepted(line: &str) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(
            header::ACCEPT_ENCODING,
            line.parse().expect("a header value"),
        );
        accepts_gzip(&headers)
    }

    #[test]
    fn accept_encoding_weights_decide() {
        for line in [
            "gzip",
            "br, gzip;q=0.1",
            "GZIP",
            "*",
            "*;q=0, gzip",
            "deflate, *;q=0.5",
        ] {
            assert!(accepted(line), "{line}");
        }
        for line in [
            "",
            "br",
            "gzip;q=0",
            "gzip; q=0.000, *",
            "*;q=0",
            "identity",
            "gzip;q=x",
        ] {
            assert!(!accepted(line), "{line}");
        }
    }

    #[test]
    fn response_is_compressed_only_if_all_four_conditions_hold() {
        let mut request = HeaderMap::new();
        let mut answer = HeaderMap::new();
        assert!(!wants_gzip(&request, "text/css", &answer));
        request.insert(header::ACCEPT_ENCODING, "gzip".parse().expect("a value"));
        assert!(wants_gzip(&request, "text/css", &answer));
        assert!(!wants_gzip(&request, "font/woff2", &answer));
        answer.insert(header::CONTENT_ENCODING, "br".parse().expect("a value"));
        assert!(!wants_gzip(&request, "text/css", &answer));
        answer.clear();
        request.insert(header::RANGE, "bytes=0-1".parse().expect("a value"));
        assert!(!wants_gzip(&request, "text/css", &answer));
    }

    #[test]
    fn pictures_fonts_and_media_are_not_compressed() {
        for mime in [
            "text/html; charset=utf-8",
            "text/javascript",
            "image/svg+xml",
            "application/wasm",
            "application/manifest+json",
        ] {
            assert!(is_compressible(mime), "{mime}");
        }
        for mime in [
            "image/png",
            "font/woff2",
            "application/octet-stream",
            "audio/mpeg",
        ] {
            assert!(!is_compressible(mime), "{mime}");
        }
    }
}
