//! Books with metadata: speed of the first scan, compared with reading their package documents from
//! the archives.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ledge_fixtures::{Chapter, EpubSpec, epub, png};
use ledge_kind_books::archive::zip::Zip;

use crate::prepare::{self, Library};
use crate::{figure, measure::machine, scanning};

/// Number of books in the library.
const BOOKS: u64 = 10_000;
/// Number of books per folder.
const SHELF: u64 = 100;
/// Entries that are read from each book.
const ENTRIES: [&str; 2] = ["META-INF/container.xml", "EPUB/package.opf"];

/// Measures the first scan of a library of EPUBs.
pub(crate) fn first_scan(library: &Library) {
    let folder = library.server.folder().join("epubs");
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("an empty place");
    }
    let books = make(&folder);
    let floor = floor(&books);
    let id = prepare::register(&library.admin, &folder);
    let cpu = machine::cpu(library.server.pid());
    let begin = Instant::now();
    let status = scanning::scan(&library.admin, id);
    let wall = begin.elapsed();
    let cpu = machine::cpu_since(library.server.pid(), cpu);
    assert_eq!(status["added"], BOOKS, "{status}");
    figure(
        "first scan of EPUBs",
        &format!("{:.0} books/s", BOOKS as f64 / wall.as_secs_f64()),
        &format!(
            "budget 1,500/s; {:.0} µs CPU a book, floor (archive and package document) {:.0} µs",
            each(cpu),
            each(floor),
        ),
    );
    let remove = library.admin.delete(&format!("/libraries/{id}"));
    remove.expect(204);
    fs::remove_dir_all(&folder).expect("a folder of its own");
}

fn each(time: Duration) -> f64 {
    time.as_micros() as f64 / BOOKS as f64
}

fn make(folder: &Path) -> Vec<PathBuf> {
    let cover = png(200, 300, 7);
    let chapters: Vec<Chapter> = (1..=20)
        .map(|n| Chapter {
            title: format!("Chapter {n}"),
            paragraphs: vec!["It was a bright cold day. ".repeat(40); 20],
        })
        .collect();
    let book = |n: u64| {
        let shelf = folder.join(format!("Shelf {:03}", n / SHELF));
        fs::create_dir_all(&shelf).expect("a folder");
        let path = shelf.join(format!("{n}.epub"));
        let spec = EpubSpec {
            title: format!("The {n}th Book"),
            authors: vec![format!("Author Number {}", n % 1_000)],
            year: Some(1990),
            series: Some((format!("Series {}", n / 10), 1)),
            description: "A long description. ".repeat(40),
            chapters: chapters.clone(),
            cover: Some(cover.clone()),
            number: n,
            ..EpubSpec::default()
        };
        fs::write(&path, epub(&spec)).expect("a written file");
        path
    };
    (0..BOOKS).map(book).collect()
}

fn floor(books: &[PathBuf]) -> Duration {
    let begin = Instant::now();
    for book in books {
        let mut zip = Zip::open(File::open(book).expect("a book")).expect("an archive");
        for name in ENTRIES {
            let entry = zip.find(name).expect(name);
            std::hint::black_box(zip.read(&entry, 1 << 20).expect(name));
        }
    }
    begin.elapsed()
}
