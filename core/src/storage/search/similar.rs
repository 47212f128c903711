//! Vocabulary words that are similar to a misspelled term.
//!
//! The distance counts insertions, deletions, replacements, and swaps of neighbours (optimal string
//! alignment). If a word has at most `d` edits, one of its halves has at most `d / 2`. Two walks
//! through the sorted vocabulary therefore find all similar words: one forward, and one through the
//! reversed words. A walk reads only words whose beginning can still match, and skips all others
//! with one look-up.

use std::collections::BTreeMap;

use rusqlite::{Connection, Statement, named_params};

use super::vocabulary::{self, reverse};
use crate::error::StoreResult;
use crate::id::LibraryId;

/// Fewest letters of a term that is corrected.
const SHORTEST: usize = 4;
/// Fewest letters of a term that is corrected by two edits.
const LONG: usize = 8;
/// Maximum number of similar words per term, the most similar first.
const MAX_SIMILAR: usize = 300;
/// Cost of an impossible alignment.
const NEVER: u8 = u8::MAX;

const NEXT: &str = "
    SELECT text
      FROM search_vocabulary
     WHERE is_reversed = :is_reversed AND text >= :from
     ORDER BY text
     LIMIT 1";

/// Word that differs from a term.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SimilarWord {
    pub(super) word: String,
    /// Number of edits, 1 or 2.
    pub(super) distance: u8,
}

/// Returns words of these libraries that are similar to a folded word, the most similar first.
pub(super) fn similar_words(
    conn: &Connection,
    libraries: &[LibraryId],
    term: &str,
) -> StoreResult<Vec<SimilarWord>> {
    let letters: Vec<char> = term.chars().collect();
    if letters.len() < SHORTEST || !vocabulary::is_correctable(term, letters.len()) {
        return Ok(Vec::new());
    }
    let most = if letters.len() < LONG { 1 } else { 2 };
    let half = letters.len() / 2;
    let mut statement = conn.prepare_cached(NEXT)?;
    let mut found = BTreeMap::new();
    let forward = Pattern::new(letters.clone(), half, most);
    Walk::new(forward, false).run(&mut statement, |word, distance| {
        found.insert(word.to_owned(), distance);
    })?;
    let (rest, letters) = (letters.len() - half, letters.into_iter().rev().collect());
    Walk::new(Pattern::new(letters, rest, most), true).run(&mut statement, |word, distance| {
        let least = found.entry(reverse(word)).or_insert(distance);
        *least = distance.min(*least);
    })?;
    let mut similar = Vec::new();
    for (word, distance) in found {
        if distance > 0
            && !loses_first_letter(term, &word)
            && vocabulary::is_in(conn, libraries, &word)?
        {
            similar.push(SimilarWord { word, distance });
        }
    }
    let rank = |similar: &SimilarWord| {
        (
            similar.distance,
            !has_same_first_letter(term, &similar.word),
        )
    };
    similar.sort_by_key(rank);
    similar.truncate(MAX_SIMILAR);
    Ok(similar)
}

/// Returns `true` if both words begin with the same letter.
pub(super) fn has_same_first_letter(one: &str, other: &str) -> bool {
    one.chars().next() == other.chars().next()
}

/// Returns `true` if a term of four letters becomes the word by the loss of its first letter. Too
/// many unrelated words differ so.
fn loses_first_letter(term: &str, word: &str) -> bool {
    let mut letters = term.chars();
    letters.next();
    letters.as_str() == word && word.chars().count() + 1 == SHORTEST
}

/// Term with the limits of its edits.
struct Pattern {
    letters: Vec<char>,
    /// Number of letters with few edits.
    half: usize,
    /// Maximum number of edits in these letters.
    few: u8,
    /// Maximum number of edits.
    most: u8,
}

/// Costs of aligning a prefix of a word with each prefix of the term.
type Costs = Vec<u8>;

impl Pattern {
    fn new(letters: Vec<char>, half: usize, most: u8) -> Self {
        Self {
            letters,
            half,
            few: most / 2,
            most,
        }
    }

    fn first_costs(&self) -> Costs {
        let deletions = 0..=self.letters.len();
        let cost = |letters: usize| u8::try_from(letters).unwrap_or(NEVER);
        deletions
            .map(|letters| limited(cost(letters), self.limit(letters)))
            .collect()
    }

    fn limit(&self, letters: usize) -> u8 {
        if letters <= self.half {
            self.few
        } else {
            self.most
        }
    }

