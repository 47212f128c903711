//! The pages of a comic: the pictures of its archive, in the order in which people count.

use std::collections::HashSet;

use ledge_core::names::natural;

use crate::archive::Member;

/// Extensions of pictures.
const PICTURES: &[&str] = &[
    "avif", "bmp", "gif", "jfif", "jpe", "jpeg", "jpg", "jxl", "png", "tif", "tiff", "webp",
];

/// A page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Its name in the archive.
    pub name: String,
    /// Its place among the archive's files.
    pub member: usize,
    /// Its size in bytes, as the archive has it.
    pub size: u64,
}

/// The pages among an archive's files.
pub fn of(members: &[Member]) -> Vec<Page> {
    let mut seen = HashSet::new();
    let is_page = |member: &Member| is_picture(&member.name) && !is_litter(&member.name);
    let mut pages: Vec<Page> = members
        .iter()
        .enumerate()
        .filter(|(_, member)| is_page(member) && seen.insert(member.name.as_str()))
        .map(|(at, member)| Page {
            name: member.name.clone(),
            member: at,
            size: member.size,
        })
        .collect();
    pages.sort_by(|a, b| natural::cmp(&a.name, &b.name));
    pages
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
            name: (*name).to_owned(),
            size: 1,
            is_locked: false,
        };
        let members: Vec<Member> = names.iter().map(member).collect();
        of(&members).into_iter().map(|page| page.name).collect()
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
