//! Tree of values that is written as XML or as JSON.

use ledge_core::Timestamp;
use serde::ser::{Serialize, SerializeMap as _, Serializer};

/// Value of a field.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    /// Text: an attribute in XML.
    Text(String),
    /// Integer: an attribute in XML.
    Integer(i64),
    /// Number: an attribute in XML.
    Number(f64),
    /// Truth value: an attribute in XML.
    Bool(bool),
    /// Text: the content of the element in XML.
    Content(String),
    /// Text: an element with this content in XML.
    Element(String),
    /// Object.
    Node(Node),
    /// List of objects: repeated elements in XML.
    List(Vec<Node>),
    /// List of texts: repeated elements with content in XML.
    Texts(Vec<String>),
    /// List of integers: repeated elements with content in XML.
    Integers(Vec<i64>),
}

/// Object: fields with names.
#[derive(Debug, Clone, Default)]
pub(crate) struct Node {
    pub(crate) fields: Vec<Field>,
}

/// Field of an object.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) value: Value,
    /// `true` for an addition of OpenSubsonic, which some old apps cannot read.
    pub(crate) is_addition: bool,
}

impl Node {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a field.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.push(name, value.into(), false);
        self
    }

    /// Adds a field if its value is known.
    pub(crate) fn with_some(self, name: &'static str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Adds a field of OpenSubsonic.
    pub(crate) fn plus(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.push(name, value.into(), true);
        self
    }

    /// Adds a field of OpenSubsonic if its value is known.
    pub(crate) fn plus_some(self, name: &'static str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.plus(name, value),
            None => self,
        }
    }

    fn push(&mut self, name: &'static str, value: Value, is_addition: bool) {
        self.fields.push(Field {
            name,
            value,
            is_addition,
        });
    }

    /// Marks fields as additions of OpenSubsonic.
    pub(crate) fn with_additions(mut self, names: &[&str]) -> Self {
        for field in &mut self.fields {
            field.is_addition |= names.contains(&field.name);
        }
        self
    }

    /// Removes the additions of OpenSubsonic.
    pub(crate) fn remove_additions(&mut self) {
        self.fields.retain(|field| !field.is_addition);
        for field in &mut self.fields {
            match &mut field.value {
                Value::Node(node) => node.remove_additions(),
                Value::List(nodes) => nodes.iter_mut().for_each(Self::remove_additions),
                _ => {}
            }
        }
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.fields.len()))?;
        for field in &self.fields {
            map.serialize_entry(field.name, &field.value)?;
        }
        map.end()
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) | Self::Content(text) | Self::Element(text) => {
                text.serialize(serializer)
            }
            Self::Integer(number) => number.serialize(serializer),
            Self::Number(number) => number.serialize(serializer),
            Self::Bool(value) => value.serialize(serializer),
            Self::Node(node) => node.serialize(serializer),
            Self::List(nodes) => nodes.serialize(serializer),
            Self::Texts(texts) => texts.serialize(serializer),
            Self::Integers(numbers) => numbers.serialize(serializer),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        Self::Integer(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

/// Dates have milliseconds, because an app cannot read microseconds.
impl From<Timestamp> for Value {
    fn from(time: Timestamp) -> Self {
        let text = time.to_string();
        let millis = text.get(..23).unwrap_or(&text);
        Self::Text(format!("{millis}Z"))
    }
}

impl From<Node> for Value {
    fn from(node: Node) -> Self {
        Self::Node(node)
    }
}

impl From<Vec<Node>> for Value {
    fn from(nodes: Vec<Node>) -> Self {
        Self::List(nodes)
    }
}

impl From<Vec<String>> for Value {
    fn from(texts: Vec<String>) -> Self {
        Self::Texts(texts)
    }
}
