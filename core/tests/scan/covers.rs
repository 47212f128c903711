//! Tests of covers: which items are examined, the source of their cover, and errors.

use std::io::Cursor;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use image::{ImageFormat, Rgb, RgbImage};
use ledge_core::app::JobQueue;
use ledge_core::jobs::{self, JobHandlers};
use ledge_core::{App, Context, cover, job_kind};

use crate::world::World;

/// Returns a picture with a distinct colour.
fn picture(red: u8) -> Vec<u8> {
    let pixels = RgbImage::from_pixel(300, 450, Rgb([red, 20, 20]));
    let mut body = Cursor::new(Vec::new());
    pixels
        .write_to(&mut body, ImageFormat::Png)
        .expect("an image");
    body.into_inner()
}

/// Returns a sheet that contains a picture.
fn sheet(title: &str, picture: &[u8]) -> Vec<u8> {
    [format!("title={title}\n%%picture\n").as_bytes(), picture].concat()
}

fn hash(picture: &[u8]) -> String {
    blake3::hash(picture).to_hex().to_string()
}

/// Runs the queued job and returns its counts: items, covers, errors.
fn look(world: &mut World) -> Option<String> {
    world
        .rows("SELECT id FROM job WHERE status = 'queued' AND kind = 'covers'")
        .pop()?;
    let handlers = JobHandlers::default().with(job_kind::COVERS, cover::run_job);
    let workers = jobs::start(&world.app, handlers, 1).expect("workers");
    let start = Instant::now();
    while !world
        .rows("SELECT 1 FROM job WHERE finished_at IS NULL")
        .is_empty()
    {
        assert!(start.elapsed() < Duration::from_mins(1), "the job ends");
        std::thread::yield_now();
    }
    workers.stop();
    // A stopped queue cannot be started again.
    world.app = App::new(Context {
        jobs: JobQueue::default(),
        ..Context::clone(&world.app)
    });
    Some(world.one(
        "SELECT result ->> 'items', result ->> 'covers', result ->> 'errors'
           FROM job WHERE kind = 'covers' ORDER BY id DESC LIMIT 1",
    ))
}

fn settle(world: &mut World) -> Option<String> {
    world.scan();
    look(world)
}

/// Returns the cover of a file's item as picture hash and source.
fn cover_of(world: &World, path: &str) -> String {
    let item = world.item(path);
    world.one(&format!(
        "SELECT ifnull(cover.hash, '-'), cover_source
           FROM item LEFT JOIN cover ON cover.id = cover_id WHERE item.id = {item}"
    ))
}

#[test]
fn picture_in_file_precedes_picture_files() {
    let mut world = World::new();
    let (inside, own, folder) = (picture(250), picture(180), picture(120));
    world.write("a/one.sheet", sheet("One", &inside));
    world.write("a/one.png", &own);
    world.write("a/cover.png", &folder);
    world.write("b/two.sheet", "title=Two");
    world.write("b/two.png", &own);
    world.write("b/Cover.png", &folder);
    world.write("c/three.sheet", "title=Three");
    world.write("c/COVER.PNG", &folder);
    world.write("d/four.sheet", "title=Four");
    let report = settle(&mut world);
    assert_eq!(report.as_deref(), Some("4|3|0"));
    assert_eq!(
        cover_of(&world, "a/one.sheet"),
        format!("{}|1", hash(&inside))
    );
    assert_eq!(cover_of(&world, "b/two.sheet"), format!("{}|0", hash(&own)));
    assert_eq!(
        cover_of(&world, "c/three.sheet"),
        format!("{}|0", hash(&folder))
    );
    assert_eq!(cover_of(&world, "d/four.sheet"), "-|0");
    assert_eq!(
        world.rows("SELECT width, height FROM cover GROUP BY 1, 2"),
        ["300|450"]
    );
}

#[test]
fn folder_picture_is_not_used_for_several_items() {
    let mut world = World::new();
    world.write("shelf/one.sheet", "title=One");
    world.write("shelf/two.sheet", "title=Two");
    world.write("shelf/cover.png", picture(90));
    let report = settle(&mut world);
    assert_eq!(report.as_deref(), Some("2|0|0"));
    assert_eq!(cover_of(&world, "shelf/one.sheet"), "-|0");
}

