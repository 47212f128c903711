//! A user's year as a picture: totals, calendar, and the authors and kinds with the most time.

use std::collections::HashMap;
use std::fmt::Write as _;

use ledge_core::store::user_data::statistics::Entry;
use ledge_core::store::user_data::statistics::year::YearOverview;
use ledge_core::store::user_data::statistics::zone::Date;

/// Distance of two days of the calendar in pixels.
const STEP: i32 = 15;
/// Top left corner of the calendar.
const CALENDAR: (i32, i32) = (40, 170);
/// Colours of a day by time: none, and four steps.
const COLOURS: [&str; 5] = ["#ebe7df", "#f3d9a4", "#e6b35a", "#c98a1b", "#8a5a00"];
/// Number of lines of a list.
const LINES: usize = 5;
/// Largest number of characters of a name.
const MAX_NAME: usize = 32;
const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// Returns the picture as an SVG document.
pub(super) fn draw(year: &YearOverview) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 880 480\" width=\"880\" \
         height=\"480\" role=\"img\" font-family=\"sans-serif\" fill=\"#2b2620\">\n\
         <title>The year {0}</title>\n\
         <rect width=\"880\" height=\"480\" fill=\"#faf7f1\"/>\n\
         <text x=\"40\" y=\"62\" font-size=\"34\" font-weight=\"bold\">{0}</text>\n",
        year.year
    );
    draw_totals(&mut svg, year);
    draw_calendar(&mut svg, year);
    let authors = year.authors.iter().map(|author| &author.entry);
    draw_list(&mut svg, 40, "Authors", authors);
    draw_list(&mut svg, 340, "Genres", year.genres.iter());
    draw_list(&mut svg, 620, "Kinds", year.by_kind.iter());
    svg.push_str("</svg>\n");
    svg
}

fn draw_totals(svg: &mut String, year: &YearOverview) {
    let totals = [
        (duration(year.seconds), "time"),
        (year.pages.to_string(), "pages"),
        (year.finished.len().to_string(), "finished"),
        (year.longest_streak.to_string(), "longest streak in days"),
    ];
    for (x, (value, label)) in (40..).step_by(200).zip(totals) {
        write!(
            svg,
            "<text x=\"{x}\" y=\"110\" font-size=\"26\">{value}</text>\n\
             <text x=\"{x}\" y=\"130\" font-size=\"13\" fill=\"#6d655a\">{label}</text>\n"
        )
        .expect("a string takes any text");
    }
}

/// Formats a time as hours and minutes.
fn duration(seconds: i64) -> String {
    let minutes = seconds / 60;
    format!("{} h {:02} min", minutes / 60, minutes % 60)
}

/// Draws one square per day, one column per week.
fn draw_calendar(svg: &mut String, year: &YearOverview) {
    let seconds: HashMap<&str, i64> = year
        .calendar
        .iter()
        .map(|day| (day.date.as_str(), day.seconds))
        .collect();
    let longest = seconds.values().copied().max().unwrap_or(0);
    let first = Date::new(year.year, 1, 1).ok();
    let days = std::iter::successors(first, |day| day.tomorrow().ok());
    let mut column = 0;
    for day in days.take_while(|day| day.year() == year.year) {
        let weekday = i32::from(day.weekday().to_monday_zero_offset());
        if weekday == 0 && day.day_of_year() > 1 {
            column += 1;
        }
        let (x, y) = (CALENDAR.0 + column * STEP, CALENDAR.1 + weekday * STEP);
        if day.day() == 1 {
            let month = usize::try_from(day.month() - 1).ok();
            let month = month.and_then(|n| MONTHS.get(n)).unwrap_or(&"");
            let above = CALENDAR.1 - 8;
            writeln!(
                svg,
                "<text x=\"{x}\" y=\"{above}\" font-size=\"12\" fill=\"#6d655a\">{month}</text>"
            )
            .expect("a string takes any text");
        }
        let date = day.to_string();
        let spent = seconds.get(date.as_str()).copied();
        let colour = colour(spent, longest);
        let label = duration(spent.unwrap_or(0));
        writeln!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"12\" height=\"12\" rx=\"2\" fill=\"{colour}\">\
             <title>{date}: {label}</title></rect>"
        )
        .expect("a string takes any text");
    }
}

/// Returns the colour of a day. Days with a session never look empty.
fn colour(seconds: Option<i64>, longest: i64) -> &'static str {
    let step = match seconds {
        None => 0,
        Some(seconds) => 1 + (seconds.saturating_mul(4) / longest.max(1)).clamp(0, 3),
    };
    let step = usize::try_from(step).unwrap_or(0);
    COLOURS.get(step).copied().unwrap_or("#8a5a00")
}

fn draw_list<'a>(
    svg: &mut String,
    x: i32,
    heading: &str,
    entries: impl Iterator<Item = &'a Entry>,
) {
    writeln!(
        svg,
        "<text x=\"{x}\" y=\"325\" font-size=\"16\" font-weight=\"bold\">{heading}</text>"
    )
    .expect("a string takes any text");
    for (y, entry) in (350..).step_by(24).zip(entries.take(LINES)) {
        let name = escaped(&entry.name);
        let time = duration(entry.sums.seconds);
        writeln!(
            svg,
            "<text x=\"{x}\" y=\"{y}\" font-size=\"13\">{name} \
             <tspan fill=\"#6d655a\">{time}</tspan></text>"
        )
        .expect("a string takes any text");
    }
}

/// Shortens a name, and escapes it for XML. Characters that XML does not allow become spaces.
fn escaped(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars().take(MAX_NAME) {
        match c {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '"' => text.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => text.push(' '),
            c => text.push(c),
        }
    }
    if name.chars().nth(MAX_NAME).is_some() {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_leave_their_element() {
        assert_eq!(
            escaped("<script>\"&\u{1b}\u{ffff}"),
            "&lt;script&gt;&quot;&amp;  "
        );
        assert_eq!(escaped(&"x".repeat(40)).chars().count(), MAX_NAME + 1);
    }

    #[test]
    fn day_with_a_session_is_never_empty() {
        assert_eq!(colour(None, 100), COLOURS[0]);
        assert_eq!(colour(Some(0), 0), COLOURS[1]);
        assert_eq!(colour(Some(100), 100), COLOURS[4]);
    }
}
