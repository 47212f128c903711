//! Pages of a comic: the pictures of its archive in natural order (2 before 10).

use ledge_core::text::names::natural;

use crate::archive::Member;

/// File extensions of pictures, sorted for binary search.
const PICTURES: &[&str] = &[
    "avif", "bmp", "gif", "jfif", "jpe", "jpeg", "jpg", "jxl", "png", "tif", "tiff", "webp",
];

/// Returns the indexes of the pages in the archive, in reading order. If several files have the
/// same name, the first is the page.
pub fn indexes(members: &[Member<'_>]) -> Vec<usize> {
    let is_page = |name: &str| is_picture(name) && !is_litter(name);
    let mut pages: Vec<(&str, usize)> = members
        .iter()
        .enumerate()
        .map(|(at, member)| (member.name.as_ref(), at))
        .filter(|(name, _)| is_page(name))
        .collect();
    // Equal names are adjacent, because the natural order compares bytes last.
    pages.sort_by(|a, b| natural::cmp(a.0, b.0).then(a.1.cmp(&b.1)));
    pages.dedup_by_key(|(name, _)| *name);
    pages.into_iter().map(|(_, at)| at).collect()
}

fn is_picture(name: &str) -> bool {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    PICTURES
        .binary_search(&extension.to_lowercase().as_str())
        .is_ok()
}

/// Returns true for files that systems and programs add to archives, and for absolute or hidden
/// paths.
pub fn is_litter(name: &str) -> bool {
    name.starts_with('/')
        || name.split('/').any(|part| {
            part.starts_with('.')
                || part == "__MACOSX"
                || part == "@eaDir"
                || part == "$RECYCLE.BIN"
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(names: &[&str]) -> Vec<String> {
        let member = |name: &&str| Member {
            name: (*name).to_owned().into(),
            size: 1,
            is_locked: false,
        };
        let members: Vec<Member<'_>> = names.iter().map(member).collect();
        let names = indexes(&members).into_iter();
        names.map(|at| members[at].name.to_string()).collect()
    }

    #[test]
    fn extensions_are_sorted() {
        assert!(PICTURES.is_sorted());
    }

    #[test]
    fn pages_are_in_natural_order() {
        assert_eq!(
            pages(&[
                "b/page10.jpg",
                "b/page9.JPG",
                "a/2.png",
                "b/page1.webp",
                "a/10.png"
            ]),
            [
                "a/2.png",
                "a/10.png",
                "b/page1.webp",
                "b/page9.JPG",
                "b/page10.jpg"
            ]
        );
    }

    #[test]
    fn litter_is_not_a_page() {
        let names = [
            "__MACOSX/._1.jpg",
            ".hidden.jpg",
            "a/.DS_Store",
            "Thumbs.db",
            "ComicInfo.xml",
            "../outside.jpg",
            "/absolute.jpg",
            "1.jpg",
            "1.jpg",
        ];
        assert_eq!(pages(&names), ["1.jpg"]);
    }
}
