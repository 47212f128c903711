//! Accuracy of the hand-over between books and their narrations, with uneven chapters and a narrator
//! whose pace varies.

use std::fs;
use std::io::{self, Write as _};

use ledge_core::db::open;
use ledge_fixtures::{Chapter, EpubSpec, epub};
use ledge_tests::server::scanned_library;
use ledge_tests::{Client, Server};
use serde_json::{Value, json};

use super::links::{item, wait_for_links};
use crate::http::conventions::{id_of, write};

/// Largest error in seconds.
const MAX_ERROR: f64 = 120.0;
/// Words per minute of the narrator on average.
const PACE: f64 = 155.0;
/// Seconds of announcements before the first chapter.
const OPENING: f64 = 41.0;

/// Seeded generator (a linear congruence), so that every run measures the same books.
struct Numbers(u64);

impl Numbers {
    /// Returns a number from `low` up to but excluding `high`.
    fn between(&mut self, low: u64, high: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        low + (self.0 >> 33) % (high - low)
    }
}

/// A chapter: its title in the text and in the recording, and its paragraphs with their words and
/// seconds.
struct Narrated {
    text: String,
    sound: String,
    paragraphs: Vec<(u64, f64)>,
}

impl Narrated {
    /// Creates a chapter of 700 to 9,700 words. The pace drifts by 14 % over a chapter, and each
    /// paragraph deviates by up to 25 %.
    fn new(numbers: &mut Numbers, text: String, sound: String) -> Self {
        let total = 700 + numbers.between(0, 3_000) * numbers.between(0, 4);
        let mut paragraphs = Vec::new();
        let mut begun = 0;
        while begun < total {
            let words = numbers.between(20, 240).min(total - begun);
            let drift = 0.93 + 0.14 * real(begun) / real(total);
            let deviation = real(numbers.between(75, 126)) / 100.0;
            paragraphs.push((words, real(words) * 60.0 / (PACE * drift * deviation)));
            begun += words;
        }
        Self {
            text,
            sound,
            paragraphs,
        }
    }

    fn words(&self) -> u64 {
        self.paragraphs.iter().map(|paragraph| paragraph.0).sum()
    }

    fn seconds(&self) -> f64 {
        self.paragraphs.iter().map(|paragraph| paragraph.1).sum()
    }

    /// Returns the fraction of the text and the seconds before a paragraph.
    fn before(&self, paragraph: usize) -> (f64, f64) {
        let before = &self.paragraphs[..paragraph];
        let words: u64 = before.iter().map(|paragraph| paragraph.0).sum();
        let seconds = before.iter().map(|paragraph| paragraph.1).sum();
        (real(words) / real(self.words()), seconds)
    }

    /// Returns the seconds at a fraction of the text.
    fn seconds_at(&self, within: f64) -> f64 {
        let mut rest = within * real(self.words());
        let mut seconds = 0.0;
        for (words, length) in &self.paragraphs {
            let share = (rest / real(*words)).clamp(0.0, 1.0);
            seconds += length * share;
            rest -= real(*words);
        }
        seconds
    }

    fn chapter(&self) -> Chapter {
        let paragraph =
            |(words, _): &(u64, f64)| "word ".repeat(usize::try_from(*words).expect("few"));
        Chapter {
            title: self.text.clone(),
            paragraphs: self.paragraphs.iter().map(paragraph).collect(),
        }
    }
}

/// A book in both forms. The parts of the recording contain these numbers of chapters.
struct Book {
    title: &'static str,
    author: &'static str,
    chapters: Vec<Narrated>,
    parts: Vec<usize>,
}

fn books() -> Vec<Book> {
    let mut numbers = Numbers(20_261_126);
    let mut chapters =
        |count: usize, text: &dyn Fn(usize) -> String, sound: &dyn Fn(usize) -> String| {
            let one = |n: usize| Narrated::new(&mut numbers, text(n), sound(n));
            (1..=count).map(one).collect::<Vec<_>>()
        };
    let roman = [
        "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII",
    ];
    vec![
        // Numbers and names in one file.
        Book {
            title: "The Harbour Light",
            author: "Ann Example",
            chapters: chapters(24, &|n| format!("Chapter {n}: Place {n}x"), &|n| {
                format!("{n:02}. Place {n}x")
            }),
            parts: vec![24],
        },
        // Roman numerals, and three files.
        Book {
            title: "Fog on the Water",
            author: "Ben Sample",
            chapters: chapters(12, &|n| roman[n - 1].to_owned(), &|n| {
                format!("Chapter {n}")
            }),
            parts: vec![5, 4, 3],
        },
        // Names only, and many short files.
        Book {
            title: "A Long Winter",
            author: "Cleo Pattern",
            chapters: chapters(18, &|n| format!("The {n}th Snow"), &|n| {
                format!("The {n}th snow")
            }),
            parts: vec![2; 9],
        },
    ]
}

/// Book in a library.
struct Shelved {
    book: Book,
    text: (i64, i64),
    audio: i64,
    /// Files of the recording with their starts, in seconds.
    parts: Vec<(i64, f64)>,
    /// Starts of the chapters in seconds.
    starts: Vec<f64>,
}

