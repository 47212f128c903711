//! Chapters of an EPUB from its table of contents: the navigation document of EPUB 3, or the NCX of
//! EPUB 2. A chapter starts at a section of the spine.

use std::collections::HashMap;
use std::io::{Read, Seek};

use ledge_core::registry::reading::Chapter;

use super::href;
use super::package::Package;
use crate::archive::ReadResult;
use crate::archive::zip::Zip;
use crate::text;
use crate::xml::{self, Document, Element, Piece};

/// Largest table of contents, in bytes.
const LARGEST: u64 = 4 << 20;
/// Maximum number of chapters.
const MOST: usize = 5_000;
/// Longest title of a chapter, in bytes.
const LONGEST: usize = 4 << 10;

/// Entry of a table of contents: title, and reference from its document.
type Entry = (String, String);

/// Returns the first chapter of each section that the table of contents names, in the order of the
/// spine. Returns no chapters if there is no readable table.
pub(super) fn chapters<R: Read + Seek>(
    zip: &mut Zip<R>,
    package_name: &str,
    package: &Package,
) -> Vec<Chapter> {
    let sections = sections(package_name, package);
    for (href, read) in tables(package) {
        let Some(name) = href::resolve(package_name, &href) else {
            continue;
        };
        let Some(entry) = zip.find_ignoring_case(&name) else {
            continue;
        };
        let Ok(bytes) = zip.read(&entry, LARGEST) else {
            continue;
        };
        let mut entries = Vec::new();
        // A damaged table may contain readable entries.
        let _ = read(&mut Document::new(&xml::decode(&bytes)), &mut entries);
        let chapters = in_sections(&name, entries, &sections);
        if !chapters.is_empty() {
            return chapters;
        }
    }
    Vec::new()
}

