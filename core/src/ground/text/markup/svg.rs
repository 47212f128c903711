//! Safety check for SVG 2 drawings in untrusted files: detects if one can run code in a browser.
//!
//! The check errs on the safe side. A document that is malformed, in an unusual encoding, or that
//! declares entities counts as one with scripts.

use std::borrow::Cow;

use encoding_rs::{UTF_16BE, UTF_16LE};
use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

/// Result of examining a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Drawing without active content.
    Static,
    /// Drawing with active content, or a document that could not be examined.
    Scripted,
    /// XML document that is not a drawing.
    NoDrawing,
}

/// Elements with active content, or that embed documents with active content. Names are in lower
/// case.
const ACTIVE: &[&str] = &[
    "applet",
    "base",
    "body",
    "embed",
    "foreignobject",
    "form",
    "frame",
    "handler",
    "html",
    "iframe",
    "link",
    "listener",
    "meta",
    "object",
    "script",
];

/// Attributes whose value is a URL, without their prefix.
const ADDRESSES: &[&str] = &[
    "action", "by", "data", "from", "href", "src", "to", "values",
];

/// Prefixes of `data:` URLs with a raster image.
const PICTURES: &[&str] = &[
    "data:image/gif",
    "data:image/jpeg",
    "data:image/jpg",
    "data:image/png",
    "data:image/webp",
];

/// Encodings that decode ASCII text like UTF-8.
const LIKE_ASCII: &[&str] = &["us-ascii", "iso-8859-1", "windows-1252"];

/// Examines a document. The caller must limit its size.
pub fn examine(bytes: &[u8]) -> Content {
    let Some(text) = decode(bytes) else {
        return Content::Scripted;
    };
    read(&text).unwrap_or(Content::Scripted)
}

/// Decodes the document. Returns `None` unless every browser decodes it to the same text.
fn decode(bytes: &[u8]) -> Option<Cow<'_, str>> {
    let utf16 = match bytes {
        [0xff, 0xfe, ..] => Some(UTF_16LE),
        [0xfe, 0xff, ..] => Some(UTF_16BE),
        _ => None,
    };
    if let Some(encoding) = utf16 {
        let text = encoding.decode_without_bom_handling_and_without_replacement(bytes.get(2..)?)?;
        let is_honest = declared_encoding(&text).is_none_or(|label| label == "utf-16");
        return is_honest.then_some(text);
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let is_honest = declared_encoding(text).is_none_or(|label| {
        label == "utf-8" || (text.is_ascii() && LIKE_ASCII.contains(&label.as_str()))
    });
    is_honest.then_some(text.into())
}

/// Returns the encoding label of the XML declaration in lower case. It is empty if it cannot be
/// parsed.
fn declared_encoding(text: &str) -> Option<String> {
    let declaration = text.strip_prefix("<?xml")?.split("?>").next()?;
    let (_, value) = declaration.split_once("encoding")?;
    let value = value.trim_start().strip_prefix('=').map(str::trim_start);
    let label = value.and_then(|value| {
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        value.split(quote).nth(1)
    });
    Some(label.unwrap_or_default().to_lowercase())
}

/// Reads a document to its end, or to the first active content. Returns `None` if it is malformed.
fn read(text: &str) -> Option<Content> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = true;
    let mut is_drawing = false;
    let mut depth = 0_usize;
    loop {
        match reader.read_event().ok()? {
            event @ (Event::Start(_) | Event::Empty(_)) => {
                depth += usize::from(matches!(event, Event::Start(_)));
                let (Event::Start(start) | Event::Empty(start)) = event else {
                    return None;
                };
                let name = start.local_name().into_inner();
                if !is_drawing && name != "svg" {
                    return Some(Content::NoDrawing);
                }
                is_drawing = true;
                if is_active(&start)? {
                    return Some(Content::Scripted);
                }
            }
            Event::End(_) => depth = depth.checked_sub(1)?,
            Event::Text(text) if names_script(&text) => {
                return Some(Content::Scripted);
            }
            Event::CData(text) if names_script(&text) => {
                return Some(Content::Scripted);
            }
            // Only a document type can define entities, so an unknown reference is suspicious.
            Event::GeneralRef(name) => {
                super::character(&name.into_inner())?;
            }
            Event::DocType(declared) if declared.contains('[') => return None,
            // A style sheet may be a program (XSLT).
            Event::PI(_) => return None,
            Event::Eof => return (is_drawing && depth == 0).then_some(Content::Static),
            _ => {}
        }
    }
}

/// Returns `true` if an element has active content, by its name or an attribute. Returns `None` if
/// it is malformed.
fn is_active(element: &BytesStart<'_>) -> Option<bool> {
    let name = element.local_name().into_inner().to_lowercase();
    if ACTIVE.contains(&name.as_str()) {
        return Some(true);
    }
    for attribute in element.attributes() {
        if is_active_attribute(&attribute.ok()?)? {
            return Some(true);
        }
    }
    Some(false)
}

