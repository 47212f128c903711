//! Number of a comic within its series, and the form of its name.

use ledge_core::registry::provider::Query;

/// Form of a numbered comic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Single issue: `Saga #1`.
    Issue,
    /// Collected edition or volume of manga: `Saga Vol. 1`.
    Collected,
    /// Form that the name does not contain.
    Unknown,
}

/// Comic as names and tags describe it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Comic<'a> {
    /// Name of the series, or the title of a comic without a series.
    pub(crate) series: &'a str,
    /// Number in the series.
    pub(crate) number: Option<f64>,
    pub(crate) form: Form,
    /// Title after the name of the series: ` #1 - Part One`. Empty if the title does not begin with
    /// the series.
    pub(crate) rest: &'a str,
}

impl<'a> Comic<'a> {
    /// Reads a query. Returns `None` for a chapter, because Comic Vine has no chapters.
    pub(crate) fn of(question: &'a Query) -> Option<Self> {
        let Some(series) = &question.series else {
            return Some(Self {
                series: &question.title,
                number: None,
                form: Form::Unknown,
                rest: "",
            });
        };
        let rest = question
            .title
            .strip_prefix(series.name.as_str())
            .unwrap_or_default();
        // A name contains the chapter, the volume, or the number of an issue after its volume.
        let form = if rest.contains(" #") {
            Form::Issue
        } else if rest.contains(" Ch. ") {
            return None;
        } else if rest.contains(" Vol. ") {
            Form::Collected
        } else {
            Form::Unknown
        };
        Some(Self {
            series: &series.name,
            number: series
                .index
                .filter(|index| index.is_finite() && *index >= 0.0),
            form,
            rest,
        })
    }
}

/// Returns the letters and digits of a name in lower case, without an article in front.
pub(crate) fn letters(name: &str) -> String {
    let name = name.to_lowercase();
    let bare = name.trim();
    let bare = bare.strip_prefix("the ").unwrap_or(bare);
    bare.chars().filter(|c| c.is_alphanumeric()).collect()
}

#[cfg(test)]
mod tests {
    use ledge_core::registry::naming::Series;

    use super::*;

    #[test]
    fn form_is_read_from_title() {
        let form = |title: &str| {
            let question = Query {
                title: title.to_owned(),
                series: Some(Series {
                    name: "Saga".to_owned(),
                    index: Some(3.0),
                }),
                ..Query::default()
            };
            Comic::of(&question).map(|comic| (comic.form, comic.rest.to_owned()))
        };
        let is = |form, rest: &str| Some((form, rest.to_owned()));
        assert_eq!(form("Saga #3"), is(Form::Issue, " #3"));
        assert_eq!(form("Saga Vol. 2 #3"), is(Form::Issue, " Vol. 2 #3"));
        assert_eq!(form("Saga Vol. 3"), is(Form::Collected, " Vol. 3"));
        assert_eq!(form("Saga Ch. 3"), None);
        assert_eq!(form("Part Three"), is(Form::Unknown, ""));
    }

    #[test]
    fn names_are_compared_without_article_and_signs() {
        assert_eq!(
            letters("The Amazing Spider-Man"),
            letters("amazing spider man")
        );
        assert_ne!(letters("Batman"), letters("Batman and Robin"));
    }
}
