//! Process measurements by the operating system: CPU time, memory, start time.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use ledge_tests::server::PASSWORD;
use ledge_tests::{Client, Server};

use crate::figure;

/// Returns the number of cores and the load as text.
pub(crate) fn describe() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("?");
    format!("{cores} cores, load {load}")
}

/// Returns the CPU time of a process.
pub(crate) fn cpu(pid: u32) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The process name in parentheses may contain any character. User and system time are fields 14
    // and 15.
    let fields: Vec<u64> = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .map(|field| field.parse().unwrap_or(0))
        .collect();
    let ticks: u64 = fields.iter().skip(11).take(2).sum();
    Duration::from_millis(ticks * 10)
}

/// Returns the CPU time of a process since `before`.
pub(crate) fn cpu_since(pid: u32, before: Duration) -> Duration {
    cpu(pid).saturating_sub(before)
}

/// Returns a line of `/proc/PID/status`, in megabytes.
pub(crate) fn status_mb(pid: u32, name: &str) -> f64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status
        .lines()
        .find(|line| line.starts_with(name))
        .unwrap_or_default();
    let kilobytes: f64 = line
        .split_whitespace()
        .nth(1)
        .and_then(|number| number.parse().ok())
        .unwrap_or(0.0);
    kilobytes / 1024.0
}

/// Waits for this duration.
pub(crate) fn wait(time: Duration) {
    let begin = Instant::now();
    // `park_timeout` may return early.
    while let Some(left) = time.checked_sub(begin.elapsed()) {
        std::thread::park_timeout(left);
    }
}

/// Prints the current and the peak memory of a process.
pub(crate) fn memory(when: &str, pid: u32, budget: &str) {
    figure(
        &format!("resident memory {when}"),
        &format!("{:.0} MB", status_mb(pid, "VmRSS")),
        &format!("at most {:.0} MB so far; {budget}", status_mb(pid, "VmHWM")),
    );
}

/// Reads the database and its log, so that they are in the page cache. The budgets apply to cached
/// data.
pub(crate) fn warm(database: &Path) {
    for path in [database.to_owned(), database.with_extension("db-wal")] {
        let file = fs::File::open(&path);
        let read = file.and_then(|mut file| std::io::copy(&mut file, &mut std::io::sink()));
        if let Err(error) = read {
            crate::report(&format!("{} could not be read: {error}", path.display()));
        }
    }
}

/// Prints the size of the executable with the embedded web interface.
pub(crate) fn program_size(program: &Path) {
    let bytes = fs::metadata(program).map_or(0, |metadata| metadata.len());
    figure(
        "executable with the web interface",
        &format!("{:.1} MB", bytes as f64 / 1e6),
        "budget 16 MB",
    );
}

/// Measures the time from the process start to its first connection.
pub(crate) fn start_time(program: &Path) {
    let mut times: Vec<Duration> = (0..5)
        .map(|_| {
            let begin = Instant::now();
            let server = Server::with(program, &[]);
            let time = begin.elapsed();
            drop(server);
            time
        })
        .collect();
    times.sort();
    let best = times.first().copied().unwrap_or_default();
    figure(
        "start to first connection, new database",
        &format!("{} ms", best.as_millis()),
        "best of 5, with the first administrator's hash",
    );
}

/// Measures the time from the process start to its first response, with the library's database.
pub(crate) fn restart_time(server: &mut Server) {
    let times = (0..5).map(|_| {
        assert_eq!(server.terminate(), Some(0));
        let begin = Instant::now();
        server.restart();
        server.client().get("/version").expect(200);
        begin.elapsed()
    });
    let best = times.min().unwrap_or_default();
    figure(
        "start to first answer, this database",
        &format!("{} ms", best.as_millis()),
        "best of 5; budget 30 ms",
    );
    memory("after the start", server.pid(), "budget 40 MB");
}

/// Measures a thousand logins, and the memory after them.
pub(crate) fn logins(server: &Server) {
    let before = status_mb(server.pid(), "VmRSS");
    let begin = Instant::now();
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let client = server.client().clone();
            std::thread::spawn(move || {
                for _ in 0..125 {
                    sign_in(&client);
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().expect("logins");
    }
    let rate = 1000.0 / begin.elapsed().as_secs_f64();
    // A password hash needs 19 MiB.
    let most = (status_mb(server.pid(), "VmHWM") - before) / 19.0;
    figure(
        "1,000 logins from 8 clients",
        &format!("{rate:.0}/s"),
        &format!("floor 98/s; memory of {most:.1} hashes at once at most, budget 2"),
    );
    memory("after 1,000 logins", server.pid(), "budget 60 MB");
}

/// Signs in. One address may have only a few attempts at once, so a rejected one is repeated.
fn sign_in(client: &Client) {
    let body = serde_json::json!({"username": "admin", "password": PASSWORD});
    loop {
        let answer = client.anonymous().post("/auth/login", &body);
        match answer.status {
            429 => std::thread::sleep(Duration::from_millis(50)),
            status => return assert_eq!(status, 200, "{answer:?}"),
        }
    }
}

/// Returns the CPU time of this thread.
pub(crate) fn own_cpu() -> Duration {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let first = stat.split(' ').next().unwrap_or_default();
    Duration::from_nanos(first.parse().unwrap_or(0))
}
