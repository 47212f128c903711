//! Response to a request for a media file: the whole file, ranges, not modified, or an error.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;

use super::body::{FileBody, Segment};
use super::conditional::{Validators, Verdict};
use super::direct::Direct;
use super::disposition::attachment;
use super::range::{self, ByteRange, Wanted};
use crate::fs::media_file::MediaFile;
use crate::http::{ApiError, ApiResult};
use crate::rng::random_bytes;

/// Presentation of a file to the client.
#[derive(Debug, Clone)]
pub struct Presentation {
    /// Media type.
    pub mime: &'static str,
    /// Id of the file, which is part of the entity tag together with size and time.
    pub id: i64,
    /// File name for a download, or `None` to display the file.
    pub download: Option<String>,
    /// Handle for zero-copy sending, if the request's connection supports it.
    pub direct: Option<Direct>,
}

/// Responds to a `GET` or `HEAD` with the bytes of an open file, unchanged.
///
/// Ranges apply to `GET` only. The file is untrusted: the response headers prevent it from running
/// code in a browser.
pub fn respond(
    file: MediaFile,
    presentation: &Presentation,
    method: &Method,
    headers: &HeaderMap,
) -> ApiResult<Response> {
    let validators = Validators {
        etag: format!(
            "\"{:x}-{:x}-{:x}\"",
            file.size, file.mtime_ns, presentation.id
        ),
        modified: file.modified(),
    };
    let mut response = match validators.judge(headers) {
        Verdict::Failed => return Err(ApiError::PreconditionFailed),
        Verdict::NotModified => StatusCode::NOT_MODIFIED.into_response(),
        Verdict::Proceed => {
            let wanted = if method == Method::GET && validators.allow_range(headers) {
                wanted(headers, file.size)
            } else {
                Wanted::Whole
            };
            let mut response = bytes(file, wanted, presentation);
            if method == Method::HEAD {
                *response.body_mut() = Body::empty();
            }
            response
        }
    };
    validators.write(response.headers_mut());
    write_fixed(&mut response);
    if let Some(name) = &presentation.download {
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_DISPOSITION, attachment(name));
    }
    Ok(response)
}

/// Parses the request's `Range`. Two such headers count as malformed.
pub(super) fn wanted(headers: &HeaderMap, size: u64) -> Wanted {
    let mut values = headers.get_all(header::RANGE).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value
            .to_str()
            .map_or(Wanted::Whole, |text| range::parse(text, size)),
        _ => Wanted::Whole,
    }
}

fn bytes(file: MediaFile, wanted: Wanted, presentation: &Presentation) -> Response {
    let size = file.size;
    let mime = presentation.mime;
    let body = |segments: Vec<Segment>| {
        FileBody::new(file.file, segments).sent_by(presentation.direct.clone())
    };
    match wanted {
        Wanted::Unsatisfiable => ApiError::RangeNotSatisfiable(size).into_response(),
        Wanted::Whole => {
            let whole = size.checked_sub(1).map(|last| ByteRange { first: 0, last });
            let body = body(whole.map(Segment::File).into_iter().collect());
            send(StatusCode::OK, HeaderValue::from_static(mime), body)
        }
        Wanted::One(range) => {
            let body = body(vec![Segment::File(range)]);
            let mime = HeaderValue::from_static(mime);
            let mut response = send(StatusCode::PARTIAL_CONTENT, mime, body);
            let content_range = ascii(range.content_range(size));
            let headers = response.headers_mut();
            headers.insert(header::CONTENT_RANGE, content_range);
            response
        }
        Wanted::Many(ranges) => {
            let boundary = format!("{:032x}", u128::from_le_bytes(random_bytes()));
            let body = body(parts(&ranges, &boundary, mime, size));
            let mime = ascii(format!("multipart/byteranges; boundary={boundary}"));
            send(StatusCode::PARTIAL_CONTENT, mime, body)
        }
    }
}

fn send(status: StatusCode, mime: HeaderValue, body: FileBody) -> Response {
    let length = body.remaining();
    let mut response = (status, Body::new(body)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, mime);
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    response
}

/// Returns the ranges as the parts of a `multipart/byteranges` body (RFC 9110, section 14.6).
fn parts(ranges: &[ByteRange], boundary: &str, mime: &str, size: u64) -> Vec<Segment> {
    let mut segments = Vec::with_capacity(ranges.len() * 2 + 1);
    let mut line_end = "";
    for range in ranges {
        segments.push(text(format!(
            "{line_end}--{boundary}\r\nContent-Type: {mime}\r\nContent-Range: {}\r\n\r\n",
            range.content_range(size)
        )));
        segments.push(Segment::File(*range));
        line_end = "\r\n";
    }
    segments.push(text(format!("\r\n--{boundary}--\r\n")));
    segments
}

fn text(text: String) -> Segment {
    Segment::Text(Bytes::from(text))
}

fn ascii(text: String) -> HeaderValue {
    HeaderValue::try_from(text).expect("printable ASCII is a header value")
}

/// Writes the headers that every response about a media file has. Responses with a client error
/// must not be cached.
pub(super) fn write_fixed(response: &mut Response) {
    let is_refused = response.status().is_client_error();
    let keep = if is_refused {
        "no-store"
    } else {
        "private, no-cache"
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::ACCEPT_RANGES, "bytes"),
        (header::CACHE_CONTROL, keep),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CONTENT_SECURITY_POLICY, "sandbox"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

#[cfg(test)]
mod tests;