fn is_active_attribute(attribute: &Attribute<'_>) -> Option<bool> {
    let full = attribute.key.into_inner().to_lowercase();
    let name = attribute.key.local_name().into_inner().to_lowercase();
    let value = attribute.normalized_value(XmlVersion::Implicit1_0).ok()?;
    // Browsers ignore whitespace and control characters in URLs.
    let is_seen = |c: &char| !c.is_whitespace() && !c.is_control();
    let value: String = value.chars().filter(is_seen).collect();
    let value = value.to_lowercase();
    let is_namespace = full == "xmlns" || full.starts_with("xmlns:");
    let target = value.rsplit(':').next().unwrap_or_default();
    Some(
        name.starts_with("on")
            || names_script(&value)
            || (is_namespace && value.contains("xhtml"))
            || (name == "attributename" && (target == "href" || target.starts_with("on")))
            || (ADDRESSES.contains(&name.as_str()) && is_active_address(&value)),
    )
}

/// Returns `true` if a `data:` URL contains a document.
fn is_active_address(address: &str) -> bool {
    let is_picture = PICTURES.iter().any(|start| address.starts_with(start));
    address.contains("data:") && !is_picture
}

fn names_script(text: &str) -> bool {
    let text = text.to_lowercase();
    ["javascript:", "vbscript:"]
        .iter()
        .any(|scheme| text.contains(scheme))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN: &str = "<svg xmlns='http://www.w3.org/2000/svg' \
                        xmlns:xlink='http://www.w3.org/1999/xlink'>";

    fn drawing(inside: &str) -> Content {
        examine(format!("{OPEN}{inside}</svg>").as_bytes())
    }

    #[test]
    fn harmless_drawing_is_static() {
        for inside in [
            "",
            "<path d='M0 0h9'/><text>a &amp; b &#x263a;</text>",
            "<a xlink:href='chapter2.xhtml#on'><title>On</title></a>",
            "<image xlink:href='data:image/png;base64,AAAA'/><use href='#a'/>",
            "<style><![CDATA[path { fill: red }]]></style>",
            "<animate attributeName='x' from='0' to='9'/><metadata><rdf:RDF/></metadata>",
            "<!-- <script/> -->",
        ] {
            assert_eq!(drawing(inside), Content::Static, "{inside}");
        }
        let document = format!(
            "\u{feff}<?xml version='1.0' encoding='UTF-8'?>\
             <!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'svg11.dtd'>\n{OPEN}</svg>"
        );
        assert_eq!(examine(document.as_bytes()), Content::Static);
        let prefixed = b"<s:svg xmlns:s='http://www.w3.org/2000/svg'><s:g/></s:svg>";
        assert_eq!(examine(prefixed), Content::Static);
    }

    #[test]
    fn active_content_is_scripted() {
        for inside in [
            "<script>alert(1)</script>",
            "<s:SCRIPT xmlns:s='http://www.w3.org/2000/svg'/>",
            "<foreignObject/>",
            "<path onclick='alert(1)'/>",
            "<path ONLOAD='alert(1)'/>",
            "<a href='javascript:alert(1)'/>",
            "<a xlink:href=' java&#x0a;script&#58;alert(1)'/>",
            "<a href='JaVaScRiPt:alert(1)'/>",
            "<a href='data:text/html,x'/>",
            "<use href='data:image/svg+xml,x'/>",
            "<set attributeName='href' to='x'/>",
            "<animate attributeName='xlink:href' values='x'/>",
            "<set attributeName='onclick' to='x'/>",
            "<h:p xmlns:h='http://www.w3.org/1999/xhtml'/>",
            "<style>a { background: url('javascript:x') }</style>",
            "<iframe src='x'/>",
            "&unknown;",
            "<a href='&unknown;'/>",
            "<g></a>",
            "<g>",
            "<path a='1' a='2'/>",
            "<?xml-stylesheet href='x'?>",
        ] {
            assert_eq!(drawing(inside), Content::Scripted, "{inside}");
        }
    }

    #[test]
    fn unreadable_document_is_scripted() {
        let entity = format!("<!DOCTYPE svg [<!ENTITY x '<script/>'>]>{OPEN}&x;</svg>");
        let latin = format!("<?xml version='1.0' encoding='utf-7'?>{OPEN}</svg>");
        let far = format!(
            "<?xml version='1.0' {} encoding='utf-7'?>{OPEN}</svg>",
            " ".repeat(300)
        );
        for document in [
            entity.as_bytes(),
            latin.as_bytes(),
            far.as_bytes(),
            b"",
            b"\xff",
            b"<svg",
        ] {
            assert_eq!(examine(document), Content::Scripted);
        }
        let utf16 = |text: &str| -> Vec<u8> {
            let units = text.encode_utf16().flat_map(u16::to_le_bytes);
            [0xff, 0xfe].into_iter().chain(units).collect()
        };
        assert_eq!(examine(&utf16("<svg/>")), Content::Static);
        assert_eq!(examine(&utf16("<svg><script/></svg>")), Content::Scripted);
    }

    #[test]
    fn other_xml_document_is_not_a_drawing() {
        for document in [
            "<ncx/>",
            "<?xml version='1.0'?><package><svg/></package>",
            "<html/>",
        ] {
            assert_eq!(
                examine(document.as_bytes()),
                Content::NoDrawing,
                "{document}"
            );
        }
    }
}
