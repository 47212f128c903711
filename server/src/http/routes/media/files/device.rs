//! Name of the client's program, from the header `User-Agent` (RFC 9110, section 10.1.5).

use axum::http::{HeaderMap, header};

/// Longest name in characters.
const MAX_NAME: usize = 60;

/// Browsers with the token that identifies them. Most also send the tokens of the later ones.
const BROWSERS: [(&str, &str); 8] = [
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];

/// Systems with the text that identifies them. Android also sends the one of Linux.
const SYSTEMS: [(&str, &str); 7] = [
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Macintosh", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
];

/// Returns the browser with its system, or the first product of another program.
pub(super) fn of_request(headers: &HeaderMap) -> Option<String> {
    let agent = headers.get(header::USER_AGENT)?.to_str().ok()?.trim();
    let find = |known: &[(&'static str, &'static str)]| {
        let found = known.iter().find(|(token, _)| agent.contains(token));
        found.map(|(_, name)| *name)
    };
    let browser = agent
        .starts_with("Mozilla/")
        .then(|| find(&BROWSERS))
        .flatten();
    let name = match (browser, find(&SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser}, {system}"),
        (Some(browser), None) => browser.to_owned(),
        (None, _) => agent.split(' ').next().unwrap_or_default().to_owned(),
    };
    let name: String = name.chars().take(MAX_NAME).collect();
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn browser_is_named_with_its_system_and_others_by_their_product() {
        for (agent, expected) in [
            (
                "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
                Some("Firefox, Linux"),
            ),
            (
                "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) \
                 Chrome/140.0.0.0 Mobile Safari/537.36",
                Some("Chrome, Android"),
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) \
                 Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0",
                Some("Edge, Windows"),
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 \
                 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
                Some("Safari, iPhone"),
            ),
            ("VLC/3.0.20 LibVLC/3.0.20", Some("VLC/3.0.20")),
            ("mpv 0.40.0", Some("mpv")),
            ("", None),
        ] {
            let mut headers = HeaderMap::new();
            let value = HeaderValue::from_str(agent).expect("a header value");
            headers.insert(header::USER_AGENT, value);
            assert_eq!(of_request(&headers).as_deref(), expected, "{agent}");
        }
        assert_eq!(of_request(&HeaderMap::new()), None);
    }
}
