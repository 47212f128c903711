//! Conversion of HTML in metadata to plain text. Descriptions contain HTML in some books and plain
//! text in others.

pub mod svg;
pub mod text;
pub mod xml;

use quick_xml::escape::resolve_html5_entity;

/// Block elements. Their content starts on a new line.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "blockquote",
    "br",
    "center",
    "dd",
    "div",
    "dl",
    "dt",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "li",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "td",
    "tr",
    "ul",
];

/// Elements whose content is not text.
const SILENT: &[&str] = &["script", "style", "head", "template"];

/// Maximum length of parsed markup, in characters.
const LONGEST: usize = 200_000;

/// Returns the text of a description, which may be HTML or plain text. Returns `None` if nothing is
/// left.
pub fn plain(markup: &str) -> Option<String> {
    let markup = text::first(markup, LONGEST);
    if !markup.contains(['<', '&']) {
        return text::lines(markup);
    }
    let has_tags = tags(markup).next().is_some();
    text::lines(&stripped(markup, has_tags))
}

/// Returns the start and end of each tag: from `<` and a name to `>`.
fn tags(markup: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + markup.get(at..)?.find('<')?;
            let rest = markup.get(start + 1..)?;
            let begins = |c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?');
            if !rest.starts_with(begins) {
                at = start + 1;
                continue;
            }
            let end = match rest.strip_prefix("!--") {
                Some(comment) => start + 4 + comment.find("-->")? + 3,
                None => start + 1 + rest.find('>')? + 1,
            };
            at = end;
            return Some((start, end));
        }
    })
}

fn stripped(markup: &str, has_tags: bool) -> String {
    let mut out = String::with_capacity(markup.len());
    let mut silent: Option<&str> = None;
    let mut from = 0;
    for (start, end) in tags(markup) {
        let before = markup.get(from..start).unwrap_or_default();
        if silent.is_none() {
            push_text(&mut out, before, has_tags);
        }
        from = end;
        let tag = markup.get(start + 1..end - 1).unwrap_or_default();
        let is_end = tag.starts_with('/');
        let name = tag
            .trim_start_matches('/')
            .split(|c: char| !c.is_ascii_alphanumeric())
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        match silent {
            Some(within) if is_end && within == name => silent = None,
            None if !is_end => silent = SILENT.iter().find(|silent| **silent == name).copied(),
            _ => {}
        }
        if name == "p" {
            out.push_str("\n\n");
        } else if BLOCKS.binary_search(&name.as_str()).is_ok() {
            out.push('\n');
        }
    }
    if silent.is_none() {
        push_text(&mut out, markup.get(from..).unwrap_or_default(), has_tags);
    }
    out
}

/// Appends text with its character references resolved. In markup, a line break becomes a space.
fn push_text(out: &mut String, text: &str, in_markup: bool) {
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        push_raw(out, rest.get(..at).unwrap_or_default(), in_markup);
        let reference = rest.get(at + 1..).unwrap_or_default();
        let named = reference
            .find(';')
            .filter(|end| *end <= 32)
            .and_then(|end| Some((reference.get(..end)?, reference.get(end + 1..)?)));
        let resolved = named.and_then(|(name, after)| Some((character(name)?, after)));
        let (text, after) = resolved.unwrap_or_else(|| ("&".to_owned(), reference));
        out.push_str(&text);
        rest = after;
    }
    push_raw(out, rest, in_markup);
}

fn push_raw(out: &mut String, text: &str, in_markup: bool) {
    if in_markup {
        out.extend(text.chars().map(|c| if c == '\n' { ' ' } else { c }));
    } else {
        out.push_str(text);
    }
}

/// Returns the text of a character reference `&name;`.
pub fn character(name: &str) -> Option<String> {
    let Some(number) = name.strip_prefix('#') else {
        return resolve_html5_entity(name).map(str::to_owned);
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => number.parse(),
    };
    let character = char::from_u32(code.ok()?)?;
    Some(character.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_elements_are_sorted() {
        assert!(BLOCKS.is_sorted());
    }

    #[test]
    fn html_becomes_plain_text() {
        let shown = |markup: &str| plain(markup).unwrap_or_default();
        assert_eq!(
            shown("<div>\n<p>One\ntwo.</p><p>Three<br/>four &amp; caf&eacute;</p></div>"),
            "One two.\n\nThree\nfour & café"
        );
        assert_eq!(shown("<script>alert(1)</script><b>x</b>"), "x");
        assert_eq!(shown("a <!-- <p> --> b"), "a b");
        assert_eq!(shown("&#8220;q&#x201D; &nope; &"), "“q” &nope; &");
        assert_eq!(shown("3 < 4 and 5 > 4"), "3 < 4 and 5 > 4");
        assert_eq!(shown("one\ntwo &lt;"), "one\ntwo <");
        assert_eq!(shown("open <p"), "open <p");
        assert_eq!(plain("<p> </p>"), None);
    }

    #[test]
    fn long_markup_is_truncated() {
        let text = plain(&"<p>".repeat(1 << 20));
        assert_eq!(text, None);
        let text = plain(&"<".repeat(1 << 20)).expect("text");
        assert!(text.chars().count() <= 20_000);
    }
}
