//! Bounded tree of an XML element: name, type, text and children.

use ledge_core::text::markup::text;
use ledge_core::text::markup::xml::{Document, Element, Piece};

/// Deepest level of children that is read.
const MAX_DEPTH: usize = 6;
/// Most elements of a tree.
const MAX_NODES: usize = 5_000;
/// Longest text of one element, in bytes.
const MAX_TEXT_BYTES: usize = 100_000;

/// Element with its content.
#[derive(Debug, Default)]
pub(crate) struct Node {
    /// Local name in lower case.
    pub(crate) name: String,
    /// Value of the attribute `type` in lower case.
    pub(crate) kind: Option<String>,
    text: String,
    children: Vec<Node>,
}

impl Node {
    /// Reads the last opened element. The content before a syntax error is kept.
    pub(crate) fn read(element: &Element<'_>, document: &mut Document<'_>) -> Self {
        let mut budget = MAX_NODES;
        read(element, document, MAX_DEPTH, &mut budget)
    }

    /// Returns the text on one line, or `None` if it is blank.
    pub(crate) fn line(&self) -> Option<String> {
        text::line(&self.text)
    }

    /// Returns the text with its line breaks, or `None` if it is blank.
    pub(crate) fn long(&self) -> Option<String> {
        text::lines(&self.text)
    }

    /// Returns the children with one of these names.
    pub(crate) fn all<'a>(&'a self, names: &'a [&str]) -> impl Iterator<Item = &'a Self> {
        let children = self.children.iter();
        children.filter(|child| names.contains(&child.name.as_str()))
    }

    /// Returns the text of the first child with this name that is not blank, on one line.
    pub(crate) fn child(&self, name: &str) -> Option<String> {
        self.all(&[name]).find_map(Self::line)
    }

    /// Returns the values of all children with one of these names, each once. An element may
    /// contain several values, divided by one of `separators`.
    pub(crate) fn list(&self, names: &[&str], separators: &[&str], most: usize) -> Vec<String> {
        let mut values: Vec<String> = Vec::new();
        for child in self.all(names) {
            let mut parts = vec![child.text.as_str()];
            for separator in separators {
                parts = parts
                    .iter()
                    .flat_map(|part| part.split(separator))
                    .collect();
            }
            for value in parts.into_iter().filter_map(text::line) {
                if values.len() < most && !values.contains(&value) {
                    values.push(value);
                }
            }
        }
        values
    }
}

fn read(
    element: &Element<'_>,
    document: &mut Document<'_>,
    depth: usize,
    budget: &mut usize,
) -> Node {
    let inside = document.depth();
    let mut node = Node {
        name: element.name().to_ascii_lowercase(),
        kind: element.attribute("type").map(|kind| kind.to_lowercase()),
        ..Node::default()
    };
    while document.depth() >= inside {
        match document.piece() {
            Ok(Some(Piece::Open(child))) => {
                if depth == 0 || *budget == 0 {
                    if document.skip().is_err() {
                        break;
                    }
                    continue;
                }
                *budget -= 1;
                node.children
                    .push(read(&child, document, depth - 1, budget));
            }
            Ok(Some(Piece::Text(piece))) if node.text.len() < MAX_TEXT_BYTES => {
                let room = MAX_TEXT_BYTES - node.text.len();
                node.text.push_str(
                    piece
                        .get(..piece.floor_char_boundary(room))
                        .unwrap_or_default(),
                );
            }
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => break,
        }
    }
    node
}

/// Returns the first element with one of these names as a tree. Some files have other text before
/// their root element.
pub(crate) fn root(text: &str, names: &[&str]) -> Option<Node> {
    let start = names
        .iter()
        .filter_map(|name| text.find(&format!("<{name}")))
        .min()?;
    let mut document = Document::new(text.get(start..)?);
    match document.piece() {
        Ok(Some(Piece::Open(element))) => {
            let node = Node::read(&element, &mut document);
            let is_wanted = names
                .iter()
                .any(|name| name.eq_ignore_ascii_case(&node.name));
            is_wanted.then_some(node)
        }
        _ => None,
    }
}

/// Returns the elements with this name as trees. A file about several episodes has several root
/// elements.
pub(crate) fn roots(text: &str, name: &str, most: usize) -> Vec<Node> {
    let mut document = Document::new(text);
    let mut found = Vec::new();
    while found.len() < most
        && let Ok(Some(piece)) = document.piece()
    {
        if let Piece::Open(element) = piece
            && element.is(name)
        {
            found.push(Node::read(&element, &mut document));
        }
    }
    found
}

/// Returns a date such as `1998-06-24` or `19980624T000000` in the first form. A date without a
/// valid month or day is only a year.
pub(crate) fn date(text: &str) -> Option<String> {
    let digits: String = text
        .trim()
        .chars()
        .take(10)
        .filter(char::is_ascii_digit)
        .collect();
    let year = digits
        .get(..4)
        .filter(|year| ("1000".."3000").contains(year))?;
    let part = |from: usize, most: &str| {
        let part = digits.get(from..from + 2)?;
        ("01"..=most).contains(&part).then_some(part)
    };
    match (part(4, "12"), part(6, "31")) {
        (Some(month), Some(day)) => Some(format!("{year}-{month}-{day}")),
        _ => Some(year.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_all_programs_have_one_form() {
        for (text, expected) in [
            ("1998-06-24", Some("1998-06-24")),
            ("19980624T000000", Some("1998-06-24")),
            (" 1998-06-24T10:00:00Z", Some("1998-06-24")),
            ("19980000T000000", Some("1998")),
            ("1998-13-40", Some("1998")),
            ("1998", Some("1998")),
            ("0000", None),
            ("98", None),
            ("é", None),
        ] {
            assert_eq!(date(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn trees_are_bounded() {
        let deep = format!("<movie>{}", "<a>".repeat(200));
        let root_of = |text: &str| root(text, &["movie"]).expect("a root");
        assert_eq!(root_of(&deep).children.len(), 1);
        let wide = format!("<movie>{}</movie>", "<a>x</a>".repeat(MAX_NODES + 100));
        assert_eq!(root_of(&wide).children.len(), MAX_NODES);
        let long = format!("<movie>{}</movie>", "x".repeat(MAX_TEXT_BYTES * 3));
        assert_eq!(root_of(&long).text.len(), MAX_TEXT_BYTES);
        assert!(root("<movies><movie/></movies>", &["movie"]).is_none());
        assert!(root("nothing", &["movie"]).is_none());
    }
}
