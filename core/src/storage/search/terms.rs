//! Query parser: at most 16 terms of the first 256 characters. Each term is quoted, so that no part
//! of a query is an operator.

use std::cell::OnceCell;

use super::fold::{fold, is_ideograph, variants, words};

/// Maximum number of evaluated characters of a query.
const MAX_CHARACTERS: usize = 256;
/// Maximum number of evaluated terms of a query.
const MAX_TERMS: usize = 16;
/// Minimum number of letters of a term that may match inside words.
const ANYWHERE: usize = 3;
/// Maximum number of trigrams per spelling in an index query. Verification covers the rest.
const MAX_TRIGRAMS: usize = 12;

/// Term with all its accepted spellings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Term {
    /// Text as entered.
    pub(super) source: String,
    pub(super) spellings: Vec<Spelling>,
}

/// Spelling of a term.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spelling {
    /// Folded text.
    literal: String,
    /// Words with one space before each and one at the end. Empty for a term of signs only.
    words: String,
    /// `true` if it may match inside words.
    anywhere: bool,
}

/// Quality of a match, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// The term is a whole word.
    Word,
    /// The term is the start of a word.
    Start,
    /// The term is inside a word.
    Inside,
}

/// Returns the terms of a query. Empty if the query is blank or contains nothing to search for.
pub(super) fn parse(query: &str) -> Vec<Term> {
    let query: String = query.chars().take(MAX_CHARACTERS).collect();
    let mut terms = Vec::new();
    let mut signs = Vec::new();
    for word in query.split(|c: char| c.is_whitespace() || c.is_control()) {
        let folded = fold(word);
        let parts: Vec<&str> = folded.split_whitespace().collect();
        for part in &parts {
            let literal = part.trim_matches(|c: char| !c.is_alphanumeric());
            if literal.is_empty() {
                signs.push(Term::of_signs(part));
                continue;
            }
            let mut spellings = vec![Spelling::of(literal)];
            if parts.len() == 1 {
                let others = variants(word);
                spellings.extend(others.iter().map(|other| Spelling::of(other)));
            }
            let source = if parts.len() == 1 { word } else { literal };
            terms.push(Term {
                source: source.to_owned(),
                spellings,
            });
        }
    }
    // A dash between words is not a term. A query of only signs searches for the signs.
    if terms.is_empty() {
        terms = signs.into_iter().flatten().collect();
    }
    terms.truncate(MAX_TERMS);
    terms.dedup_by(|one, other| one.spellings == other.spellings);
    terms
}

impl Spelling {
    fn of(literal: &str) -> Self {
        let letters = literal.chars().filter(|c| c.is_alphanumeric()).count();
        Self {
            literal: literal.to_owned(),
            words: words(literal),
            anywhere: letters >= ANYWHERE && !literal.chars().any(is_ideograph),
        }
    }

    /// Returns it as a phrase of the word index. With `goes_on`, its last word may be longer.
    fn phrase(&self, goes_on: bool) -> String {
        let star = if goes_on { " *" } else { "" };
        format!("{}{star}", quoted(self.words.trim()))
    }

    /// Returns the quality of the match with a field.
    fn fit(&self, field: &Field) -> Option<Fit> {
        // A substring search is faster and excludes most fields.
        let first = self.words.split(' ').find(|word| !word.is_empty());
        if first.is_some_and(|word| field.text.contains(word)) {
            let words = field.words();
            if words.contains(&self.words) {
                return Some(Fit::Word);
            }
            if words.contains(self.words.trim_end()) {
                return Some(Fit::Start);
            }
        }
        let is_inside = self.anywhere && field.text.contains(&self.literal);
        is_inside.then_some(Fit::Inside)
    }
}

