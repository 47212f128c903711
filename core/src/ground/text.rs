//! Collation: the keys by which titles and names are ordered, compared and filed under a letter.

pub mod csv;
pub mod isbn;
pub mod language;
pub mod markup;
pub mod names;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{decompose_compatible, is_combining_mark};

/// Articles that do not count at the start of a title. Those that are common words of another
/// language ("Die Hard", "La La Land") are left out.
const ARTICLES: [&str; 9] = [
    "a ", "an ", "the ", "der ", "das ", "le ", "les ", "l'", "il ",
];

/// Longest key in characters: what differs only after that is ordered by id.
const MAX_KEY: usize = 120;

/// Lower case without accents, curly apostrophes straightened, runs of white space as one space.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return fold_ascii(text);
    }
    fold_any(text)
}

fn fold_any(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        // Letter by letter, as marks are all that decomposing would put in another order. Most
        // letters are plain in any text.
        if c.is_ascii() {
            push_folded(&mut folded, c.to_ascii_lowercase());
        } else {
            decompose_compatible(c, |part| {
                if !is_combining_mark(part) {
                    part.to_lowercase()
                        .for_each(|c| push_folded(&mut folded, c));
                }
            });
        }
    }
    folded.truncate(folded.trim_end().len());
    if folded.is_ascii() {
        return folded;
    }
    // Conjoining jamo of Hangul are put together again; the marks are already gone.
    folded.nfc().collect()
}

fn push_folded(folded: &mut String, c: char) {
    match c {
        '\u{2018}' | '\u{2019}' | '\u{02bc}' | '`' => folded.push('\''),
        c if c.is_whitespace() || c.is_control() => {
            if !folded.is_empty() && !folded.ends_with(' ') {
                folded.push(' ');
            }
        }
        'ß' => folded.push_str("ss"),
        'æ' => folded.push_str("ae"),
        'œ' => folded.push_str("oe"),
        'ø' => folded.push('o'),
        'đ' => folded.push('d'),
        'ł' => folded.push('l'),
        c => folded.push(c),
    }
}

/// [`fold`] where there is nothing to take apart, as in most names.
fn fold_ascii(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'`' => folded.push('\''),
            b' ' | 0..=0x1f | 0x7f if folded.is_empty() || folded.ends_with(' ') => {}
            b' ' | 0..=0x1f | 0x7f => folded.push(' '),
            byte => folded.push(char::from(byte.to_ascii_lowercase())),
        }
    }
    folded.truncate(folded.trim_end().len());
    folded
}

/// Returns the articles that [`sort_key`] ignores, with a space between them.
pub fn ignored_articles() -> String {
    let capital = |article: &str| {
        let (first, rest) = article.split_at(1);
        format!("{}{}", first.to_ascii_uppercase(), rest.trim_end())
    };
    ARTICLES.map(capital).join(" ")
}

/// The letter a title files under, and the key it is ordered by within its kind.
///
/// The key begins with the letter, so that ordering by key goes letter by letter. Numbers are
/// ordered by value, a leading article and punctuation do not count.
pub fn sort_key(title: &str) -> (String, String) {
    let folded = fold(title);
    let significant = folded.trim_start_matches(|c: char| !c.is_alphanumeric());
    let without_article = ARTICLES
        .iter()
        .find_map(|article| significant.strip_prefix(article))
        .filter(|rest| rest.starts_with(char::is_alphanumeric))
        .unwrap_or(significant);
    let body = if without_article.is_empty() {
        &folded
    } else {
        without_article
    };
    let initial = initial_of(body).to_string();
    let key = format!("{initial}{}", natural(body));
    (initial, key)
}

/// Returns a title without a leading article and punctuation, in its own spelling.
pub fn sort_title(title: &str) -> &str {
    let significant = title.trim_start_matches(|c: char| !c.is_alphanumeric());
    let without = |article: &&str| {
        let (start, rest) = significant.split_at_checked(article.len())?;
        start.eq_ignore_ascii_case(article).then_some(rest)
    };
    let rest = ARTICLES.iter().find_map(without);
    let rest = rest.filter(|rest| rest.starts_with(char::is_alphanumeric));
    match rest.unwrap_or(significant) {
        "" => title,
        rest => rest,
    }
}

/// The key by which names of people and series are ordered; empty for an empty name.
pub fn name_sort_key(name: &str) -> String {
    natural(&fold(name))
}

