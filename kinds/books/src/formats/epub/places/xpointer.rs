//! `XPointers` of crengine, the layout engine of `KOReader` and other programs.
//!
//! `/body/DocFragment[3]/body/p[2]/text().14` is the 14th character of a text in the third section.
//! A number among siblings of one name is omitted if there is only one. `#_doc_fragment_2_ id` is an
//! element by its id.

use super::tree::{NodeId, Point, Tree, utf16};

/// Most steps of a pointer.
const MOST_STEPS: usize = 256;

/// Elements that crengine inserts for the layout.
const INSERTED: [&str; 6] = [
    "autoBoxing",
    "floatBox",
    "inlineBox",
    "tabularBox",
    "rubyBox",
    "pseudoElem",
];

/// Parsed pointer.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct XPointer<'a> {
    /// Index of the section.
    pub(super) section: usize,
    target: Target<'a>,
}

#[derive(Debug, PartialEq, Eq)]
enum Target<'a> {
    Start,
    Id(&'a str),
    Path {
        /// Names and numbers, from 1.
        steps: Vec<(&'a str, usize)>,
        offset: usize,
    },
}

impl<'a> XPointer<'a> {
    /// Parses a pointer. Returns `None` if it names no section.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let text = text.trim();
        if let Some(rest) = text.strip_prefix("#_doc_fragment_") {
            let (section, id) = rest.split_once('_')?;
            let id = id.trim();
            return Some(Self {
                section: section.parse().ok()?,
                target: if id.is_empty() {
                    Target::Start
                } else {
                    Target::Id(id)
                },
            });
        }
        let rest = text.strip_prefix("/body/DocFragment")?;
        let (section, rest) = match rest.strip_prefix('[') {
            Some(numbered) => {
                let (number, rest) = numbered.split_once(']')?;
                (number.parse::<usize>().ok()?.checked_sub(1)?, rest)
            }
            // A book with one section has no number.
            None => (0, rest),
        };
        Some(Self {
            section,
            target: path(rest),
        })
    }

    /// Returns `false` for the start of the section.
    pub(super) fn is_exact(&self) -> bool {
        self.target != Target::Start
    }

    /// Returns the point in a document. If a step has no target, returns the last element before it.
    pub(super) fn resolve(&self, tree: &Tree) -> Point {
        let start = Point {
            node: tree.body(),
            offset: 0,
        };
        match &self.target {
            Target::Start => start,
            Target::Id(id) => Point {
                node: tree.with_id(id).unwrap_or(start.node),
                offset: 0,
            },
            Target::Path { steps, offset } => follow(tree, steps, *offset),
        }
    }
}

/// Parses the part after the section. A path that is not understood is the start.
fn path(text: &str) -> Target<'_> {
    let mut offset = 0;
    let mut steps = Vec::new();
    for (at, step) in text.split('/').enumerate() {
        // The part before the first slash can contain an offset.
        if at == 0 {
            continue;
        }
        let suffix = step
            .rsplit_once('.')
            .and_then(|(name, number)| Some((name, number.parse().ok()?)));
        let step = match suffix {
            Some((name, number)) => {
                offset = number;
                name
            }
            None => step,
        };
        let Some(step) = numbered(step).filter(|_| steps.len() < MOST_STEPS) else {
            return Target::Start;
        };
        if !INSERTED.contains(&step.0) {
            steps.push(step);
        }
    }
    if steps.is_empty() {
        Target::Start
    } else {
        Target::Path { steps, offset }
    }
}

/// Parses a name with an optional number.
fn numbered(step: &str) -> Option<(&str, usize)> {
    match step.split_once('[') {
        Some((name, number)) => {
            let number = number.strip_suffix(']')?.parse().ok()?;
            Some((name, number))
        }
        None => (!step.is_empty()).then_some((step, 1)),
    }
}

fn follow(tree: &Tree, steps: &[(&str, usize)], offset: usize) -> Point {
    let mut node = tree.body();
    let mut steps = steps.iter().peekable();
    // The first step is the body itself.
    steps.next_if(|(name, _)| name.eq_ignore_ascii_case("body"));
    for (name, number) in steps {
        if *name == "text()" {
            let Some(text) = text_of(tree, node, *number) else {
                return Point { node, offset: 0 };
            };
            let raw = expanded(tree, text, offset);
            return Point {
                node: text,
                offset: raw,
            };
        }
        match tree.child_named(node, name, *number) {
            Some(child) => node = child,
            None => return Point { node, offset: 0 },
        }
    }
    // The offset of an element is the index of a child.
    let child = (offset > 0).then(|| tree.children(node).get(offset));
    Point {
        node: child.flatten().copied().unwrap_or(node),
        offset: 0,
    }
}

