//! Query texts for providers. They are reduced so that a provider also finds other spellings.

use crate::text::names::people;

/// Maximum length of a query text, in characters.
const LONGEST: usize = 200;

/// Returns the part of a name that all its spellings share: the surname, or the whole of a short
/// name.
pub fn surname(name: &str) -> String {
    let name = people::direct(name);
    let last = name.rsplit(' ').find(|word| word.chars().count() >= 3);
    last.unwrap_or(&name).chars().take(LONGEST).collect()
}

/// Returns a title, truncated to the maximum query length.
pub fn title(title: &str) -> String {
    title.chars().take(LONGEST).collect()
}

/// Returns the title without its subtitle, or `None` if it has no subtitle.
pub fn main_title(title: &str) -> Option<&str> {
    let (main, _) = title.split_once(':').or_else(|| title.split_once(" - "))?;
    let main = main.trim();
    (main.chars().count() >= 3).then_some(main)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surname_is_common_part_of_spellings() {
        for (name, expected) in [
            ("Tolkien, J. R. R.", "Tolkien"),
            ("JRR Tolkien", "Tolkien"),
            ("Ursula K. Le Guin", "Guin"),
            ("村上春樹", "村上春樹"),
            ("Bo Li", "Bo Li"),
            ("", ""),
        ] {
            assert_eq!(surname(name), expected, "{name}");
        }
    }

    #[test]
    fn main_title_is_part_before_subtitle() {
        assert_eq!(main_title("Sapiens: A Brief History"), Some("Sapiens"));
        assert_eq!(main_title("Sapiens - A Brief History"), Some("Sapiens"));
        assert_eq!(main_title("Sapiens"), None);
        assert_eq!(main_title("V: A Novel"), None);
    }
}
