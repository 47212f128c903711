//! Titles and badges that clients show for stored titles.

use serde::Serialize;
use utoipa::ToSchema;

use super::MediaKind;

/// Title as clients show it, with the values that were taken out of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisplayTitle {
    /// Title to show, never empty.
    pub title: String,
    /// Values to show next to the title, in order.
    pub badges: Vec<Badge>,
}

/// Value that clients show next to a title.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Badge {
    /// Meaning of the value, as the kind names it.
    pub kind: &'static str,
    /// Text of the badge, in English.
    pub label: String,
}

impl DisplayTitle {
    /// Shows the stored title.
    pub fn stored(title: &str) -> Self {
        Self {
            title: title.to_owned(),
            badges: Vec::new(),
        }
    }

    /// Derives the title and the badges of an item of this kind. Cards are read in many lists that
    /// have no registry.
    pub fn of(kind: &str, title: &str) -> Self {
        match MediaKind::linked(kind) {
            Some(kind) => (kind.display_title)(title),
            None => Self::stored(title),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(title: &str) -> DisplayTitle {
        DisplayTitle {
            title: title.chars().take(3).collect(),
            badges: vec![Badge {
                kind: "length",
                label: title.len().to_string(),
            }],
        }
    }

    const PAPER: MediaKind = MediaKind {
        display_title: short,
        ..MediaKind::new("short_paper", "Paper", "Papers", &[])
    };
    inventory::submit! { PAPER }

    #[test]
    fn linked_kind_derives_title_and_others_show_the_stored_one() {
        let shown = DisplayTitle::of("short_paper", "Lantern");
        assert_eq!((shown.title.as_str(), shown.badges.len()), ("Lan", 1));
        assert_eq!(
            DisplayTitle::of("none", "Lantern"),
            DisplayTitle::stored("Lantern")
        );
    }
}