/// Returns `#` for anything that is not a letter, and one sign for scripts with thousands of signs.
fn initial_of(body: &str) -> char {
    match body.chars().next() {
        Some(c @ 'a'..='z') => c.to_ascii_uppercase(),
        Some('\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}') => 'あ',
        Some('\u{ac00}'..='\u{d7a3}' | '\u{1100}'..='\u{11ff}') => '가',
        Some('\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}') => '漢',
        Some(c) if c.is_alphabetic() => c.to_uppercase().next().unwrap_or(c),
        _ => '#',
    }
}

/// Digits are prefixed by their count, so that `2` sorts before `10`. Any other character counts as
/// one space.
fn natural(body: &str) -> String {
    let mut key = String::with_capacity(body.len() + 8);
    let mut chars = body.chars().take(MAX_KEY).peekable();
    while let Some(c) = chars.next() {
        if c.is_ascii_digit() {
            let mut digits = String::from(c);
            while let Some(digit) = chars.next_if(char::is_ascii_digit) {
                digits.push(digit);
            }
            let value = digits.trim_start_matches('0');
            // Counts beyond 9 go on as letters after `9`: `:` is 10 digits, `;` is 11, ….
            let count = u8::try_from(value.len()).unwrap_or(u8::MAX).min(60);
            key.push(char::from(b'0' + count));
            key.push_str(value);
        } else if c.is_alphanumeric() {
            key.push(c);
        } else if c != '\'' && !key.ends_with(' ') {
            key.push(' ');
        }
    }
    key.truncate(key.trim_end().len());
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sorted(mut titles: Vec<&str>) -> Vec<&str> {
        titles.sort_by_key(|title| sort_key(title).1);
        titles
    }

    #[test]
    fn titles_are_in_natural_order_without_articles_case_and_accents() {
        let titles = vec![
            "“2” Fast",
            "2001: A Space Odyssey",
            "1,000 Miles",
            "10 Things",
            "A Tale",
            "The Émigré",
            "émile",
            "Zebra",
            "Les Misérables",
            "Volume 2",
            "Volume 10",
            "volume 1",
        ];
        assert_eq!(
            sorted(titles),
            [
                "1,000 Miles",
                "“2” Fast",
                "10 Things",
                "2001: A Space Odyssey",
                "The Émigré",
                "émile",
                "Les Misérables",
                "A Tale",
                "volume 1",
                "Volume 2",
                "Volume 10",
                "Zebra",
            ]
        );
    }

    #[test]
    fn titles_for_sorting_keep_their_spelling() {
        for (title, expected) in [
            ("The Quiet Harbour", "Quiet Harbour"),
            ("“A Tale”", "Tale”"),
            ("THE THE", "THE"),
            ("L'Étranger", "Étranger"),
            ("The", "The"),
            ("The …", "The …"),
            ("Them", "Them"),
            ("Émile", "Émile"),
            ("吾輩は猫である", "吾輩は猫である"),
            ("…", "…"),
            ("", ""),
        ] {
            assert_eq!(sort_title(title), expected);
        }
    }

    #[test]
    fn every_script_has_its_letter() {
        for (title, initial) in [
            ("The Émigré", "E"),
            ("2001", "#"),
            ("…", "#"),
            ("", "#"),
            ("Война и мир", "В"),
            ("吾輩は猫である", "漢"),
            ("こころ", "あ"),
            ("채식주의자", "가"),
            ("A", "A"),
            ("The", "T"),
            ("Ωmega", "Ω"),
            ("Øre", "O"),
        ] {
            assert_eq!(sort_key(title).0, initial, "{title}");
        }
    }

    proptest! {
        #[test]
        fn a_key_begins_with_its_letter(title in "\\PC{0,40}") {
            let (initial, key) = sort_key(&title);
            prop_assert!(key.starts_with(&initial));
            prop_assert_eq!(initial.chars().count(), 1);
        }

        #[test]
        fn folding_twice_is_folding_once(text in "\\PC{0,40}") {
            let once = fold(&text);
            prop_assert_eq!(fold(&once), once);
        }

        #[test]
        fn plain_text_is_folded_like_any(text in "[\\x00-\\x7f]{0,40}") {
            prop_assert_eq!(fold_ascii(&text), fold_any(&text));
        }

        #[test]
        fn folding_letter_by_letter_is_folding_the_whole(text in "\\PC{0,40}") {
            let whole: String = text.nfkd().filter(|c| !is_combining_mark(*c)).collect();
            prop_assert_eq!(fold_any(&text), fold_any(&whole));
        }

        #[test]
        fn numbers_are_ordered_by_value(a in 0u64..1_000_000_000_000, b in 0u64..1_000_000_000_000) {
            let (left, right) = (sort_key(&format!("No. {a}")).1, sort_key(&format!("No. {b}")).1);
            prop_assert_eq!(left.cmp(&right), a.cmp(&b));
        }
    }
}
