//! Where a redirect leads, and whether it may be followed.

use ureq::http::Uri;

use crate::registry::provider::{AskError, origin};

/// An absolute address of the web, without a user's name.
pub(super) fn parse(url: &str) -> Result<Uri, AskError> {
    let url = url.split('#').next().unwrap_or_default();
    let uri: Uri = url
        .parse()
        .map_err(|_| AskError::Malformed("an address is malformed".to_owned()))?;
    match origin(&uri) {
        Some(_) => Ok(uri),
        None => Err(AskError::Refused(
            "an address is none of the web".to_owned(),
        )),
    }
}

/// The address a redirect leads to.
pub(super) fn target(from: &Uri, location: &str) -> Result<Uri, AskError> {
    let location = location.trim();
    let own = origin(from).unwrap_or_default();
    let folder = from
        .path()
        .rfind('/')
        .map_or("/", |slash| from.path().get(..=slash).unwrap_or("/"));
    let url = if is_absolute(location) {
        location.to_owned()
    } else if location.starts_with("//") {
        format!("{}:{location}", from.scheme_str().unwrap_or("https"))
    } else if location.starts_with('/') {
        format!("{own}{location}")
    } else if location.starts_with('?') {
        format!("{own}{}{location}", from.path())
    } else {
        format!("{own}{folder}{location}")
    };
    let to = parse(&url)?;
    if is_https(from) && !is_https(&to) {
        let what = "a redirect leads from https to http";
        return Err(AskError::Refused(what.to_owned()));
    }
    Ok(to)
}

fn is_https(uri: &Uri) -> bool {
    uri.scheme_str()
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("https"))
}

/// Whether it begins with a scheme: a colon before any slash, question mark or hash.
fn is_absolute(location: &str) -> bool {
    location
        .find([':', '/', '?', '#'])
        .is_some_and(|at| location.get(at..).is_some_and(|rest| rest.starts_with(':')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_a_location_is_understood() {
        let from = parse("https://a.example:444/one/two?q#f").expect("an address");
        for (location, to) in [
            ("https://b.example/x", "https://b.example/x"),
            ("HTTPS://b.example/x", "https://b.example/x"),
            ("//b.example/x", "https://b.example/x"),
            ("/x?y", "https://a.example:444/x?y"),
            ("?y", "https://a.example:444/one/two?y"),
            ("x", "https://a.example:444/one/x"),
            (" /x#part ", "https://a.example:444/x"),
            ("/x:y", "https://a.example:444/x:y"),
        ] {
            let target = target(&from, location).expect(location).to_string();
            assert_eq!(target.replace("HTTPS", "https"), to, "{location}");
        }
    }

    #[test]
    fn what_is_no_address_of_the_web_or_less_safe_is_refused() {
        let from = parse("https://a.example/").expect("an address");
        for location in [
            "http://a.example/",
            "file:///etc/passwd",
            "gopher://a.example/",
            "javascript:alert(1)",
            "https://user:word@b.example/",
            "https://b.example:0/",
            "https:///x",
            "https://b exa.example/",
            "https://[::1/",
        ] {
            assert!(target(&from, location).is_err(), "{location}");
        }
        let from = parse("http://a.example/").expect("an address");
        assert!(target(&from, "https://a.example/").is_ok());
    }
}
