//! The document of a section as a tree of elements and texts, within limits.

use ledge_core::error::ReadError;

use crate::archive::ReadResult;
use crate::xml::{Document, Element, Piece};

/// Most elements and texts of a document.
const MOST_NODES: usize = 100_000;
/// Deepest nesting of elements.
const DEEPEST: usize = 64;

/// Elements that the web interface's reader removes, so that its positions do not count them.
const REMOVED: [&str; 11] = [
    "script", "iframe", "frame", "frameset", "object", "embed", "applet", "portal", "base",
    "noscript", "template",
];

/// Index of a node. The root element is 0, and an index is larger than that of the parent.
pub(super) type NodeId = usize;

/// Element or text.
#[derive(Debug)]
struct Node {
    parent: NodeId,
    content: Content,
    children: Vec<NodeId>,
}

#[derive(Debug)]
enum Content {
    /// Local name and id.
    Element(Box<str>, Option<Box<str>>),
    Text(String),
}

/// Point in a document: the start of an element, or a UTF-16 offset in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Point {
    pub(super) node: NodeId,
    pub(super) offset: usize,
}

/// Parsed document.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    body: NodeId,
}

impl Tree {
    /// Parses a document.
    pub(super) fn parse(text: &str) -> ReadResult<Self> {
        let mut document = Document::new(text);
        let mut builder = Builder::default();
        while let Some(piece) = document.piece()? {
            match piece {
                Piece::Open(element) if is_removed(&element) => document.skip()?,
                Piece::Open(element) => builder.open(&element)?,
                Piece::Text(text) => builder.text(&text)?,
                Piece::Close => builder.close(),
            }
        }
        let mut tree = Self {
            nodes: builder.nodes,
            body: 0,
        };
        if tree.nodes.is_empty() {
            return Err(ReadError::Damaged("its section is empty".to_owned()));
        }
        tree.body = tree.child_named(0, "body", 1).unwrap_or(0);
        Ok(tree)
    }

    /// Returns the element `body`, otherwise the root.
    pub(super) fn body(&self) -> NodeId {
        self.body
    }

    pub(super) fn children(&self, id: NodeId) -> &[NodeId] {
        self.nodes.get(id).map_or(&[], |node| &node.children)
    }

    pub(super) fn parent(&self, id: NodeId) -> NodeId {
        self.nodes.get(id).map_or(0, |node| node.parent)
    }

    /// Returns the local name of an element, or `None` for a text.
    pub(super) fn name(&self, id: NodeId) -> Option<&str> {
        match &self.nodes.get(id)?.content {
            Content::Element(name, _) => Some(name),
            Content::Text(_) => None,
        }
    }

    /// Returns a text, or `None` for an element.
    pub(super) fn text(&self, id: NodeId) -> Option<&str> {
        match &self.nodes.get(id)?.content {
            Content::Text(text) => Some(text),
            Content::Element(..) => None,
        }
    }

    pub(super) fn is_element(&self, id: NodeId) -> bool {
        self.name(id).is_some()
    }

    /// Returns the element with an id.
    pub(super) fn with_id(&self, wanted: &str) -> Option<NodeId> {
        self.nodes.iter().position(
            |node| matches!(&node.content, Content::Element(_, Some(id)) if &**id == wanted),
        )
    }

    /// Returns the child element with this name and number, from 1.
    pub(super) fn child_named(&self, parent: NodeId, name: &str, number: usize) -> Option<NodeId> {
        self.children_named(parent, name)
            .nth(number.checked_sub(1)?)
    }

    /// Returns the child elements with this name.
    pub(super) fn children_named(
        &self,
        parent: NodeId,
        name: &str,
    ) -> impl Iterator<Item = NodeId> {
        let children = self.children(parent).iter().copied();
        children.filter(move |child| {
            let own = self.name(*child);
            own.is_some_and(|own| own.eq_ignore_ascii_case(name))
        })
    }

