//! Worker processes that crash or exceed a limit: the log and the errors of the run name the file.

use std::fs;

use ledge_tests::Server;
use ledge_tests::server::{program, scanned_library, until};

#[test]
fn failed_worker_is_logged_and_is_error_of_its_file() {
    let server = Server::with(&program("ledge-example"), &[("LEDGE_LOG", "warn")]);
    let media = server.folder().join("media");
    fs::create_dir(&media).expect("a folder");
    let cases = [
        (
            "panic",
            "engraving page 1 crashed: the staff has 3 lines and no clef (",
        ),
        ("abort", "engraving page 1 crashed: "),
        ("memory", "engraving page 1 takes too much memory"),
        ("refusal", "has no page"),
    ];
    for (way, _) in cases {
        let tune = format!("T:{way}\nK:C\n%%worker:{way}");
        fs::write(media.join(format!("{way}.abc")), tune).expect("a written file");
    }
    let admin = server.admin();
    let (library, _) = scanned_library(&admin, "Tunes", &media);
    let errors = until("four errors", || {
        let status = admin.get(&format!("/libraries/{library}/scan/status"));
        let errors = status.expect(200).json()["errors"].as_array()?.clone();
        (errors.len() == cases.len()).then_some(errors)
    });
    let log = server.log();
    for (way, message) in cases {
        let file = format!("{way}.abc");
        let is_told = |line: &str| line.contains(&file) && line.contains(message);
        let lines = errors.iter().filter_map(|error| error.as_str());
        assert_eq!(lines.filter(|line| is_told(line)).count(), 1, "{errors:?}");
        // A file that a worker rejects is not a fault of the worker.
        let expected = usize::from(way != "refusal");
        assert_eq!(
            log.lines().filter(|line| is_told(line)).count(),
            expected,
            "{log}"
        );
    }
    assert_eq!(admin.get("/version").status, 200);
}
