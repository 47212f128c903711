//! Articles that catalogues move behind the title: `Legend, The`.

const ARTICLES: &[&str] = &[
    "The", "A", "An", "Der", "Die", "Das", "Ein", "Eine", "Le", "La", "Les", "L'", "Un", "Une",
    "El", "Los", "Las", "Il", "Lo", "Gli", "Het", "De", "Een", "O", "Os", "As",
];

/// Returns the title in reading order: `Legend, The` becomes "The Legend", `Legend, The - Part Two`
/// becomes "The Legend - Part Two".
pub fn restore(title: &str) -> String {
    let (main, rest) = match title.split_once(" - ") {
        Some((main, rest)) => (main, Some(rest)),
        None => (title, None),
    };
    let Some(restored) = in_front(main) else {
        return title.to_owned();
    };
    match rest {
        Some(rest) => format!("{restored} - {rest}"),
        None => restored,
    }
}

/// Returns `true` if a title begins with an article, which names of people do not.
pub fn begins(title: &str) -> bool {
    let first = title.split_whitespace().next().unwrap_or_default();
    title.len() > first.len() && is_article(first)
}

fn is_article(word: &str) -> bool {
    ARTICLES
        .iter()
        .any(|article| article.eq_ignore_ascii_case(word))
}

fn in_front(title: &str) -> Option<String> {
    let (head, article) = title.rsplit_once(", ")?;
    let head = head.trim();
    if head.is_empty() || !is_article(article) {
        return None;
    }
    let gap = if article.ends_with('\'') { "" } else { " " };
    Some(format!("{article}{gap}{head}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restore_moves_article_to_front() {
        assert_eq!(restore("Slime Travel, A"), "A Slime Travel");
        assert_eq!(restore("Legend, The - Part Two"), "The Legend - Part Two");
        assert_eq!(restore("Étranger, L'"), "L'Étranger");
        assert_eq!(restore("Me, Myself"), "Me, Myself");
        assert_eq!(restore(", The"), ", The");
        assert!(begins("The Wind"));
        assert!(!begins("Theodore"));
        assert!(!begins("A"));
    }
}
