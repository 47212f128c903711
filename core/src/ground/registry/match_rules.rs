//! Rules by which entries of providers are different works although their titles are equal.

/// Rules of a kind or a subkind for matches. All thresholds of scores are the same for all kinds;
/// these rules only reject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatchRules {
    /// Comparison of the item's year with the entry's year.
    pub year: YearRule,
    /// Phrases that make another work if only one of the titles has them, in lower case.
    pub marks: &'static [&'static str],
    /// `true` if different texts in brackets name different works, and if a version in the brackets
    /// of one title alone is another work: `(Artist's Version)`.
    pub compares_brackets: bool,
    /// `true` if a person on each side whom the other side lacks makes another work.
    pub compares_all_people: bool,
    /// `true` if a subtitle that the entry lacks makes another work.
    pub compares_subtitles: bool,
}

impl Default for MatchRules {
    fn default() -> Self {
        Self::EDITIONS
    }
}

/// Comparison of years.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum YearRule {
    /// Editions of one work have any years.
    Any,
    /// The years differ by at most one.
    Near,
    /// The years differ by at most one if no people are known.
    NearWithoutPeople,
    /// The item's year is not before that of the first release. If the title is the name of an
    /// author, the years differ by at most one.
    NotBefore,
}

/// Phrases of performances and adaptations that another title lacks.
const PERFORMANCE_MARKS: &[&str] = &[
    "acoustic",
    "best of",
    "demos",
    "drumless",
    "greatest hits",
    "instrumental",
    "instrumentals",
    "karaoke",
    "live",
    "more music",
    "reconfigured",
    "remix",
    "remixed",
    "remixes",
    "sessions",
    "single",
    "tribute",
    "unplugged",
];

impl MatchRules {
    /// Editions of one work, with any years and names.
    pub const EDITIONS: Self = Self {
        year: YearRule::Any,
        marks: &[],
        compares_brackets: false,
        compares_all_people: false,
        compares_subtitles: false,
    };
    /// Works with one date of release. Another work of the same title has another year.
    pub const RELEASES: Self = Self {
        year: YearRule::Near,
        ..Self::EDITIONS
    };
    /// Performances: later editions are the same work, other performers and performances are not.
    pub const PERFORMANCES: Self = Self {
        year: YearRule::NotBefore,
        marks: PERFORMANCE_MARKS,
        compares_brackets: true,
        compares_all_people: true,
        ..Self::EDITIONS
    };
    /// Numbered works of several series with equal titles.
    pub const SERIALS: Self = Self {
        year: YearRule::NearWithoutPeople,
        compares_subtitles: true,
        ..Self::EDITIONS
    };
}

/// Returns the rules of editions.
pub(super) fn editions(_: Option<&str>) -> MatchRules {
    MatchRules::EDITIONS
}
