//! Tokens of a title for comparison: folded, with numbers as digits, and with volumes and issues
//! reduced to their numbers.

use crate::search;

/// Maximum length of a text, in characters.
const LONGEST: usize = 400;

/// Words that announce a volume number: `Vol. 3` and `Book Three` become "3".
const VOLUMES: &[&str] = &[
    "vol", "vols", "volume", "volumes", "book", "bk", "part", "pt", "tome", "tomo", "band", "bd",
    "teil", "deel", "parte", "partie", "libro", "livre", "episode", "ep", "v",
];

/// Words that announce an issue number, which differs from a volume number.
const ISSUES: &[&str] = &["#", "issue", "nr", "no"];

/// Roman numerals that are not words themselves.
const ROMAN: &[(&str, &str)] = &[
    ("ii", "2"),
    ("iii", "3"),
    ("iv", "4"),
    ("vi", "6"),
    ("vii", "7"),
    ("viii", "8"),
    ("ix", "9"),
    ("xi", "11"),
    ("xii", "12"),
    ("xiii", "13"),
    ("xiv", "14"),
    ("xv", "15"),
    ("xvi", "16"),
    ("xvii", "17"),
    ("xviii", "18"),
    ("xix", "19"),
    ("xx", "20"),
];

const UNITS: &[&str] = &[
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];

const TENS: &[&str] = &[
    "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
];

/// Returns the tokens of a text. Different spellings of one title have equal tokens.
pub(super) fn words(text: &str) -> Vec<String> {
    let text: String = text.chars().take(LONGEST).collect();
    // Issues before the first one have negative numbers.
    let text = search::fold(&text).replace("#-", "# minus ");
    let words = tokens(&text);
    numbered(&in_digits(&words))
}

/// Returns `true` for a number, including an issue number.
pub(super) fn is_number(word: &str) -> bool {
    let digits = word.strip_prefix('#').unwrap_or(word);
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Splits a folded text into runs of letters, runs of digits, single ideographs, and `#`.
fn tokens(folded: &str) -> Vec<String> {
    #[derive(PartialEq, Clone, Copy)]
    enum Class {
        Letter,
        Digit,
        Alone,
        Gap,
    }
    let class = |c: char| match c {
        '#' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' => {
            Class::Alone
        }
        c if c.is_ascii_digit() => Class::Digit,
        c if c.is_alphanumeric() => Class::Letter,
        _ => Class::Gap,
    };
    let mut words: Vec<String> = Vec::new();
    let mut before = Class::Gap;
    for c in without_grouping(folded).chars() {
        let now = class(c);
        match (now, words.last_mut()) {
            (Class::Gap, _) => {}
            (Class::Letter | Class::Digit, Some(word)) if now == before => word.push(c),
            _ => words.push(c.to_string()),
        }
        before = now;
    }
    words
}

/// Removes thousands separators: `20,000`.
fn without_grouping(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    let groups = |at: usize| {
        let three = (1..=3).all(|step| digit(at + step)) && !digit(at + 4);
        three && at.checked_sub(1).is_some_and(digit)
    };
    let kept = chars
        .iter()
        .enumerate()
        .filter(|(at, c)| **c != ',' || !groups(*at));
    kept.map(|(_, c)| *c).collect()
}

/// Converts number words and Roman numerals to digits, and removes leading zeros.
fn in_digits(words: &[String]) -> Vec<String> {
    let mut out: Vec<String> = Vec::with_capacity(words.len());
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if let Some((value, next)) = spelt(words, at) {
            out.push(value.to_string());
            at = next;
            continue;
        }
        let is_last = at + 1 == words.len();
        let announced = out
            .last()
            .is_some_and(|last| VOLUMES.contains(&last.as_str()));
        let numeral = ROMAN.iter().find(|(roman, _)| roman == word);
        let digits = match word.as_str() {
            _ if at > 0 && numeral.is_some() => numeral.map(|(_, digits)| (*digits).to_owned()),
            "i" if at > 0 && (is_last || announced) => Some("1".to_owned()),
            "v" if at > 0 && (is_last || announced) => Some("5".to_owned()),
            // Without an announcing word, it is a letter: Mega Man X is not Mega Man 10.
            "x" if announced => Some("10".to_owned()),
            word if is_number(word) => {
                let bare = word.trim_start_matches('0');
                Some(if bare.is_empty() { "0" } else { bare }.to_owned())
            }
            _ => None,
        };
        out.push(digits.unwrap_or_else(|| word.clone()));
        at += 1;
    }
    out
}