/// Returns a query of the trigram index for items that may contain a folded text of at least three
/// characters.
pub(super) fn trigrams(folded: &str) -> String {
    let characters: Vec<char> = folded.chars().collect();
    let all: Vec<String> = characters
        .windows(3)
        .map(|window| quoted(&window.iter().collect::<String>()))
        .collect();
    // The evenly spaced trigrams and the last one overlap less than consecutive ones.
    let step = all.len().div_ceil(MAX_TRIGRAMS).max(1);
    let mut some: Vec<&str> = all.iter().step_by(step).map(String::as_str).collect();
    if let Some(last) = all.last().filter(|_| step > 1) {
        some.push(last);
    }
    format!("({})", some.join(" AND "))
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

impl Term {
    /// Creates a term of signs without a letter, such as `!!!`. Only the trigram index can find it.
    fn of_signs(signs: &str) -> Option<Self> {
        (signs.chars().count() >= ANYWHERE).then(|| Self {
            source: signs.to_owned(),
            spellings: vec![Spelling {
                literal: signs.to_owned(),
                words: " ".to_owned(),
                anywhere: true,
            }],
        })
    }

    /// Returns `true` if the term may match inside words.
    pub(super) fn is_anywhere(&self) -> bool {
        self.spellings.iter().any(|spelling| spelling.anywhere)
    }

    /// Returns `true` if the trigram index alone gives an exact result.
    pub(super) fn is_one_trigram(&self) -> bool {
        self.spellings
            .iter()
            .all(|spelling| spelling.literal.chars().count() == 3)
    }

    /// Returns `true` if every match contains the term literally, so that the trigram index finds
    /// all matches.
    pub(super) fn is_single_word(&self) -> bool {
        self.spellings.iter().all(|spelling| {
            spelling.anywhere && spelling.literal.chars().all(char::is_alphanumeric)
        })
    }

    /// Returns the words of each spelling.
    pub(super) fn words_of_spellings(&self) -> Vec<Vec<&str>> {
        self.spellings
            .iter()
            .map(|spelling| spelling.words.split_ascii_whitespace().collect())
            .collect()
    }

    /// Returns the quality of the match with a field.
    pub(super) fn fit(&self, field: &Field) -> Option<Fit> {
        let fits = self.spellings.iter();
        fits.filter_map(|spelling| spelling.fit(field)).min()
    }

    /// Returns a query of the word index for words that begin with the term, or `None` for a term
    /// without words.
    pub(super) fn starts(&self) -> Option<String> {
        self.phrases(true)
    }

    /// Returns the spellings with words as alternatives of a word index query, or `None` if there
    /// are none.
    fn phrases(&self, goes_on: bool) -> Option<String> {
        let phrases: Vec<String> = self
            .spellings
            .iter()
            .filter(|spelling| spelling.words.len() > 1)
            .map(|spelling| spelling.phrase(goes_on))
            .collect();
        (!phrases.is_empty()).then(|| format!("({})", phrases.join(" OR ")))
    }
}

/// Folded text that terms are compared with.
#[derive(Debug)]
pub(super) struct Field {
    text: String,
    /// Created on first use, because most fields of most candidates contain no term.
    words: OnceCell<String>,
}

impl Field {
    pub(super) fn of(folded: String) -> Self {
        Self {
            text: folded,
            words: OnceCell::new(),
        }
    }

    fn words(&self) -> &str {
        self.words.get_or_init(|| words(&self.text))
    }
}

/// Returns a query of the word index: every term in one of its spellings. With `goes_on`, words may
/// be longer than the terms. `columns` is a list of columns, separated by spaces.
pub(super) fn word_query(terms: &[&Term], columns: Option<&str>, goes_on: bool) -> Option<String> {
    let all: Option<Vec<String>> = terms.iter().map(|term| term.phrases(goes_on)).collect();
    let all = all.filter(|all| !all.is_empty())?.join(" AND ");
    Some(match columns {
        Some(columns) => format!("{{{columns}}} : ({all})"),
        None => all,
    })
}

/// Returns a query of the word index for one term, or `None` if it has no words.
pub(super) fn exact_phrase(term: &Term) -> Option<String> {
    term.phrases(true)
}

/// Returns a query of the word index for a word, or one of the similar words in these columns.
pub(super) fn similar_phrase(word: &str, goes_on: bool, similar: &[&str], columns: &str) -> String {
    let star = if goes_on { " *" } else { "" };
    let word = format!("{}{star}", quoted(word));
    if similar.is_empty() {
        return word;
    }
    let similar: Vec<String> = similar.iter().map(|word| quoted(word)).collect();
    format!("({word} OR ({{{columns}}} : ({})))", similar.join(" OR "))
}

/// Returns a query of the word index. Every term of `all` begins a word, and the paths or the names
/// contain `term` as a word. With `goes_on`, `term` may also be the start of a word. Returns `None` if a
/// term has no words.
pub(super) fn path_query(term: &Term, all: &[&Term], goes_on: bool) -> Option<String> {
    let (term, all) = (term.phrases(goes_on)?, word_query(all, None, true)?);
    Some(format!("({{path authors}} : {term}) AND {all}"))
}

/// Returns a query of the trigram index. Its result may include items with scattered trigrams.
pub(super) fn infix_query(terms: &[&Term]) -> Option<String> {
    let all: Vec<String> = terms
        .iter()
        .map(|term| {
            let spellings: Vec<String> = term
                .spellings
                .iter()
                .filter(|spelling| spelling.anywhere)
                .map(|spelling| trigrams(&spelling.literal))
                .collect();
            format!("({})", spellings.join(" OR "))
        })
        .collect();
    (!all.is_empty()).then(|| all.join(" AND "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(query: &str) -> String {
        let terms = parse(query);
        let terms: Vec<&Term> = terms.iter().collect();
        word_query(&terms, None, true).unwrap_or_default()
    }

    fn fit(query: &str, text: &str) -> Option<Fit> {
        let field = Field::of(crate::search::fold::fold_with_variants(text));
        parse(query).iter().map(|term| term.fit(&field)).max()?
    }

    #[test]
    fn every_term_is_quoted() {
        assert_eq!(
            word("red OR blue"),
            r#"("red" *) AND ("or" *) AND ("blue" *)"#
        );
        assert_eq!(
            word(r#"NEAR("a b", 2) title:x*"#).matches('"').count() % 2,
            0
        );
        assert_eq!(word("猫である"), r#"("猫 て あ る" *)"#);
        assert_eq!(word("spider-man"), r#"("spider man" * OR "spiderman" *)"#);
        assert_eq!(word("a\0b"), r#"("a" *) AND ("b" *)"#);
    }

    #[test]
    fn query_is_truncated() {
        assert!(parse("").is_empty() && parse(" \t\u{3000}\0 ").is_empty());
        assert!(parse("-").is_empty() && parse("?!").is_empty());
        assert_eq!(parse("foo - bar").len(), 2);
        assert_eq!(parse("!!!").len(), 1);
        let many = (0..50)
            .map(|n| format!("w{n}"))
            .collect::<Vec<_>>()
            .join(" ");
        assert_eq!(parse(&many).len(), MAX_TERMS);
        // Repeated terms count, too.
        let repeated = parse(&format!("{}last", "oz ".repeat(MAX_TERMS)));
        assert_eq!(repeated.len(), 1);
        assert_eq!(repeated[0].source, "oz");
        let long = parse(&"x".repeat(30_000));
        assert_eq!(long.len(), 1);
        assert_eq!(long[0].spellings[0].literal.len(), MAX_CHARACTERS);
    }

    #[test]
    fn short_terms_fit_at_word_starts_and_others_anywhere() {
        assert_eq!(fit("otte", "Harry Potter"), Some(Fit::Inside));
        assert_eq!(fit("ot", "Harry Potter"), None);
        assert_eq!(fit("po", "Harry Potter"), Some(Fit::Start));
        assert_eq!(fit("potter", "Harry Potter"), Some(Fit::Word));
        assert_eq!(fit("輩は", "吾輩は猫である"), Some(Fit::Word));
    }
}
