//! Conditional requests (RFC 9110, section 13), so that a client does not receive data that it
//! already has.

use std::time::SystemTime;

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

/// Validators of one state of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Validators {
    /// Strong entity tag, including its quotes.
    pub etag: String,
    /// Modification time in whole seconds.
    pub modified: Option<SystemTime>,
}

/// Result of evaluating the preconditions of a `GET` or `HEAD`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The request continues as if it had no preconditions.
    Proceed,
    /// 304: the client has this state.
    NotModified,
    /// 412: the client requires another state.
    Failed,
}

impl Validators {
    /// Creates validators with only an entity tag. `etag` must include its quotes.
    pub fn tagged(etag: &str) -> Self {
        Self {
            etag: etag.to_owned(),
            modified: None,
        }
    }

    /// Evaluates a request's preconditions in the order of RFC 9110, section 13.2.2.
    pub fn judge(&self, headers: &HeaderMap) -> Verdict {
        if headers.contains_key(header::IF_MATCH) {
            if !self.any_matches(headers, &header::IF_MATCH, false) {
                return Verdict::Failed;
            }
        } else if let (Some(modified), Some(since)) =
            (self.modified, date(headers, &header::IF_UNMODIFIED_SINCE))
            && modified > since
        {
            return Verdict::Failed;
        }
        let unchanged = if headers.contains_key(header::IF_NONE_MATCH) {
            self.any_matches(headers, &header::IF_NONE_MATCH, true)
        } else {
            let since = date(headers, &header::IF_MODIFIED_SINCE);
            matches!((self.modified, since), (Some(modified), Some(since)) if modified <= since)
        };
        if unchanged {
            Verdict::NotModified
        } else {
            Verdict::Proceed
        }
    }

    /// Returns `true` if a `Range` may be applied: there is no `If-Range`, or it names exactly this
    /// state.
    pub fn allow_range(&self, headers: &HeaderMap) -> bool {
        let Some(value) = headers.get(header::IF_RANGE) else {
            return true;
        };
        let Ok(text) = value.to_str() else {
            return false;
        };
        let same_time = || {
            let time = httpdate::parse_http_date(text).ok();
            time.is_some() && time == self.modified
        };
        text == self.etag || same_time()
    }

    /// Writes `ETag` and `Last-Modified` into the headers of a response.
    pub fn write(&self, headers: &mut HeaderMap) {
        if let Ok(etag) = HeaderValue::try_from(&self.etag) {
            headers.insert(header::ETAG, etag);
        }
        if let Some(modified) = self.modified {
            let date = HeaderValue::try_from(httpdate::fmt_http_date(modified))
                .expect("a date is a header value");
            headers.insert(header::LAST_MODIFIED, date);
        }
    }

    fn any_matches(&self, headers: &HeaderMap, name: &HeaderName, weak: bool) -> bool {
        let values = headers.get_all(name).iter();
        let texts = values.filter_map(|value| value.to_str().ok());
        texts.flat_map(entity_tags).any(|tag| {
            let tag = if weak {
                tag.trim_start_matches("W/")
            } else {
                tag
            };
            tag == "*" || tag == self.etag
        })
    }
}

/// Splits a list of entity tags. A tag may contain a comma, so the quotes decide where it ends.
pub(crate) fn entity_tags(list: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    list.split(move |c| {
        quoted ^= c == '"';
        c == ',' && !quoted
    })
    .map(str::trim)
}

fn date(headers: &HeaderMap, name: &HeaderName) -> Option<SystemTime> {
    httpdate::parse_http_date(headers.get(name)?.to_str().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const BEFORE: &str = "Fri, 20 Nov 2026 17:25:59 GMT";
    const THEN: &str = "Fri, 20 Nov 2026 17:26:00 GMT";
    const AFTER: &str = "Fri, 20 Nov 2026 17:26:01 GMT";

    fn validators() -> Validators {
        Validators {
            etag: "\"a,1\"".to_owned(),
            modified: Some(SystemTime::UNIX_EPOCH + Duration::from_mins(29_919_926)),
        }
    }

    fn headers(list: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in list {
            let value = HeaderValue::try_from(*value).expect("a value");
            headers.append(HeaderName::from_static(name), value);
        }
        headers
    }

    #[test]
    fn preconditions_are_evaluated_in_standard_order() {
        use Verdict::{Failed, NotModified, Proceed};
        for (list, verdict) in [
            (&[][..], Proceed),
            (&[("if-none-match", "\"a,1\"")], NotModified),
            (&[("if-none-match", "W/\"a,1\"")], NotModified),
            (&[("if-none-match", "\"x\", \"a,1\"")], NotModified),
            (&[("if-none-match", "*")], NotModified),
            (&[("if-none-match", "\"x\"")], Proceed),
            (&[("if-none-match", "a,1")], Proceed),
            (&[("if-modified-since", THEN)], NotModified),
            (&[("if-modified-since", AFTER)], NotModified),
            (&[("if-modified-since", BEFORE)], Proceed),
            (&[("if-modified-since", "yesterday")], Proceed),
            // If both are sent, the tag decides.
            (
                &[("if-none-match", "\"x\""), ("if-modified-since", AFTER)],
                Proceed,
            ),
            (&[("if-match", "\"a,1\"")], Proceed),
            (&[("if-match", "*")], Proceed),
            (&[("if-match", "\"x\"")], Failed),
            // A weak tag does not prove that bytes are equal.
            (&[("if-match", "W/\"a,1\"")], Failed),
            (&[("if-unmodified-since", THEN)], Proceed),
            (&[("if-unmodified-since", BEFORE)], Failed),
            (
                &[("if-match", "\"a,1\""), ("if-unmodified-since", BEFORE)],
                Proceed,
            ),
            (
                &[("if-match", "\"x\""), ("if-none-match", "\"a,1\"")],
                Failed,
            ),
            (
                &[("if-none-match", "\"x\""), ("if-none-match", "\"a,1\"")],
                NotModified,
            ),
        ] {
            assert_eq!(validators().judge(&headers(list)), verdict, "{list:?}");
        }
    }

    #[test]
    fn if_range_requires_exact_state() {
        for (list, allowed) in [
            (&[][..], true),
            (&[("if-range", "\"a,1\"")], true),
            (&[("if-range", "W/\"a,1\"")], false),
            (&[("if-range", "\"x\"")], false),
            (&[("if-range", "*")], false),
            (&[("if-range", THEN)], true),
            (&[("if-range", BEFORE)], false),
            (&[("if-range", AFTER)], false),
            (&[("if-range", "")], false),
        ] {
            assert_eq!(
                validators().allow_range(&headers(list)),
                allowed,
                "{list:?}"
            );
        }
    }
}
