//! How text is made comparable for searching: the same for what is indexed and what is asked.

use crate::text;

/// Folded text without apostrophes: `O’Brien`, `O'Brien` and `obrien` are one word.
pub fn fold(text: &str) -> String {
    let mut folded = text::fold(text);
    folded.retain(|c| c != '\'');
    folded
}

/// Scripts without spaces are indexed sign by sign and asked for as phrases.
pub fn split_ideographs(folded: &str) -> String {
    if folded.is_ascii() {
        return folded.to_owned();
    }
    let mut split = String::with_capacity(folded.len() + folded.len() / 2);
    for c in folded.chars() {
        if is_ideograph(c) {
            split.push(' ');
            split.push(c);
            split.push(' ');
        } else {
            split.push(c);
        }
    }
    split
}

/// Whether a sign stands for itself rather than being a letter of a word.
pub fn is_ideograph(c: char) -> bool {
    matches!(c,
        '\u{2e80}'..='\u{2fdf}'
        | '\u{3005}'..='\u{3007}'
        | '\u{3040}'..='\u{30ff}'
        | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{323af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn apostrophes_accents_and_case_make_no_difference() {
        for text in ["O’Brien", "O'Brien", "obrien", "ÓBRIEN"] {
            assert_eq!(fold(text), "obrien");
        }
    }

    #[test]
    fn signs_of_scripts_without_spaces_stand_alone() {
        let words: Vec<String> = split_ideographs("吾輩は cat 物語")
            .split_whitespace()
            .map(str::to_owned)
            .collect();
        assert_eq!(words, ["吾", "輩", "は", "cat", "物", "語"]);
    }
}