/// Reader of one form of a table.
type ReadTable = fn(&mut Document<'_>, &mut Vec<Entry>) -> ReadResult<()>;

/// Returns the documents that contain a table of contents, with their readers.
fn tables(package: &Package) -> Vec<(String, ReadTable)> {
    let mut tables: Vec<(String, ReadTable)> = Vec::new();
    for item in &package.items {
        let mut properties = item.properties.split_whitespace();
        if properties.any(|property| property == "nav") {
            tables.push((item.href.clone(), navigation));
        }
    }
    for item in &package.items {
        if item.media_type == "application/x-dtbncx+xml" {
            tables.push((item.href.clone(), ncx));
        }
    }
    tables
}

/// Returns the number of each section by its name in the archive.
pub(super) fn sections(package_name: &str, package: &Package) -> HashMap<String, usize> {
    let files = package.items.iter();
    let files: HashMap<&str, &str> = files.map(|item| (&*item.id, &*item.href)).collect();
    let mut sections = HashMap::new();
    for (number, id) in package.sections.iter().enumerate() {
        let name = files
            .get(&**id)
            .and_then(|href| href::resolve(package_name, href));
        if let Some(name) = name {
            sections.entry(name).or_insert(number);
        }
    }
    sections
}

fn in_sections(
    document: &str,
    entries: Vec<Entry>,
    sections: &HashMap<String, usize>,
) -> Vec<Chapter> {
    let mut by_section: HashMap<usize, String> = HashMap::new();
    for (title, href) in entries {
        let section = href::resolve(document, &href).and_then(|name| sections.get(&name));
        if let (Some(section), Some(title)) = (section, text::line(&title)) {
            by_section.entry(*section).or_insert(title);
        }
    }
    let mut by_section: Vec<(usize, String)> = by_section.into_iter().collect();
    by_section.sort_unstable();
    let chapters = by_section.into_iter().filter_map(|(section, title)| {
        let start = u32::try_from(section).ok()?.into();
        Some(Chapter { title, start })
    });
    chapters.collect()
}

/// Reads the first list `toc` of a navigation document.
fn navigation(document: &mut Document<'_>, entries: &mut Vec<Entry>) -> ReadResult<()> {
    while let Some(piece) = document.piece()? {
        let Piece::Open(element) = piece else {
            continue;
        };
        if element.is("nav") && is_contents(&element) {
            return links(document, entries);
        }
    }
    Ok(())
}

fn is_contents(nav: &Element<'_>) -> bool {
    let types = nav.attribute("type").unwrap_or_default();
    types.split_whitespace().any(|one| one == "toc")
}

/// Reads the links in the last opened element.
fn links(document: &mut Document<'_>, entries: &mut Vec<Entry>) -> ReadResult<()> {
    let inside = document.depth();
    while document.depth() >= inside && entries.len() < MOST {
        match document.piece()? {
            Some(Piece::Open(element)) if element.is("a") => {
                if let Some(href) = element.attribute("href") {
                    entries.push((document.text(LONGEST)?, href));
                }
            }
            Some(_) => {}
            None => break,
        }
    }
    Ok(())
}

/// Reads the points of an NCX: a label, then the reference.
fn ncx(document: &mut Document<'_>, entries: &mut Vec<Entry>) -> ReadResult<()> {
    let mut label = None;
    while let Some(piece) = document.piece()? {
        let Piece::Open(element) = piece else {
            continue;
        };
        if element.is("navPoint") {
            label = None;
        } else if element.is("text") && label.is_none() {
            label = Some(document.text(LONGEST)?);
        } else if element.is("pageList") || element.is("navList") {
            document.skip()?;
        } else if element.is("content")
            && entries.len() < MOST
            && let (Some(title), Some(href)) = (label.take(), element.attribute("src"))
        {
            entries.push((title, href));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::super::inspect;
    use crate::fixtures::{epub, opf};

    const SPINE: &str =
        "<spine><itemref idref='a'/><itemref idref='b'/><itemref idref='c'/></spine>";

    fn chapters(manifest: &str, table: &str) -> Vec<(String, f64)> {
        let files = "<item id='a' href='text/a.xhtml'/><item id='b' href='text/b%20b.xhtml'/>\
                     <item id='c' href='text/c.xhtml'/>";
        let package = opf(
            "<dc:title>T</dc:title>",
            &format!("{files}{manifest}"),
            SPINE,
        );
        let book = epub(&package).deflated("nav/toc", table.as_bytes());
        let book = inspect(Cursor::new(book.bytes())).expect("a book");
        let chapters = book.chapters.into_iter();
        chapters
            .map(|chapter| (chapter.title, chapter.start))
            .collect()
    }

    #[test]
    fn navigation_document_provides_chapters() {
        let found = chapters(
            "<item id='n' href='nav/toc' properties='nav scripted'/>",
            "<html><body><nav epub:type='landmarks'><a href='../text/a.xhtml'>Start</a></nav>\
             <nav epub:type='toc'><h1>Contents</h1><ol>\
             <li><a href='../text/b%20b.xhtml#one'>One <i>Two</i></a><ol>\
             <li><a href='../text/b%20b.xhtml#two'>Inner</a></li></ol></li>\
             <li><a href='http://example.org/c.xhtml'>Far</a></li>\
             <li><a href='../text/c.xhtml'>Three</a></li></ol></nav>\
             <nav epub:type='page-list'><a href='../text/a.xhtml'>1</a></nav></body></html>",
        );
        assert_eq!(
            found,
            [("One Two".to_owned(), 1.0), ("Three".to_owned(), 2.0)]
        );
    }

    #[test]
    fn ncx_provides_chapters() {
        let found = chapters(
            "<item id='n' href='nav/toc' media-type='application/x-dtbncx+xml'/>",
            "<ncx><docTitle><text>T</text></docTitle><navMap>\
             <navPoint><navLabel><text>One</text></navLabel><content src='../text/a.xhtml'/>\
             <navPoint><navLabel><text>Two</text></navLabel><content src='../text/c.xhtml#x'/>\
             </navPoint></navPoint></navMap>\
             <navList><navLabel><text>Figures</text></navLabel><navTarget>\
             <navLabel><text>Map</text></navLabel><content src='../text/b%20b.xhtml#map'/>\
             </navTarget></navList></ncx>",
        );
        assert_eq!(found, [("One".to_owned(), 0.0), ("Two".to_owned(), 2.0)]);
    }

    #[test]
    fn damaged_or_absent_table_provides_no_chapters() {
        assert_eq!(chapters("", "").len(), 0);
        let nav = "<item id='n' href='nav/toc' properties='nav'/>";
        assert_eq!(
            chapters(nav, "<nav epub:type='toc'><a href='../../..'>x</a>").len(),
            0
        );
        assert_eq!(chapters(nav, "<nav epub:type='toc'><a href=").len(), 0);
    }
}
