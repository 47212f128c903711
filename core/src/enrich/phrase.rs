//! The words to send to a provider, so that it finds what is written a little otherwise there.

use crate::names::people;

/// Longest text that is sent, in characters.
const LONGEST: usize = 200;

/// The part of a name that every writing of it has: the surname, or all of a short one.
pub fn surname(name: &str) -> String {
    let name = people::direct(name);
    let last = name.rsplit(' ').find(|word| word.chars().count() >= 3);
    last.unwrap_or(&name).chars().take(LONGEST).collect()
}

/// A title, no longer than anybody would search for.
pub fn title(title: &str) -> String {
    title.chars().take(LONGEST).collect()
}

/// What stands before the subtitle; `None` where there is none.
pub fn main_title(title: &str) -> Option<&str> {
    let (main, _) = title.split_once(':').or_else(|| title.split_once(" - "))?;
    let main = main.trim();
    (main.chars().count() >= 3).then_some(main)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_asked_for_by_what_everybody_writes() {
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
    fn the_main_title_stands_before_the_subtitle() {
        assert_eq!(main_title("Sapiens: A Brief History"), Some("Sapiens"));
        assert_eq!(main_title("Sapiens - A Brief History"), Some("Sapiens"));
        assert_eq!(main_title("Sapiens"), None);
        assert_eq!(main_title("V: A Novel"), None);
    }
}