/// Returns the child texts. crengine drops texts of white space between blocks.
fn texts(tree: &Tree, parent: NodeId) -> impl Iterator<Item = NodeId> {
    let children = tree.children(parent).iter().copied();
    children.filter(|child| {
        let text = tree.text(*child);
        text.is_some_and(|text| !text.trim_ascii().is_empty())
    })
}

fn text_of(tree: &Tree, parent: NodeId, number: usize) -> Option<NodeId> {
    let mut texts = texts(tree, parent);
    texts.nth(number.checked_sub(1)?)
}

/// Returns the characters of a text with their UTF-16 offsets, and `true` for those that remain
/// after white space is collapsed.
fn collapsed(tree: &Tree, node: NodeId) -> impl Iterator<Item = (usize, bool)> {
    let is_first = tree.children(tree.parent(node)).first() == Some(&node);
    let text = tree.text(node).unwrap_or_default();
    let mut is_after_space = is_first;
    let mut at = 0;
    text.chars().map(move |c| {
        let is_space = matches!(c, ' ' | '\t' | '\n' | '\r');
        let remains = !(is_space && is_after_space);
        is_after_space = is_space;
        let start = at;
        at += c.len_utf16();
        (start, remains)
    })
}

/// Converts an offset in collapsed characters to UTF-16 code units.
fn expanded(tree: &Tree, node: NodeId, offset: usize) -> usize {
    let mut remaining = collapsed(tree, node).filter(|(_, remains)| *remains);
    let end = || tree.text(node).map_or(0, utf16);
    remaining.nth(offset).map_or_else(end, |(at, _)| at)
}

/// Converts an offset in UTF-16 code units to collapsed characters.
fn reduced(tree: &Tree, node: NodeId, offset: usize) -> usize {
    let before = collapsed(tree, node).take_while(|(at, _)| *at < offset);
    before.filter(|(_, remains)| *remains).count()
}

/// Writes the pointer to a point in a section. The start of an element becomes that of its first
/// text.
pub(super) fn write(tree: &Tree, point: Point, section: usize) -> String {
    let point = first_text(tree, point);
    let mut steps = Vec::new();
    let mut node = point.node;
    while node != tree.body() && node != 0 {
        let parent = tree.parent(node);
        let step = match tree.name(node) {
            Some(name) => step(name, node, tree.children_named(parent, name)),
            None => step("text()", node, texts(tree, parent)),
        };
        steps.push(format!("/{step}"));
        node = parent;
    }
    steps.reverse();
    let steps = steps.concat();
    let offset = if tree.is_element(point.node) {
        0
    } else {
        reduced(tree, point.node, point.offset)
    };
    let number = section + 1;
    format!("/body/DocFragment[{number}]/body{steps}.{offset}")
}

/// Returns the name with the number of the node among those of the same name, if there are several.
fn step(name: &str, node: NodeId, same: impl Iterator<Item = NodeId>) -> String {
    let (mut number, mut total) = (1, 0);
    for sibling in same {
        total += 1;
        if sibling < node {
            number += 1;
        }
    }
    if total > 1 {
        format!("{name}[{number}]")
    } else {
        name.to_owned()
    }
}

/// Returns the first text that is not blank, at or below the point.
fn first_text(tree: &Tree, point: Point) -> Point {
    let is_blank = |node: NodeId| {
        let text = tree.text(node);
        text.is_some_and(|text| text.trim_ascii().is_empty())
    };
    if tree.text(point.node).is_some() && !is_blank(point.node) {
        return point;
    }
    // A blank text has no pointer. Its parent has one.
    let mut node = if tree.is_element(point.node) {
        point.node
    } else {
        return next_after_blank(tree, point.node);
    };
    loop {
        let children = tree.children(node).iter().copied();
        let mut shown = children.filter(|child| !is_blank(*child));
        let Some(child) = shown.next() else {
            return Point { node, offset: 0 };
        };
        if !tree.is_element(child) {
            return Point {
                node: child,
                offset: 0,
            };
        }
        node = child;
    }
}

/// Returns the element after a blank text, otherwise its parent.
fn next_after_blank(tree: &Tree, blank: NodeId) -> Point {
    let parent = tree.parent(blank);
    let mut siblings = tree.children(parent).iter().copied();
    let next = siblings.find(|sibling| *sibling > blank && tree.is_element(*sibling));
    let node = next.unwrap_or(parent);
    match next {
        Some(_) => first_text(tree, Point { node, offset: 0 }),
        None => Point { node, offset: 0 },
    }
}
