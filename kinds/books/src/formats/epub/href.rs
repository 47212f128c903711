//! References between the files of a book's archive. References to anything else are rejected.

/// Resolves a reference to an archive name. Returns `None` if the target is outside the archive.
pub(super) fn resolve(document: &str, href: &str) -> Option<String> {
    join(document, &decoded(path_of(href)?))
}

/// Resolves a reference as [`resolve`] does, but without percent-decoding.
pub(super) fn resolve_as_written(document: &str, href: &str) -> Option<String> {
    join(document, path_of(href)?)
}

/// Returns the path of a reference if it can be inside the archive.
fn path_of(href: &str) -> Option<&str> {
    let path = href.split(['#', '?']).next().unwrap_or_default().trim();
    (!path.is_empty() && !path.starts_with('/') && !has_scheme(path)).then_some(path)
}

fn join(document: &str, path: &str) -> Option<String> {
    let folder = document.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    let name = parts.join("/");
    (!name.is_empty() && !name.contains('\0')).then_some(name)
}

/// Returns true if a reference has a URL scheme such as `http:`, `file:` or `data:`.
fn has_scheme(href: &str) -> bool {
    let Some((scheme, _)) = href.split_once(':') else {
        return false;
    };
    scheme.len() > 1
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '.' | '-'))
}

/// Decodes percent-encoding. Invalid sequences are kept unchanged.
pub(super) fn decoded(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = (*first == b'%').then(|| after.get(..2)).flatten();
        let byte = code
            .and_then(|code| std::str::from_utf8(code).ok())
            .filter(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .and_then(|code| u8::from_str_radix(code, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() {
            after.get(2..).unwrap_or_default()
        } else {
            after
        };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::resolve;

    #[test]
    fn references_resolve_to_archive_names() {
        let resolved = |document: &str, href: &str| resolve(document, href).unwrap_or_default();
        assert_eq!(resolved("OEBPS/book.opf", "cover.jpg"), "OEBPS/cover.jpg");
        assert_eq!(
            resolved("OEBPS/book.opf", "../images/./a%20b.jpg#x"),
            "images/a b.jpg"
        );
        assert_eq!(resolved("book.opf", "100%.jpg"), "100%.jpg");
        assert_eq!(resolved("book.opf", "%ff.jpg"), "%ff.jpg");
        assert_eq!(resolved("a/b.opf", "c\\d.jpg"), "a/c/d.jpg");
    }

    #[test]
    fn references_outside_the_archive_are_rejected() {
        for href in [
            "",
            "#top",
            "..",
            "../../etc/passwd",
            "%2e%2e/%2e%2e/etc/passwd",
            "/etc/passwd",
            "file:///etc/passwd",
            "http://192.0.2.1/x.jpg",
            "data:image/png;base64,AAAA",
            "a%00b",
        ] {
            assert_eq!(resolve("OEBPS/book.opf", href), None, "{href}");
        }
    }
}
