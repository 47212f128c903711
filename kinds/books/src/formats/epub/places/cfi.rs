//! Canonical fragment identifiers of EPUB (EPUB CFI 1.1), as the web interface's reader writes them.

use super::tree::{NodeId, Point, Tree, utf16};

/// Most steps of an identifier.
const MOST_STEPS: usize = 256;

/// Parsed identifier. A range is reduced to its start.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cfi {
    /// Steps in the package document.
    package: Vec<usize>,
    /// Steps in the document of the section, and the offset in the last one.
    steps: Vec<usize>,
    offset: usize,
}

impl Cfi {
    /// Parses an identifier. Ids in brackets are ignored.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let inner = text.trim().strip_prefix("epubcfi(")?.strip_suffix(')')?;
        let plain = without_assertions(inner);
        let mut parts = plain.split(',');
        let parent = parts.next()?;
        let start = parts.next().unwrap_or_default();
        let whole = format!("{parent}{start}");
        let (package, local) = whole.split_once('!')?;
        // An indirection inside the section leads to another document.
        let local = local.split('!').next().unwrap_or_default();
        let (package, _) = steps(package)?;
        let (steps, offset) = steps(local)?;
        Some(Self {
            package,
            steps,
            offset,
        })
    }

    /// Returns the index of the section.
    pub(super) fn section(&self) -> Option<usize> {
        let step = *self.package.get(1)?;
        (step % 2 == 0).then_some(step / 2)?.checked_sub(1)
    }

    /// Returns the point in a document. If a step has no target, returns the last element before it.
    pub(super) fn resolve(&self, tree: &Tree) -> Point {
        let mut node = 0;
        for step in &self.steps {
            let next = if step % 2 == 0 {
                element(tree, node, step / 2)
            } else {
                chunk(tree, node, step / 2)
            };
            let Some(next) = next else {
                return Point { node, offset: 0 };
            };
            node = next;
        }
        let length = tree.text(node).map_or(0, utf16);
        Point {
            node,
            offset: self.offset.min(length),
        }
    }
}

/// Removes texts in brackets. `^` escapes the next character.
fn without_assertions(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut is_inside = false;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '^' => {
                chars.next();
            }
            '[' => is_inside = true,
            ']' => is_inside = false,
            c if !is_inside => plain.push(c),
            _ => {}
        }
    }
    plain
}

/// Parses steps, and the offset at the end. Offsets in time and space are ignored.
fn steps(text: &str) -> Option<(Vec<usize>, usize)> {
    let text = text.split(['~', '@']).next().unwrap_or_default();
    let (path, offset) = text.split_once(':').unwrap_or((text, "0"));
    let steps: Option<Vec<usize>> = path
        .split('/')
        .skip(1)
        .take(MOST_STEPS)
        .map(|step| step.parse().ok())
        .collect();
    Some((steps?, offset.parse().ok()?))
}

/// Returns the child element with this number, from 1.
fn element(tree: &Tree, parent: NodeId, number: usize) -> Option<NodeId> {
    let children = tree.children(parent).iter().copied();
    let mut elements = children.filter(|child| tree.is_element(*child));
    elements.nth(number.checked_sub(1)?)
}

/// Returns the text after this number of child elements.
fn chunk(tree: &Tree, parent: NodeId, elements: usize) -> Option<NodeId> {
    let mut before = 0;
    for child in tree.children(parent) {
        if tree.is_element(*child) {
            before += 1;
        } else if before == elements {
            return Some(*child);
        }
    }
    None
}

/// Writes the identifier of a point in a section. `section` contains the step to the spine and the
/// index of the section.
pub(super) fn write(tree: &Tree, point: Point, section: (usize, usize)) -> String {
    let mut steps = Vec::new();
    let mut node = point.node;
    while node != 0 {
        let parent = tree.parent(node);
        let siblings = tree.children(parent).iter().copied();
        let before = siblings.take_while(|sibling| *sibling != node);
        let elements = before.filter(|sibling| tree.is_element(*sibling)).count();
        let is_element = tree.is_element(node);
        let step = 2 * elements + if is_element { 2 } else { 1 };
        steps.push(format!("/{step}"));
        node = parent;
    }
    steps.reverse();
    let steps = steps.concat();
    let offset = if tree.is_element(point.node) {
        String::new()
    } else {
        format!(":{}", point.offset)
    };
    let (spine, index) = section;
    format!("epubcfi(/{spine}/{}!{steps}{offset})", 2 * (index + 1))
}
