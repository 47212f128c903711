//! Measures scans of a tree: `scan_bench ROOT DATABASE_FOLDER`. Every file is an item of one kind
//! without readers, so that the example measures only the core.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ledge_core::app::{JobQueue, NowPlaying, Watches};
use ledge_core::db::Db;
use ledge_core::events::Events;
use ledge_core::fs::disk::{Disk, LocalDisk};
use ledge_core::id::LibraryId;
use ledge_core::net::Providers;
use ledge_core::registry::{Format, MediaKind, PlaybackEngine, Registry, Unit};
use ledge_core::scan::{Scan, Scope, scan};
use ledge_core::time::Clock;
use ledge_core::{App, Context, Settings};

const ENGINE: PlaybackEngine = PlaybackEngine {
    id: "html5",
    label: "Browser",
    rank: 0,
    containers: &[],
    vcodecs: &[],
    acodecs: &[],
};

const fn format(extension: &'static str) -> Format {
    Format::untyped(extension, "download", Unit::None)
}

const ANY: MediaKind = MediaKind::new(
    "any",
    "File",
    "Files",
    &[
        format("epub"),
        format("pdf"),
        format("cbz"),
        format("fb2"),
        format("mobi"),
        format("azw3"),
        format("mp3"),
        format("m4b"),
        format("flac"),
        format("mp4"),
        format("mkv"),
        format("webm"),
        format("avi"),
        format("nes"),
        format("sfc"),
        format("smc"),
        format("gb"),
        format("gbc"),
        format("gba"),
        format("n64"),
        format("z64"),
        format("nds"),
        format("md"),
        format("gen"),
        format("sms"),
        format("gg"),
        format("pce"),
        format("ngp"),
        format("ws"),
        format("a26"),
        format("col"),
        format("int"),
        format("zip"),
        format("iso"),
        format("chd"),
        format("bin"),
    ],
);

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(root), Some(folder)) = (arguments.next(), arguments.next()) else {
        anyhow::bail!("usage: scan_bench ROOT DATABASE_FOLDER");
    };
    let root = std::fs::canonicalize(root)?;
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder)?;
    let app = App::new(Context {
        db: Db::open(&folder.join("bench.db"))?,
        registry: Arc::new(Registry::of(vec![&ANY], vec![&ENGINE], vec![])?),
        providers: Providers::default(),
        clock: Clock::system(),
        jobs: JobQueue::default(),
        events: Events::default(),
        watches: Watches::default(),
        now_playing: NowPlaying::default(),
        after_scan: &[],
        settings: Arc::new(Settings {
            ffprobe: None,
            read_time_limit: Duration::from_secs(5),
            data: folder.to_owned(),
            backups: None,
        }),
    });
    let path = root.to_str().expect("a path in UTF-8").to_owned();
    let library = app.db.write_blocking(move |tx| {
        tx.execute(
            "INSERT INTO library (name, name_key, path, created_at)
             VALUES ('bench', 'bench', CAST(?1 AS BLOB), '2026-01-01T00:00:00.000000Z')",
            [path],
        )?;
        Ok(LibraryId(tx.last_insert_rowid()))
    })?;
    for round in ["first", "again", "again", "again"] {
        run(&app, library, round)?;
    }
    Ok(())
}

#[expect(clippy::print_stdout, reason = "what it is for")]
fn run(app: &App, library: LibraryId, round: &str) -> anyhow::Result<()> {
    let is_done = AtomicBool::new(false);
    let (counters, elapsed, waits) = std::thread::scope(|scope| {
        // A small write waits for at most one transaction of the scan. Its waiting time is the
        // duration of that transaction.
        let waits = scope.spawn(|| {
            let mut waits = Vec::new();
            while !is_done.load(Ordering::Relaxed) {
                let start = Instant::now();
                let _ = app.db.write_blocking(|_| Ok(()));
                waits.push(start.elapsed());
                std::thread::sleep(Duration::from_millis(2));
            }
            waits
        });
        let disk = |root: &Path| Arc::new(LocalDisk::new(root)) as Arc<dyn Disk>;
        let wanted = Scan {
            library,
            job: None,
            accept_missing: false,
            scope: Scope::default(),
        };
        let start = Instant::now();
        let counters = scan(app, &wanted, &disk, &|| None);
        let elapsed = start.elapsed();
        is_done.store(true, Ordering::Relaxed);
        (counters, elapsed, waits.join().expect("no panic"))
    });
    let (end, counters) = counters?.expect("a library");
    let mut long: Vec<Duration> = waits
        .into_iter()
        .filter(|wait| wait.as_millis() > 0)
        .collect();
    long.sort();
    let part = |percent: usize| long.get(long.len() * percent / 100).copied();
    println!(
        "{round}: {end:?} {} files, {} added in {elapsed:.2?}: {:.0}/s; {} waits beyond 1 ms, \
         half {:.1?}, 90 % {:.1?}, longest {:.1?}; {}",
        counters.scanned,
        counters.added,
        f64::from(u32::try_from(counters.scanned)?) / elapsed.as_secs_f64(),
        long.len(),
        part(50),
        part(90),
        long.last(),
        memory(),
    );
    Ok(())
}

fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap_or_default()
        .to_owned()
}