#[test]
fn item_of_several_folders_has_picture_of_its_own_folder() {
    let mut world = World::new();
    world.write("Opus/Disc 1/a.reel", "a");
    world.write("Opus/Disc 2/b.reel", "b");
    settle(&mut world);
    assert_eq!(cover_of(&world, "Opus/Disc 1/a.reel"), "-|0");
    let art = picture(77);
    world.write("Opus/cover.png", &art);
    let report = settle(&mut world);
    assert_eq!(report.as_deref(), Some("1|1|0"));
    assert_eq!(
        cover_of(&world, "Opus/Disc 1/a.reel"),
        format!("{}|0", hash(&art))
    );
    world.remove("Opus/cover.png");
    let report = settle(&mut world);
    assert_eq!(report.as_deref(), Some("1|0|0"));
    assert_eq!(cover_of(&world, "Opus/Disc 1/a.reel"), "-|0");
    assert_eq!(world.one("SELECT count(*) FROM cover"), "0");
}

#[test]
fn picture_of_the_item_precedes_those_of_its_discs() {
    let mut world = World::new();
    let (whole, disc) = (picture(60), picture(70));
    world.write("Opus/Disc 1/a.reel", "a");
    world.write("Opus/Disc 1/cover.png", &disc);
    world.write("Opus/Disc 2/b.reel", "b");
    settle(&mut world);
    let found = cover_of(&world, "Opus/Disc 1/a.reel");
    assert_eq!(found, format!("{}|0", hash(&disc)));
    world.write("Opus/cover.png", &whole);
    settle(&mut world);
    let found = cover_of(&world, "Opus/Disc 1/a.reel");
    assert_eq!(found, format!("{}|0", hash(&whole)));
}

#[test]
fn unchanged_item_is_not_examined_again() {
    let mut world = World::new();
    world.write("a/one.sheet", sheet("One", &picture(250)));
    world.write("b/two.sheet", "title=Two");
    world.write("b/cover.png", picture(10));
    let report = settle(&mut world);
    assert_eq!(report.as_deref(), Some("2|2|0"));
    world.scan();
    assert_eq!(world.one("SELECT count(*) FROM cover_queue"), "0");
    assert_eq!(look(&mut world), None);
    // Another picture with the same name is another cover.
    let other = picture(20);
    world.write("b/cover.png", &other);
    std::fs::File::options()
        .write(true)
        .open(world.path("b/cover.png"))
        .and_then(|file| file.set_modified(std::time::SystemTime::UNIX_EPOCH))
        .expect("a time");
    let report = settle(&mut world);
    assert_eq!(report.as_deref(), Some("1|1|0"));
    assert_eq!(
        cover_of(&world, "b/two.sheet"),
        format!("{}|0", hash(&other))
    );
    let other = picture(30);
    world.write("a/one.sheet", sheet("One anew", &other));
    let report = settle(&mut world);
    assert_eq!(report.as_deref(), Some("1|1|0"));
    assert_eq!(
        cover_of(&world, "a/one.sheet"),
        format!("{}|1", hash(&other))
    );
    assert_eq!(
        world.one("SELECT count(*) FROM cover"),
        "2",
        "what nobody has is gone"
    );
}

#[test]
fn shared_picture_is_stored_once_and_deleted_with_last_item() {
    let mut world = World::new();
    let shared = picture(200);
    for name in ["a", "b", "c"] {
        world.write(&format!("{name}.sheet"), sheet(name, &shared));
    }
    let report = settle(&mut world);
    assert_eq!(report.as_deref(), Some("3|3|0"));
    assert_eq!(world.one("SELECT count(*) FROM cover"), "1");
    world.sql("DELETE FROM item WHERE title <> 'a'");
    assert_eq!(world.one("SELECT count(*) FROM cover_image"), "2");
    world.sql("DELETE FROM item");
    assert_eq!(world.one("SELECT count(*) FROM cover_image"), "0");
}