    /// Returns `true` if a letter after these costs can be the first one of a swap.
    fn begins_swap(&self, costs: &[u8], letter: char) -> bool {
        costs.iter().enumerate().any(|(column, cost)| {
            *cost < self.limit(column + 2) && self.letters.get(column + 1) == Some(&letter)
        })
    }

    /// Returns the costs after one more letter of the word. `previous` contains the letter before it
    /// and the costs before that letter.
    fn next_costs(&self, costs: &[u8], previous: Option<(char, &[u8])>, letter: char) -> Costs {
        let mut next: Costs = Vec::with_capacity(costs.len());
        for (column, insertion) in costs.iter().map(|cost| cost.saturating_add(1)).enumerate() {
            // An insertion between the halves belongs to either of them.
            let insertion = if column == self.half {
                limited(insertion, self.most)
            } else {
                limited(insertion, self.limit(column))
            };
            let aligned = self.aligned(costs, previous, letter, column);
            let deletion = next.last().map_or(NEVER, |cost| cost.saturating_add(1));
            let others = limited(aligned.min(deletion), self.limit(column));
            next.push(insertion.min(others));
        }
        next
    }

    /// Returns the cost of a match, a replacement or a swap that ends before this column.
    fn aligned(
        &self,
        costs: &[u8],
        previous: Option<(char, &[u8])>,
        letter: char,
        column: usize,
    ) -> u8 {
        let at = |distance: usize| self.letters.get(column.checked_sub(distance)?).copied();
        let Some(own) = at(1) else {
            return NEVER;
        };
        let before = costs.get(column - 1).copied().unwrap_or(NEVER);
        let replaced = before.saturating_add(u8::from(own != letter));
        let swapped = previous.filter(|(other, _)| own == *other && at(2) == Some(letter));
        let swapped = swapped.and_then(|(_, costs)| costs.get(column.checked_sub(2)?).copied());
        replaced.min(swapped.map_or(NEVER, |cost| cost.saturating_add(1)))
    }
}

fn limited(cost: u8, limit: u8) -> u8 {
    if cost <= limit { cost } else { NEVER }
}

/// Walk through the sorted words.
struct Walk {
    pattern: Pattern,
    is_reversed: bool,
    /// Beginning of the current word that can still match.
    prefix: Vec<char>,
    /// Costs after each letter of the prefix, and before the first.
    costs: Vec<Costs>,
}

impl Walk {
    fn new(pattern: Pattern, is_reversed: bool) -> Self {
        Self {
            costs: vec![pattern.first_costs()],
            pattern,
            is_reversed,
            prefix: Vec::new(),
        }
    }

    /// Calls `visit` for each word that matches, with its distance.
    fn run(
        mut self,
        statement: &mut Statement<'_>,
        mut visit: impl FnMut(&str, u8),
    ) -> StoreResult<()> {
        let mut from = String::new();
        loop {
            let mut rows = statement
                .query(named_params! { ":is_reversed": self.is_reversed, ":from": from })?;
            let Some(row) = rows.next()? else {
                return Ok(());
            };
            let word = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
            from.clear();
            match self.enter(word) {
                Ok(distance) => {
                    if distance <= self.pattern.most {
                        visit(word, distance);
                    }
                    from.push_str(word);
                    from.push('\u{1}');
                }
                Err(letter) => {
                    from.extend(&self.prefix);
                    from.push(self.successor(letter).unwrap_or(char::MAX));
                }
            }
        }
    }

    /// Follows a word. Returns its distance, or the first letter after which nothing can match.
    fn enter(&mut self, word: &str) -> Result<u8, char> {
        let common = word.chars().zip(&self.prefix);
        let common = common.take_while(|(one, other)| one == *other).count();
        self.prefix.truncate(common);
        self.costs.truncate(common + 1);
        for letter in word.chars().skip(common) {
            let Some(costs) = self.after(letter) else {
                return Err(letter);
            };
            self.prefix.push(letter);
            self.costs.push(costs);
        }
        let last = self.costs.last().and_then(|costs| costs.last());
        Ok(last.copied().unwrap_or(NEVER))
    }

    /// Returns the costs after the prefix and one more letter, or `None` if nothing can match.
    fn after(&self, letter: char) -> Option<Costs> {
        let mut costs = self.costs.iter().rev();
        let current = costs.next().map_or(&[][..], Vec::as_slice);
        let before = self.prefix.last().copied().zip(costs.next());
        let before = before.map(|(letter, costs)| (letter, costs.as_slice()));
        let next = self.pattern.next_costs(current, before, letter);
        let is_possible =
            next.iter().any(|cost| *cost != NEVER) || self.pattern.begins_swap(current, letter);
        is_possible.then_some(next)
    }

