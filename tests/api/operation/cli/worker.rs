//! The worker that reads untrusted files, within limits of time and memory.

use std::process::{Command, Output};

use ledge_tests::server::program;
use serde_json::Value;

use super::errors;

#[test]
fn worker_answers_refuses_or_is_killed_within_limits() {
    let story = ledge_fixtures::Story {
        title: "A Title".to_owned(),
        ..ledge_fixtures::Story::default()
    };
    let document = ledge_fixtures::pdf(&ledge_fixtures::PdfSpec { story });
    let page = worker("pdf-cover", &document);
    assert_eq!(page.status.code(), Some(0), "{}", errors(&page));
    assert!(page.stdout.starts_with(&[0xff, 0xd8, 0xff]), "no JPEG");

    let metadata = worker("pdf-metadata", &document);
    assert_eq!(metadata.status.code(), Some(0), "{}", errors(&metadata));
    let values: Value = serde_json::from_slice(&metadata.stdout).expect("JSON");
    assert_eq!(values["pages"], 1, "{values}");

    let works = ["pdf-cover", "pdf-metadata"].map(|work| (work, &b"no document"[..]));
    for (work, input) in works.into_iter().chain([("nothing", &b""[..])]) {
        let refused = worker(work, input);
        assert_eq!(refused.status.code(), Some(1), "{work}");
        assert_eq!(errors(&refused).lines().count(), 1, "{}", errors(&refused));
    }

    let endless = worker("pdf-cover", endless().as_bytes());
    // No exit code: the process was killed.
    assert_eq!(endless.status.code(), None, "{}", errors(&endless));
}

/// Runs a worker on the given bytes, as the server does.
fn worker(work: &str, input: &[u8]) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("input");
    std::fs::write(&path, input).expect("a written file");
    Command::new(program("ledge"))
        .args(["worker", work])
        .stdin(std::fs::File::open(&path).expect("a file"))
        .output()
        .expect("the program")
}

/// Returns a PDF whose page draws a form twelve times, which draws another form twelve times, and
/// so on.
fn endless() -> String {
    const FORMS: usize = 12;
    let stream = |about: &str, text: &str| {
        let length = text.len();
        format!("<<{about}/Length {length}>>stream\n{text}\nendstream")
    };
    let uses = |form: usize| format!("/Resources<</XObject<</F {form} 0 R>>>>");
    let mut objects = vec![
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R{}>>",
            uses(5)
        ),
        stream("", &"/F Do ".repeat(12)),
    ];
    for form in 1..=FORMS {
        let about = "/Type/XObject/Subtype/Form/BBox[0 0 99 99]";
        objects.push(if form == FORMS {
            stream(about, "0 0 50 50 re f")
        } else {
            stream(&format!("{about}{}", uses(form + 5)), &"/F Do ".repeat(12))
        });
    }
    let numbered = objects.iter().zip(1..);
    let numbered = numbered.map(|(object, number)| format!("{number} 0 obj\n{object}\nendobj\n"));
    let objects = numbered.collect::<Vec<_>>().concat();
    format!("%PDF-1.7\n{objects}trailer\n<</Root 1 0 R>>\n%%EOF\n")
}