    /// Returns the texts below the body with their nodes, in document order.
    fn texts(&self) -> impl Iterator<Item = (NodeId, usize)> {
        let nodes = self.nodes.iter().enumerate().skip(self.body);
        nodes.filter_map(|(id, node)| match &node.content {
            Content::Text(text) => Some((id, utf16(text))),
            Content::Element(..) => None,
        })
    }

    /// Returns the relative position of a point in the text of the body, from 0 to 1.
    pub(super) fn within(&self, point: Point) -> f64 {
        let total: usize = self.texts().map(|(_, length)| length).sum();
        let before = self.texts().take_while(|(id, _)| *id < point.node);
        let before: usize = before.map(|(_, length)| length).sum();
        let offset = self.text(point.node).map_or(0, utf16).min(point.offset);
        if total == 0 {
            return 0.0;
        }
        ratio(before + offset, total)
    }

    /// Returns the point at a relative position in the text of the body.
    pub(super) fn at(&self, within: f64) -> Point {
        let total: usize = self.texts().map(|(_, length)| length).sum();
        let mut last = Point {
            node: self.body,
            offset: 0,
        };
        let mut before = 0;
        for (node, length) in self.texts() {
            if ratio(before + length, total.max(1)) > within {
                let mut offsets = (0..=length).rev();
                let fits = |offset: &usize| ratio(before + offset, total.max(1)) <= within;
                let offset = offsets.find(fits).unwrap_or(0);
                return Point { node, offset };
            }
            before += length;
            last = Point {
                node,
                offset: length,
            };
        }
        last
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "lengths are far below 2^52, and the result is approximate"
)]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

/// Returns the length of a text in UTF-16 code units, as positions count it.
pub(super) fn utf16(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

fn is_removed(element: &Element<'_>) -> bool {
    let is_style = || {
        let rel = element.attribute("rel").unwrap_or_default();
        rel.eq_ignore_ascii_case("stylesheet")
    };
    REMOVED.iter().any(|name| element.is(name))
        || (element.is("meta") && element.attribute("http-equiv").is_some())
        || (element.is("link") && !is_style())
}

/// Tree under construction. Nodes of an element that closes twice are added to the root.
#[derive(Default)]
struct Builder {
    nodes: Vec<Node>,
    open: Vec<NodeId>,
}

impl Builder {
    fn open(&mut self, element: &Element<'_>) -> ReadResult<()> {
        if self.open.len() >= DEEPEST {
            let message = format!("its section is nested more than {DEEPEST} deep");
            return Err(ReadError::Limit(message));
        }
        let id = element.attribute("id").map(String::into_boxed_str);
        let node = self.add(Content::Element(element.name().into(), id))?;
        self.open.push(node);
        Ok(())
    }

    fn text(&mut self, text: &str) -> ReadResult<()> {
        // A parser of XML replaces these line breaks, so positions count one character.
        let text = text.replace("\r\n", "\n");
        let Some(parent) = self.open.last().copied() else {
            return Ok(());
        };
        let last = self.nodes.get(parent).and_then(|node| node.children.last());
        let last = last.copied().and_then(|last| self.nodes.get_mut(last));
        if let Some(Node {
            content: Content::Text(before),
            ..
        }) = last
        {
            before.push_str(&text);
            return Ok(());
        }
        self.add(Content::Text(text)).map(drop)
    }

    fn add(&mut self, content: Content) -> ReadResult<NodeId> {
        let id = self.nodes.len();
        if id >= MOST_NODES {
            return Err(ReadError::Limit(
                "its section has too many parts".to_owned(),
            ));
        }
        let parent = self.open.last().copied().unwrap_or(0);
        self.nodes.push(Node {
            parent,
            content,
            children: Vec::new(),
        });
        if id > 0
            && let Some(parent) = self.nodes.get_mut(parent)
        {
            parent.children.push(id);
        }
        Ok(id)
    }

    fn close(&mut self) {
        self.open.pop();
    }
}
