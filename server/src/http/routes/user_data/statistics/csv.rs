//! Sessions as comma-separated values (RFC 4180).

use std::borrow::Cow;

use ledge_core::store::user_data::statistics::session_list::Session;

const HEADER: &str = "start,end,kind,item_id,title,seconds,pages\n";

/// Returns the sessions as text with a header line.
pub(super) fn of_sessions(sessions: &[Session]) -> String {
    let mut text = String::from(HEADER);
    for session in sessions {
        let cells = [
            session.start.to_string(),
            session.end.to_string(),
            session.kind.clone(),
            session.item_id.map(|id| id.to_string()).unwrap_or_default(),
            session.title.clone().unwrap_or_default(),
            session.seconds.to_string(),
            session.pages.to_string(),
        ];
        let cells: Vec<Cow<'_, str>> = cells.iter().map(|text| cell(text)).collect();
        text.push_str(&cells.join(","));
        text.push('\n');
    }
    text
}

/// Quotes a cell if necessary. A cell that a spreadsheet would run as a formula gets a prefix.
fn cell(text: &str) -> Cow<'_, str> {
    let plain = if text.starts_with(['=', '+', '-', '@']) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    };
    if plain.contains([',', '"', '\n', '\r']) {
        return Cow::Owned(format!("\"{}\"", plain.replace('"', "\"\"")));
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cell_is_quoted_and_never_a_formula() {
        for (text, expected) in [
            ("Emma", "Emma"),
            ("One, two", "\"One, two\""),
            ("The \"best\"", "\"The \"\"best\"\"\""),
            ("two\nlines", "\"two\nlines\""),
            ("=1+1", "'=1+1"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@SUM(A1,A2)", "\"'@SUM(A1,A2)\""),
            ("a=b", "a=b"),
            ("", ""),
        ] {
            assert_eq!(cell(text), expected);
        }
    }
}
