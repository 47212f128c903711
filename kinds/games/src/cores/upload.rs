//! Taking a file of an administrator: its size is bounded, its kind is looked at.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use ledge_core::http::{ApiError, ApiResult};
use ledge_core::registry::OCTET_STREAM;

use super::Part;
use super::folder::LIMIT;

/// How long a whole upload may take.
const TIME: Duration = Duration::from_mins(5);

/// The body of a request: of the right type, whole, and not too long.
pub(super) async fn receive(headers: &HeaderMap, body: Body) -> ApiResult<Bytes> {
    if !is_octet_stream(headers) {
        return Err(ApiError::UnsupportedMediaType(OCTET_STREAM));
    }
    let declared = headers.get(header::CONTENT_LENGTH);
    let declared = declared.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if declared.is_some_and(|length| length > LIMIT) {
        return Err(too_large());
    }
    let limit = usize::try_from(LIMIT).map_err(ApiError::internal)?;
    let body = Limited::new(body, limit).collect();
    match tokio::time::timeout(TIME, body).await {
        Ok(Ok(whole)) => Ok(whole.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => Err(ApiError::BadRequest("The upload was cut short.".to_owned())),
        Err(_) => Err(ApiError::BadRequest(
            "The upload came too slowly.".to_owned(),
        )),
    }
}

/// Refuses what cannot be this part of a core.
pub(super) fn check(part: Part, bytes: &[u8]) -> ApiResult<()> {
    let problem = match part {
        Part::Wasm if !bytes.starts_with(b"\0asm\x01\0\0\0") => "This is no WebAssembly module.",
        Part::Script if !is_core_script(bytes) => {
            "This is not the script of a core: it defines no EJS_Runtime."
        }
        Part::Licence if std::str::from_utf8(bytes).is_err() => "This is no text.",
        _ => return Ok(()),
    };
    Err(ApiError::invalid("file", problem))
}

fn is_core_script(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| text.contains("EJS_Runtime"))
}

fn is_octet_stream(headers: &HeaderMap) -> bool {
    let value = headers.get(header::CONTENT_TYPE);
    let text = value.and_then(|value| value.to_str().ok()).unwrap_or("");
    let essence = text.split(';').next().unwrap_or(text);
    essence.trim().eq_ignore_ascii_case(OCTET_STREAM)
}

fn too_large() -> ApiError {
    ApiError::PayloadTooLarge("A core or BIOS file has at most 32 MiB.".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_what_its_name_says() {
        for (part, bytes, fits) in [
            (Part::Wasm, &b"\0asm\x01\0\0\0more"[..], true),
            (Part::Wasm, b"\0asm\x02\0\0\0", false),
            (Part::Wasm, b"", false),
            (Part::Script, b"var EJS_Runtime=()=>{}", true),
            (Part::Script, b"alert(1)", false),
            (Part::Script, b"EJS_Runtime\xff", false),
            (Part::Licence, b"Free", true),
            (Part::Licence, b"\xff\xfe", false),
        ] {
            assert_eq!(check(part, bytes).is_ok(), fits, "{part:?} {bytes:?}");
        }
    }
}
