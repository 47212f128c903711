//! Normalization of text for searching, applied to indexed text and to queries.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization as _;

use crate::text;

/// Maximum length of a hyphenated word that is also indexed without hyphens, in bytes.
const MAX_JOINED: usize = 64;

/// Returns folded text without apostrophes: `O’Brien`, `O'Brien` and `obrien` become one word. `&`
/// becomes "and", and letters that many keyboards lack become their usual replacements.
pub fn fold(text: &str) -> String {
    let folded = text::fold(text);
    match of_folded(&folded) {
        Cow::Borrowed(_) => folded,
        Cow::Owned(plain) => plain,
    }
}

/// Returns [`fold`] of the text from which [`text::fold`] made `folded`. Most texts stay as they are.
pub fn of_folded(folded: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte.is_ascii() && byte != b'\'' && byte != b'&';
    if folded.bytes().all(is_plain) {
        return Cow::Borrowed(folded);
    }
    let mut plain = String::with_capacity(folded.len());
    for c in folded.chars() {
        match c {
            // Apostrophes and similar signs, and invisible characters: soft hyphens, joiners,
            // direction marks, the Arabic tatweel.
            '\''
            | '\u{2032}'
            | '\u{02b9}'
            | '\u{02bb}'
            | '\u{05f3}'
            | '\u{05f4}'
            | '\u{ad}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2060}'
            | '\u{feff}'
            | '\u{0640}' => {}
            '&' => plain.push_str(" and "),
            'ı' => plain.push('i'),
            'ς' => plain.push('σ'),
            'ð' => plain.push('d'),
            'þ' => plain.push_str("th"),
            'ħ' => plain.push('h'),
            '\u{0649}' => plain.push('\u{064a}'),
            '\u{0629}' => plain.push('\u{0647}'),
            '\u{30a1}'..='\u{30f6}' => plain.push(hiragana(c)),
            c => plain.push(c),
        }
    }
    Cow::Owned(plain)
}

/// Maps katakana to hiragana, because both syllabaries represent the same sounds.
fn hiragana(katakana: char) -> char {
    char::from_u32(u32::from(katakana) - 0x60).unwrap_or(katakana)
}

/// Returns folded text, followed on a second line by spelling variants of its words: without
/// hyphens or dots, and with `ue` for `ü`.
pub fn fold_with_variants(text: &str) -> String {
    let mut folded = fold(text);
    let variants = variants(text);
    if !variants.is_empty() {
        folded.push('\n');
        folded.push_str(&variants.join(" "));
    }
    folded
}

/// Returns the spelling variants of the words of a text, folded.
pub(super) fn variants(text: &str) -> Vec<String> {
    let has_none = |byte: u8| byte.is_ascii_alphanumeric() || byte == b' ';
    if text.bytes().all(has_none) {
        return Vec::new();
    }
    let mut variants = Vec::new();
    for word in text.split(char::is_whitespace) {
        variants.extend(transliterated(word));
        variants.extend(fold(word).split(' ').filter_map(joined));
    }
    variants
}

/// Joins the parts of a folded word: `spiderman` for `spider-man`.
fn joined(word: &str) -> Option<String> {
    let mut parts = word
        .split(|c: char| !c.is_alphanumeric())
        .filter(|part| !part.is_empty());
    let has_parts = parts.by_ref().nth(1).is_some();
    if !has_parts || word.len() > MAX_JOINED || word.chars().any(is_ideograph) {
        return None;
    }
    Some(word.chars().filter(|c| c.is_alphanumeric()).collect())
}

/// Replaces umlauts with letter pairs: `mueller` for `Müller`.
fn transliterated(word: &str) -> Option<String> {
    if word.is_ascii() {
        return None;
    }
    let mut changed = false;
    let mut spelled = String::with_capacity(word.len() + 4);
    // Some file systems store letters and combining marks separately.
    for c in word.nfc() {
        let pair = match c {
            'ä' | 'Ä' => "ae",
            'ö' | 'Ö' | 'ø' | 'Ø' => "oe",
            'ü' | 'Ü' => "ue",
            'å' | 'Å' => "aa",
            _ => {
                spelled.push(c);
                continue;
            }
        };
        changed = true;
        spelled.push_str(pair);
    }
    changed.then(|| fold(&spelled))
}

/// Puts spaces around each sign of scripts without spaces. They are indexed one by one, and queries
/// use phrases.
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

/// Returns the words of folded text as the word index has them, with one space around each.
pub(super) fn words(folded: &str) -> String {
    if folded.is_ascii() {
        return words_of_ascii(folded);
    }
    let split = split_ideographs(folded);
    let mut words = String::with_capacity(split.len() + 2);
    words.push(' ');
    for word in split.split(|c: char| !c.is_alphanumeric()) {
        if !word.is_empty() {
            words.push_str(word);
            words.push(' ');
        }
    }
    words
}

/// Fast path of [`words`] for ASCII text, which most texts are.
fn words_of_ascii(folded: &str) -> String {
    let mut words = String::with_capacity(folded.len() + 2);
    words.push(' ');
    for byte in folded.bytes() {
        if byte.is_ascii_alphanumeric() {
            words.push(char::from(byte));
        } else if !words.ends_with(' ') {
            words.push(' ');
        }
    }
    if !words.ends_with(' ') {
        words.push(' ');
    }
    words
}

/// Returns `true` if a sign is a word of its own instead of a letter of a word.
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
    fn fold_ignores_apostrophes_accents_and_case() {
        for text in ["O’Brien", "O'Brien", "obrien", "ÓBRIEN", "O\u{2bb}Brien"] {
            assert_eq!(fold(text), "obrien");
        }
        assert_eq!(fold("ΟΔΥΣΣΕΥΣ"), fold("Οδυσσεύς"));
        assert_eq!(fold("IŞIK İLE ışık"), "isik ile isik");
        assert_eq!(fold("ＤＶＤ ﬁlm Þórr"), "dvd film thorr");
        assert_eq!(fold("ナウシカ"), fold("なうしか"));
        assert_eq!(fold("Simon & Garfunkel"), "simon  and  garfunkel");
    }

    #[test]
    fn variants_contain_common_spellings() {
        assert_eq!(variants("Spider-Man: Homecoming"), ["spiderman"]);
        assert_eq!(variants("S.H.I.E.L.D. of Steel"), ["shield"]);
        assert_eq!(variants("Die Blechtrömmel"), ["blechtroemmel"]);
        assert_eq!(variants("u\u{308}ber"), ["ueber"]);
        assert_eq!(variants("Plain words, these"), [""; 0]);
        assert_eq!(fold_with_variants("Wall-E"), "wall-e\nwalle");
    }

    #[test]
    fn signs_of_scripts_without_spaces_are_separated() {
        assert_eq!(words("吾輩は cat-物語"), " 吾 輩 は cat 物 語 ");
        assert_eq!(words("-é cat, dog\n7"), " é cat dog 7 ");
    }

    #[test]
    fn words_of_ascii_text_have_one_space_around_each() {
        assert_eq!(words("--a cat, dog\n7!"), " a cat dog 7 ");
        assert_eq!(words(""), " ");
        assert_eq!(words("?!"), " ");
    }
}
