//! Addresses of requests and redirects.

use url::Url;

use crate::registry::provider::{AskError, origin};

/// Parses an absolute `http` or `https` address without a user name.
pub(super) fn parse(url: &str) -> Result<Url, AskError> {
    let url = Url::parse(url).map_err(|_| malformed())?;
    checked(url)
}

/// Returns the address of a redirect.
///
/// # Errors
/// Refuses addresses other than `http` and `https`, and redirects from `https` to `http`.
pub(super) fn redirect_target(from: &Url, location: &str) -> Result<Url, AskError> {
    let to = checked(from.join(location).map_err(|_| malformed())?)?;
    if from.scheme() == "https" && to.scheme() != "https" {
        let what = "a redirect leads from https to http";
        return Err(AskError::Refused(what.to_owned()));
    }
    Ok(to)
}

fn checked(mut url: Url) -> Result<Url, AskError> {
    if origin(&url).is_none() {
        let what = "the address is not a valid http or https address";
        return Err(AskError::Refused(what.to_owned()));
    }
    url.set_fragment(None);
    Ok(url)
}

fn malformed() -> AskError {
    AskError::Malformed("an address is malformed".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirect_target_accepts_every_form_of_location() {
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
            let target = redirect_target(&from, location).expect(location);
            assert_eq!(target.as_str(), to, "{location}");
        }
    }

    #[test]
    fn redirect_target_refuses_other_schemes_and_downgrades() {
        let from = parse("https://a.example/").expect("an address");
        for location in [
            "http://a.example/",
            "file:///etc/passwd",
            "gopher://a.example/",
            "javascript:alert(1)",
            "https://user:word@b.example/",
            "https://b.example:0/",
            "https://b exa.example/",
            "https://[::1/",
        ] {
            assert!(redirect_target(&from, location).is_err(), "{location}");
        }
        let from = parse("http://a.example/").expect("an address");
        assert!(redirect_target(&from, "https://a.example/").is_ok());
    }
}