fn shelve(book: Book, server: &Server, admin: &Client) -> Shelved {
    let (text, audio) = (
        item(admin, book.title, "books"),
        item(admin, book.title, "audio"),
    );
    let files = |item: i64| -> Vec<i64> {
        let detail = admin.get(&format!("/items/{item}")).expect(200).json();
        detail["files"]
            .as_array()
            .expect("files")
            .iter()
            .map(id_of)
            .collect()
    };
    let (file, recordings) = (files(text)[0], files(audio));
    assert_eq!(recordings.len(), book.parts.len(), "{}", book.title);
    let database = open::writable(&server.database()).expect("the database");
    let mut chapters = book.chapters.iter();
    let (mut parts, mut starts, mut at) = (Vec::new(), Vec::new(), 0.0);
    for (part, (id, count)) in recordings.iter().zip(&book.parts).enumerate() {
        let begin: f64 = at;
        let mut rows = Vec::new();
        if part == 0 {
            rows.push(("Opening Credits", 0.0));
            at += OPENING;
        }
        for chapter in chapters.by_ref().take(*count) {
            rows.push((chapter.sound.as_str(), at - begin));
            starts.push(at);
            at += chapter.seconds();
        }
        // The server knows whole seconds.
        at = at.ceil();
        for (position, (title, start)) in rows.iter().enumerate() {
            database
                .execute(
                    "INSERT INTO file_chapter (file_id, position, title, start) VALUES (?, ?, ?, ?)",
                    (id, position, title, start),
                )
                .expect("a chapter");
        }
        database
            .execute(
                "UPDATE file SET extent = CAST(? AS INTEGER) WHERE id = ?",
                (at - begin, id),
            )
            .expect("a length");
        parts.push((*id, begin));
    }
    Shelved {
        text: (text, file),
        audio,
        parts,
        starts,
        book,
    }
}

impl Shelved {
    fn hand_over(admin: &Client, (from, to): (i64, i64), place: &Value) -> Value {
        admin
            .put(&format!("/items/{from}/progress"), place)
            .expect(200);
        let path = format!("/items/{from}/handover?to={to}");
        let found = admin.get(&path).expect(200).json();
        assert_eq!(found["method"], "chapters", "{found}");
        found
    }

    /// Returns the errors in seconds of both directions, at several paragraphs of every chapter.
    fn errors(&self, admin: &Client) -> Vec<f64> {
        let mut errors = Vec::new();
        let number = |value: &Value| value.as_f64().expect("a number");
        for (index, chapter) in self.book.chapters.iter().enumerate() {
            let count = chapter.paragraphs.len();
            for paragraph in (0..5).map(|fifth| count * fifth / 5) {
                let (within, seconds) = chapter.before(paragraph);
                let time = self.starts[index] + seconds;
                let (text, file) = self.text;
                let place = json!({"file_id": file, "position": index, "within": within});
                let found = Self::hand_over(admin, (text, self.audio), &place);
                let part = self.parts.iter().find(|part| found["file_id"] == part.0);
                let begin = part.expect("a part").1;
                errors.push((begin + number(&found["position"]) - time).abs());

                let (file, begin) = self
                    .parts
                    .iter()
                    .rfind(|part| part.1 <= time)
                    .expect("a part");
                // A second later, because the player stores whole seconds.
                let place = json!({"file_id": file, "position": whole(time - begin)});
                let found = Self::hand_over(admin, (self.audio, text), &place);
                let section =
                    usize::try_from(found["position"].as_u64().expect("a section")).expect("few");
                let inside = self.book.chapters[section].seconds_at(number(&found["within"]));
                errors.push((self.starts[section] + inside - time).abs());
            }
        }
        errors
    }
}

#[test]
fn narrated_books_are_continued_within_two_minutes() {
    let server = Server::start();
    let media = server.folder().join("media");
    for book in books() {
        let spec = EpubSpec {
            title: book.title.to_owned(),
            authors: vec![book.author.to_owned()],
            chapters: book.chapters.iter().map(Narrated::chapter).collect(),
            ..EpubSpec::default()
        };
        fs::create_dir_all(media.join("Books")).expect("a folder");
        fs::write(
            media.join(format!("Books/{}.epub", book.title)),
            epub(&spec),
        )
        .expect("a file");
        for part in 1..=book.parts.len() {
            let name = format!("Audiobooks/{}/{}/{part:02}.mp3", book.author, book.title);
            write(&media, &name, format!("{} {part}", book.title));
        }
    }
    let admin = server.admin();
    scanned_library(&admin, "media", &media);
    wait_for_links(&server);
    for book in books() {
        let title = book.title;
        let shelved = shelve(book, &server, &admin);
        let mut errors = shelved.errors(&admin);
        errors.sort_by(f64::total_cmp);
        let largest = errors.last().copied().expect("errors");
        let median = errors[errors.len() / 2];
        // Unlike `eprintln!`, this is not captured: the measurement must be visible.
        let _ = writeln!(
            io::stderr(),
            "{title}: {} positions, median error {median:.0} s, largest {largest:.0} s",
            errors.len()
        );
        assert!(largest <= MAX_ERROR, "{title}: {largest}");
    }
}

#[expect(clippy::cast_precision_loss, reason = "numbers of words are small")]
fn real(number: u64) -> f64 {
    number as f64
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "recordings are shorter than a day"
)]
fn whole(seconds: f64) -> i64 {
    seconds.ceil() as i64
}
