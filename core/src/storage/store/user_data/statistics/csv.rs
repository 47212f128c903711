//! Sessions as comma-separated values.

use std::borrow::Cow;

use super::session_list::Session;
use crate::text::csv::cell;

const HEADER: &str = "start,end,kind,item_id,title,seconds,pages\n";

/// Returns the sessions as text with a header line.
pub fn of_sessions(sessions: &[Session]) -> String {
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
