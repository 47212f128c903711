use std::io::{Cursor, Write};

use super::*;
use crate::fixtures::{attached, claiming, element, matroska_film, matroska_with, mp4_film};

const TTF: &[u8] = b"\0\x01\0\0 outlines";

fn found(film: &[u8]) -> Vec<Font> {
    list(Cursor::new(film)).expect("no error")
}

#[test]
fn fonts_are_recognised_by_their_first_bytes() {
    let film = matroska_with(
        &[
            attached("cover.jpg", "image/jpeg", b"\xff\xd8\xff"),
            attached("Sign.ttf", "application/x-truetype-font", TTF),
            attached("Plain.otf", "", b"OTTO"),
            attached("page.ttf", "font/ttf", b"<script>"),
            attached("all.ttc", "text/html", b"ttcf\0"),
            attached("short.ttf", "font/ttf", b"\0\x01\0"),
            attached("empty.ttf", "font/ttf", b""),
            attached("web.woff", "font/woff", b"wOFF"),
            attached("web.woff2", "font/woff2", b"wOF2"),
        ],
        0,
    );
    let fonts = found(&film);
    let rows: Vec<_> = fonts
        .iter()
        .map(|font| (font.index, font.name.as_str(), font.mime, font.size))
        .collect();
    assert_eq!(
        rows,
        [
            (1, "Sign.ttf", "font/ttf", 13),
            (2, "Plain.otf", "font/otf", 4),
            (4, "all.ttc", "font/collection", 5),
            (7, "web.woff", "font/woff", 4),
            (8, "web.woff2", "font/woff2", 4),
        ]
    );
    let at = usize::try_from(fonts[0].start).expect("small");
    assert_eq!(&film[at..at + TTF.len()], TTF);
}

#[test]
fn film_of_another_container_has_no_fonts() {
    assert_eq!(found(&matroska_with(&[], 0)), []);
    assert_eq!(found(&mp4_film()), []);
    assert_eq!(found(b""), []);
}

#[test]
fn fonts_after_the_pictures_are_found_by_the_seek_head() {
    assert_eq!(found(&matroska_film()).len(), 1);
}

#[test]
fn truncated_font_ends_with_the_film() {
    let film = matroska_with(&[attached("Sign.ttf", "font/ttf", TTF)], 1 << 40);
    for cut in 0..film.len() {
        for font in list(Cursor::new(&film[..cut])).unwrap_or_default() {
            assert_eq!(font.start + font.size, cut as u64);
        }
    }
    assert_eq!(found(&film[..film.len() - 1])[0].size, 12);
}

#[test]
fn font_inside_another_attachment_is_not_an_own_font() {
    let inner = attached("Inner.ttf", "font/ttf", TTF);
    let nested = element(0x61a7, &[inner.clone(), inner].concat());
    assert_eq!(found(&matroska_with(&[nested], 0)), []);
}

#[test]
fn large_font_is_left_out_without_being_read() {
    let font_of = |size: u64| {
        let extra = size - TTF.len() as u64;
        let parts = [element(0x466e, b"Huge.ttf"), claiming(0x465c, TTF, size)].concat();
        let attached = claiming(0x61a7, &parts, parts.len() as u64 + extra);
        let film = matroska_with(&[attached], extra);
        let mut sparse = tempfile::tempfile().expect("a file");
        sparse.write_all(&film).expect("written");
        sparse.set_len(film.len() as u64 + extra).expect("grown");
        list(sparse)
            .expect("no error")
            .first()
            .map(|font| font.size)
    };
    assert_eq!(font_of(MAX_SIZE), Some(MAX_SIZE));
    assert_eq!(font_of(MAX_SIZE + 1), None);
}

#[test]
fn number_of_fonts_is_limited() {
    let font = attached("Sign.ttf", "font/ttf", TTF);
    assert_eq!(found(&matroska_with(&vec![font; 300], 0)).len(), MAX_COUNT);
}