/// Parses a number in English words at a position. Returns the value and the index after it.
fn spelt(words: &[String], at: usize) -> Option<(u32, usize)> {
    let is = |at: usize, word: &str| words.get(at).is_some_and(|w| w == word);
    let (mut value, mut next) = below_hundred(words, at)?;
    if is(next, "hundred") {
        value *= 100;
        next += 1;
        let rest = if is(next, "and") { next + 1 } else { next };
        if let Some((more, end)) = below_hundred(words, rest) {
            value += more;
            next = end;
        }
    } else if (11..=20).contains(&value)
        && let Some((more, end)) = below_hundred(words, next)
        && more >= 10
    {
        // Years are read in pairs: nineteen eighty-four.
        value = value * 100 + more;
        next = end;
    }
    if is(next, "thousand") {
        value *= 1000;
        next += 1;
    }
    Some((value, next))
}

fn below_hundred(words: &[String], at: usize) -> Option<(u32, usize)> {
    let place = |list: &[&str], at: usize| {
        let word = words.get(at)?;
        let place = list.iter().position(|known| known == word)?;
        u32::try_from(place).ok()
    };
    if let Some(tens) = place(TENS, at) {
        let tens = (tens + 2) * 10;
        return match place(UNITS, at + 1) {
            Some(unit @ 1..=9) => Some((tens + unit, at + 2)),
            _ => Some((tens, at + 1)),
        };
    }
    place(UNITS, at).map(|unit| (unit, at + 1))
}

/// Removes words that announce a volume. Issue numbers keep their `#`.
fn numbered(words: &[String]) -> Vec<String> {
    let mut out: Vec<String> = Vec::with_capacity(words.len());
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let number = words.get(at + 1).filter(|next| is_number(next));
        match (word.as_str(), number) {
            (word, Some(number)) if ISSUES.contains(&word) => {
                out.push(format!("#{number}"));
                at += 2;
            }
            (word, Some(_)) if VOLUMES.contains(&word) => at += 1,
            ("#", _) => at += 1,
            // 第3巻
            ("第", Some(number)) => {
                out.push(number.clone());
                at += if counts(words.get(at + 2)) { 3 } else { 2 };
            }
            (word, _) => {
                out.push(word.to_owned());
                let is_counted = is_number(word) && counts(words.get(at + 1));
                at += if is_counted { 2 } else { 1 };
            }
        }
    }
    out
}

/// Returns `true` for the volume counters in Chinese and Japanese.
fn counts(word: Option<&String>) -> bool {
    word.is_some_and(|word| matches!(word.as_str(), "巻" | "卷" | "集" | "册" | "冊"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_title_have_equal_words() {
        for (one, other) in [
            ("Catch-22", "Catch Twenty-Two"),
            ("1984", "Nineteen Eighty-Four"),
            ("20,000 Leagues", "Twenty Thousand Leagues"),
            ("Henry IV, Part 2", "Henry IV: Part Two"),
            ("Final Fantasy VII", "Final Fantasy 7"),
            ("Naruto, Vol. 03", "Naruto 3"),
            ("One Hundred and One Dalmatians", "101 Dalmatians"),
            ("Les Misérables", "LES MISERABLES"),
            ("Pride & Prejudice", "Pride and Prejudice"),
            ("The Handmaid’s Tale", "the handmaids tale"),
            ("ワンピース 第1巻", "ワンピース 1巻"),
            ("三体Ⅱ", "三体II"),
        ] {
            assert_eq!(words(one), words(other), "{one}");
        }
    }

    #[test]
    fn different_titles_have_different_words() {
        for (one, other) in [
            ("Mega Man X", "Mega Man 10"),
            ("Saga #1", "Saga Vol. 1"),
            ("Saga #1", "Saga #-1"),
            ("V.", "5"),
            ("X", "10"),
            ("Part 10", "Part 1"),
            ("三体", "三体II"),
        ] {
            assert_ne!(words(one), words(other), "{one}");
        }
    }
}
