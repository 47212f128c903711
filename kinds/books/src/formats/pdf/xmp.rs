//! XMP metadata: an RDF document inside the PDF.

use serde::{Deserialize, Serialize};

use crate::text;
use crate::xml::{self, Document, Piece};

/// Longest text of one property, in bytes, and most values of one property.
const LONGEST: usize = 64 << 10;
const MOST: usize = 200;

/// Values of the Dublin Core properties.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Xmp {
    pub(super) title: Option<String>,
    pub(super) creators: Vec<String>,
    pub(super) description: Option<String>,
    pub(super) publisher: Option<String>,
    pub(super) language: Option<String>,
    pub(super) date: Option<String>,
    pub(super) identifiers: Vec<String>,
}

impl Xmp {
    /// Parses metadata up to the first XML error.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let text = xml::decode(bytes);
        let mut found = Self::default();
        let mut document = Document::new(&text);
        let mut property = String::new();
        while let Ok(Some(piece)) = document.piece() {
            let Piece::Open(element) = piece else {
                continue;
            };
            match element.name() {
                "title" | "creator" | "description" | "publisher" | "language" | "date"
                | "identifier" | "isbn" => {
                    element.name().clone_into(&mut property);
                    if matches!(element.name(), "identifier" | "isbn") {
                        let Ok(value) = document.text(LONGEST) else {
                            break;
                        };
                        found.take(&property, &value);
                    }
                }
                "li" if !property.is_empty() => {
                    let Ok(value) = document.text(LONGEST) else {
                        break;
                    };
                    found.take(&property, &value);
                }
                // Containers of values.
                "Alt" | "Seq" | "Bag" => {}
                _ => property.clear(),
            }
        }
        found
    }

    fn take(&mut self, property: &str, value: &str) {
        let Some(value) = text::line(value) else {
            return;
        };
        let one = match property {
            "creator" if self.creators.len() < MOST => return self.creators.push(value),
            "identifier" | "isbn" if self.identifiers.len() < MOST => {
                return self.identifiers.push(value);
            }
            "title" => &mut self.title,
            "description" => &mut self.description,
            "publisher" => &mut self.publisher,
            "language" => &mut self.language,
            "date" => &mut self.date,
            _ => return,
        };
        one.get_or_insert(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_are_read_from_rdf_containers() {
        let found = Xmp::read(
            b"<?xpacket?><x:xmpmeta><rdf:RDF><rdf:Description>
              <dc:title><rdf:Alt><rdf:li xml:lang='x-default'>A &amp; B</rdf:li>
              <rdf:li xml:lang='de'>C</rdf:li></rdf:Alt></dc:title>
              <dc:creator><rdf:Seq><rdf:li>Ann Example</rdf:li><rdf:li>Bob Sample</rdf:li></rdf:Seq>
              </dc:creator><dc:format>application/pdf</dc:format>
              <xmpMM:History><rdf:Seq><rdf:li>no</rdf:li></rdf:Seq></xmpMM:History>
              <prism:isbn>9780306406157</prism:isbn></rdf:Description></rdf:RDF></x:xmpmeta>",
        );
        let expected = Xmp {
            title: Some("A & B".to_owned()),
            creators: vec!["Ann Example".to_owned(), "Bob Sample".to_owned()],
            identifiers: vec!["9780306406157".to_owned()],
            ..Xmp::default()
        };
        assert_eq!(found, expected);
        assert_eq!(Xmp::read(b"<a><b"), Xmp::default());
    }
}