    /// Returns the next letter with which the prefix can match. If one letter is impossible, only
    /// letters of the term are possible.
    fn successor(&self, letter: char) -> Option<char> {
        let later = self.pattern.letters.iter().copied().filter(|c| *c > letter);
        later.filter(|c| self.after(*c).is_some()).min()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::search::tests::{database, insert, plan};

    /// Computes the distance of two words as Wikipedia defines the optimal string alignment.
    fn distance(one: &str, other: &str) -> usize {
        let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
        let mut d = vec![vec![0; other.len() + 1]; one.len() + 1];
        for i in 0..=one.len() {
            for j in 0..=other.len() {
                d[i][j] = match (i, j) {
                    (0, _) => j,
                    (_, 0) => i,
                    _ => {
                        let replaced = d[i - 1][j - 1] + usize::from(one[i - 1] != other[j - 1]);
                        let least = replaced.min(d[i - 1][j] + 1).min(d[i][j - 1] + 1);
                        let is_swap = i > 1
                            && j > 1
                            && one[i - 1] == other[j - 2]
                            && one[i - 2] == other[j - 1];
                        if is_swap {
                            least.min(d[i - 2][j - 2] + 1)
                        } else {
                            least
                        }
                    }
                };
            }
        }
        d[one.len()][other.len()]
    }

    fn similar(words: &[String], term: &str) -> Vec<(String, usize)> {
        let (_folder, db) = database();
        let title = words.join(" ");
        let term = term.to_owned();
        db.write_blocking(move |tx| insert(tx, "paper", &title, "", "x"))
            .expect("an item");
        let similar = db.read_blocking(move |conn| similar_words(conn, &[LibraryId(1)], &term));
        let mut similar: Vec<(String, usize)> = similar
            .expect("words")
            .into_iter()
            .map(|similar| (similar.word, similar.distance.into()))
            .collect();
        similar.sort();
        similar
    }

    fn words_of(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn short_terms_allow_one_edit_and_long_ones_two() {
        let words = words_of("dune dunes done duen une dun doe philosophers");
        let found = |term| -> Vec<String> {
            let similar = similar(&words, term).into_iter();
            similar.map(|(word, _)| word).collect()
        };
        assert_eq!(found("dune"), ["done", "duen", "dun", "dunes"]);
        assert_eq!(found("dun"), [""; 0]);
        assert_eq!(found("philosofers"), ["philosophers"]);
        assert_eq!(found("phlosofers"), [""; 0]);
        assert_eq!(found("dune2"), [""; 0]);
        assert_eq!(found("猫猫猫猫"), [""; 0]);
    }

    #[test]
    fn every_edit_of_a_word_is_found() {
        for word in [
            "dick",
            "brave",
            "cities",
            "jungles",
            "identity",
            "thousands",
        ] {
            let words = [word.to_owned()];
            let letters: Vec<char> = word.chars().collect();
            for at in 0..letters.len() {
                let edited = |edit: &dyn Fn(&mut Vec<char>)| -> String {
                    let mut letters = letters.clone();
                    edit(&mut letters);
                    letters.into_iter().collect()
                };
                let terms = [
                    edited(&|letters| letters.swap(at, at.saturating_sub(1))),
                    edited(&|letters| letters.insert(at, 'x')),
                    edited(&|letters| letters[at] = 'x'),
                    edited(&|letters| {
                        letters.remove(at);
                    }),
                ];
                for term in terms {
                    let expected = usize::from(term.len() >= SHORTEST && term != word);
                    assert_eq!(similar(&words, &term).len(), expected, "{term}");
                }
            }
        }
    }

    #[test]
    fn look_up_of_a_word_uses_the_key() {
        let plan = plan(NEXT);
        assert!(plan.contains("USING PRIMARY KEY"), "{plan}");
        assert!(!plan.contains("TEMP B-TREE"), "{plan}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn walk_finds_exactly_the_similar_words(
            words in prop::collection::btree_set("[abc]{3,11}|[aé]{3,6}", 1..120),
            term in "[abc]{4,10}",
        ) {
            let words: Vec<String> = words.into_iter().map(|word| crate::search::fold(&word)).collect();
            let most = if term.chars().count() < LONG { 1 } else { 2 };
            let mut expected: Vec<(String, usize)> = words
                .iter()
                .map(|word| (word.clone(), distance(&term, word)))
                .filter(|(word, edits)| (1..=most).contains(edits) && !loses_first_letter(&term, word))
                .collect();
            expected.sort();
            expected.dedup();
            prop_assert_eq!(similar(&words, &term), expected);
        }
    }
}
