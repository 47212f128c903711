//! The pages of a comic: the pictures of its archive, in the order in which people count.

use ledge_core::names::natural;

use crate::archive::Member;

/// Extensions of pictures.
const PICTURES: &[&str] = &[
    "avif", "bmp", "gif", "jfif", "jpe", "jpeg", "jpg", "jxl", "png", "tif", "tiff", "webp",
];

/// Places of the pages among an archive's files, in reading order. Of files of the same name the
/// first is the page.
pub fn of(members: &[Member<'_>]) -> Vec<usize> {
    let is_page = |name: &str| is_picture(name) && !is_litter(name);
    let mut pages: Vec<(&str, usize)> = members
        .iter()
        .enumerate()
        .map(|(at, member)| (member.name.as_ref(), at))
        .filter(|(name, _)| is_page(name))
        .collect();
    // Equal names are neighbours: the natural order falls back to bytes.
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

/// What systems and programs leave in archives, and what wants to lie outside of them.
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
        let names = of(&members).into_iter();
        names.map(|at| members[at].name.to_string()).collect()
    }

    #[test]
    fn the_extensions_are_sorted() {
        assert!(PICTURES.is_sorted());
    }

    #[test]
    fn pages_stand_in_the_order_people_count() {
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
    fn litter_is_no_page() {
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