#[test]
fn cover_of_provider_or_user_is_kept() {
    let mut world = World::new();
    world.write("a.sheet", sheet("A", &picture(250)));
    settle(&mut world);
    for source in [2, 3] {
        world.sql(&format!("UPDATE item SET cover_source = {source}"));
        let before = cover_of(&world, "a.sheet");
        world.write("a.sheet", sheet(&"A".repeat(source), &picture(30)));
        assert_eq!(settle(&mut world).as_deref(), Some("1|0|0"));
        assert_eq!(cover_of(&world, "a.sheet"), before);
        assert_eq!(world.one("SELECT count(*) FROM cover_queue"), "0");
    }
}

#[test]
fn broken_picture_is_reported_by_name_and_not_retried() {
    let mut world = World::new();
    world.write("torn.sheet", sheet("Torn", &picture(250)[..200]));
    world.write("odd.sheet", sheet("Odd", b"no picture"));
    world.write("mad.sheet", sheet("Mad", b"panic"));
    world.write("sad.sheet", sheet("Sad", b"damaged"));
    world.write("ok/ok.sheet", sheet("Fine", b"no picture"));
    let art = picture(66);
    world.write("ok/ok.png", &art);
    let report = settle(&mut world);
    assert_eq!(report.as_deref(), Some("5|1|5"));
    let mut errors = world.errors();
    errors.sort();
    let named: Vec<&str> = errors
        .iter()
        .filter_map(|line| line.split_once(": ").map(|(path, _)| path))
        .collect();
    assert_eq!(
        named,
        [
            "mad.sheet",
            "odd.sheet",
            "ok/ok.sheet",
            "sad.sheet",
            "torn.sheet"
        ],
        "{errors:?}"
    );
    assert!(
        errors[1].contains("the format of the picture is not supported"),
        "{errors:?}"
    );
    assert_eq!(cover_of(&world, "torn.sheet"), "-|0");
    assert_eq!(cover_of(&world, "ok/ok.sheet"), format!("{}|0", hash(&art)));
    world.scan();
    assert_eq!(look(&mut world), None);
}

#[test]
fn file_unreadable_in_scan_is_reported_once() {
    let mut world = World::new();
    for n in 0..103 {
        let file = format!("{n}.sheet");
        world.write(&file, format!("damaged {n}\n%%picture\ndamaged"));
    }
    world.write("odd.sheet", sheet("Odd", b"no picture"));
    let report = settle(&mut world);
    assert_eq!(report.as_deref(), Some("104|0|104"));
    assert_eq!(world.errors().len(), 100);
    assert_eq!(world.one("SELECT errors_overflow FROM scan_run"), "4");
}

#[test]
fn picture_outside_library_is_not_a_cover() {
    let mut world = World::new();
    let outside = world.root().join("../secret.png");
    std::fs::write(&outside, picture(250)).expect("a file");
    world.write("a/one.sheet", "title=One");
    symlink(&outside, world.path("a/cover.png")).expect("a link");
    symlink(&outside, world.path("a/one.png")).expect("a link");
    let report = settle(&mut world);
    assert_eq!(report.as_deref(), Some("1|0|0"));
    assert_eq!(world.one("SELECT count(*) FROM cover"), "0");
}

#[test]
fn unreadable_picture_is_retried_after_next_scan() {
    let mut world = World::new();
    let inside = picture(99);
    world.write("one.sheet", sheet("One", &inside));
    world.scan();
    world.rename("one.sheet", ".away");
    assert_eq!(look(&mut world).as_deref(), Some("1|0|1"));
    assert_eq!(world.errors(), ["one.sheet: it cannot be opened"]);
    world.rename(".away", "one.sheet");
    assert_eq!(settle(&mut world).as_deref(), Some("1|1|0"));
    assert_eq!(
        cover_of(&world, "one.sheet"),
        format!("{}|1", hash(&inside))
    );
}

#[test]
fn killed_job_is_resumed() {
    let world = World::new();
    for n in 0..5 {
        world.write(&format!("{n}.sheet"), sheet("S", &picture(n * 40)));
    }
    world.scan();
    world.sql("UPDATE job SET status = 'running', attempts = 1 WHERE kind = 'covers'");
    let mut world = world.restarted();
    let now = world.app.clock.now();
    let recovered = world
        .app
        .db
        .write_blocking(move |tx| ledge_core::store::job::recover_stale(tx, 6, now));
    assert_eq!(recovered.expect("a count"), 1);
    assert_eq!(look(&mut world).as_deref(), Some("5|5|0"));
}
