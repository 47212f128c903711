//! Covers: cost of one, speed for a library, and independence of scans.

use std::fs;
use std::io::Cursor;
use std::time::{Duration, Instant};

use image::{ImageFormat, Rgb, RgbImage};
use ledge_core::image::render;
use ledge_tests::{Client, Server};

use crate::prepare::{self, Library};
use crate::{figure, measure::machine, scanning};

/// Number of pictures that are processed while another library is scanned.
const PICTURES: u32 = 300;
/// Number of items in that library.
const NEWCOMERS: u64 = 10_000;

/// Returns a JPEG of 2000 × 3000 pixels with as much detail as a scanned cover.
fn jacket() -> Vec<u8> {
    let mut noise = 1u32;
    let pixels = RgbImage::from_fn(2000, 3000, |x, y| {
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let grain = noise >> 27;
        let shade = |part: u32| u8::try_from((part / 16 + grain) % 256).unwrap_or(0);
        Rgb([shade(x + 900), shade(y), shade(x + y)])
    });
    let mut body = Cursor::new(Vec::new());
    pixels
        .write_to(&mut body, ImageFormat::Jpeg)
        .expect("an image");
    body.into_inner()
}

/// Measures the cost of one cover.
pub(crate) fn one() {
    let source = jacket();
    let times = (0..9).map(|_| {
        let before = machine::own_cpu();
        let rendered = render(&source).expect("a cover");
        (machine::own_cpu().saturating_sub(before), rendered)
    });
    let mut times: Vec<_> = times.collect();
    times.sort_by_key(|(time, _)| *time);
    let (median, rendered) = &times[times.len() / 2];
    let sizes = rendered.images.iter();
    let sizes: Vec<String> = sizes
        .map(|image| format!("{} KB", image.body.len() / 1024))
        .collect();
    figure(
        "cover of 2000 × 3000 pixels, CPU",
        &format!("{:.1} ms", median.as_secs_f64() * 1e3),
        &format!(
            "budget 60 ms; median of 9, JPEG of {} KB to {}",
            source.len() / 1024,
            sizes.join(", ")
        ),
    );
}

/// Waits until every item was examined.
pub(crate) fn settle(server: &Server, admin: &Client) {
    let (cpu, begin) = (machine::cpu(server.pid()), Instant::now());
    let is_over = || {
        let answer = admin.get("/jobs?kind=covers").expect(200).json();
        let jobs = answer["items"].as_array().cloned().unwrap_or_default();
        jobs.iter().all(|job| !job["finished_at"].is_null())
    };
    while !is_over() {
        std::thread::park_timeout(Duration::from_millis(100));
    }
    figure(
        "covers looked for after the first scan",
        &format!("{:.1} s", begin.elapsed().as_secs_f64()),
        &format!(
            "{:.1} s CPU, at the lowest priority",
            machine::cpu_since(server.pid(), cpu).as_secs_f64()
        ),
    );
}

/// Measures a scan alone, and one while covers of another library are rendered.
pub(crate) fn beside(library: &Library) {
    let folder = library.server.folder().join("beside-covers");
    let pictures = library.server.folder().join("pictures");
    for folder in [&folder, &pictures] {
        if folder.exists() {
            fs::remove_dir_all(folder).expect("an empty place");
        }
    }
    prepare::make_tree(&folder, "books,games", NEWCOMERS, 98);
    fs::create_dir(&pictures).expect("a folder");
    let jacket = jacket();
    for n in 0..PICTURES {
        // Bytes after the end of a JPEG are ignored, but change its hash.
        let picture = [jacket.as_slice(), &n.to_be_bytes()].concat();
        fs::write(pictures.join(format!("Game {n}.jpg")), picture).expect("a file");
        fs::write(pictures.join(format!("Game {n}.sfc")), n.to_be_bytes()).expect("a file");
    }
    let alone = timed_scan(library, &folder);
    let id = prepare::register(&library.admin, &pictures);
    scanning::scan(&library.admin, id);
    let beside = timed_scan(library, &folder);
    let made = || {
        let list = format!("/libraries/{id}/items?limit=200&offset=200");
        let answer = library.admin.get(&list).expect(200).json();
        let items = answer["items"].as_array().cloned().unwrap_or_default();
        items.iter().filter(|item| !item["cover"].is_null()).count()
    };
    figure(
        "scan while covers are made / by itself",
        &format!("{:.2}", beside.as_secs_f64() / alone.as_secs_f64()),
        &format!(
            "{} ms against {} ms; {} of the last 100 covers were made then",
            beside.as_millis(),
            alone.as_millis(),
            made()
        ),
    );
    library
        .admin
        .delete(&format!("/libraries/{id}"))
        .expect(204);
}

fn timed_scan(library: &Library, folder: &std::path::Path) -> Duration {
    let id = prepare::register(&library.admin, folder);
    let begin = Instant::now();
    scanning::scan(&library.admin, id);
    let time = begin.elapsed();
    library
        .admin
        .delete(&format!("/libraries/{id}"))
        .expect(204);
    time
}
