//! Background jobs as administrators see them.

use ledge_core::db::open;
use ledge_tests::server::{scan, until};
use ledge_tests::{Client, Server};
use serde_json::{Value, json};

use crate::http::conventions::{has_keys, id_of, is_time, library_of, page, refused};

const JOB: &str = "id kind ref_id status attempts result error run_at created_at started_at \
    finished_at";

fn job(admin: &Client, id: i64) -> Value {
    let jobs = page(&admin.get("/jobs"));
    jobs.into_iter()
        .find(|job| id_of(job) == id)
        .expect("the job")
}

/// Inserts a permanently failed job, as only an internal error creates it.
fn failed_job(server: &Server, library: i64) -> i64 {
    let database = open::writable(&server.database()).expect("the database");
    let time = "2026-01-01T00:00:00.000000Z";
    database
        .execute(
            "INSERT INTO job (kind, ref_id, status, attempts, error, run_at, created_at,
                              started_at, finished_at)
             VALUES ('scan', ?1, 'failed', 5, 'no luck', ?2, ?2, ?2, ?2)",
            (library, time),
        )
        .expect("a row");
    database.last_insert_rowid()
}

#[test]
fn jobs_are_listed_newest_first_with_every_field() {
    let (server, admin, library) = library_of(&[("A.epub", "a")]);
    let second = scan(&admin, library)["job_id"].as_i64().expect("a job");
    let failed = failed_job(&server, library);
    let jobs = page(&admin.get("/jobs?kind=scan"));
    let ids: Vec<i64> = jobs.iter().map(id_of).collect();
    assert_eq!(ids[..2], [failed, second]);
    assert!(ids.is_sorted_by(|a, b| a > b), "{ids:?}");
    for job in &jobs {
        has_keys(job, JOB);
        for time in ["run_at", "created_at", "started_at", "finished_at"] {
            is_time(&job[time]);
        }
    }
    let scanned = job(&admin, second);
    assert_eq!(
        ["kind", "ref_id", "status", "attempts", "error"].map(|key| scanned[key].clone()),
        [
            json!("scan"),
            json!(library),
            json!("done"),
            json!(1),
            Value::Null
        ]
    );
    assert!(scanned["result"].is_object(), "{scanned}");
    assert_eq!(job(&admin, failed)["result"], Value::Null);
}

#[test]
fn jobs_are_filtered_by_status_and_kind() {
    let (server, admin, library) = library_of(&[]);
    let failed = failed_job(&server, library);
    for (query, total) in [
        ("", 2),
        ("?status=done", 1),
        ("?status=failed", 1),
        ("?status=queued", 0),
        ("?status=running", 0),
        ("?kind=scan", 2),
        ("?kind=nothing", 0),
        ("?kind=scan&status=failed", 1),
        ("?limit=1&offset=1", 2),
    ] {
        let answer = admin.get(&format!("/jobs{query}"));
        page(&answer);
        assert_eq!(answer.json()["total"], total, "{query}");
    }
    assert_eq!(id_of(&page(&admin.get("/jobs?status=failed"))[0]), failed);
}

#[test]
fn only_failed_job_can_be_retried() {
    let (server, admin, library) = library_of(&[("A.epub", "a")]);
    let done = id_of(&page(&admin.get("/jobs?kind=scan"))[0]);
    let failed = failed_job(&server, library);
    let retry = |id: i64| admin.send("POST", &format!("/jobs/{id}/retry"), &[], None);
    refused(&retry(done), 409, "conflict");
    refused(&retry(98765), 404, "not_found");
    retry(failed).expect(202);
    let again = until("the job's end", || {
        let job = job(&admin, failed);
        (job["status"] == "done").then_some(job)
    });
    assert_eq!(again["error"], Value::Null, "{again}");
    refused(&retry(failed), 409, "conflict");
}

#[test]
fn jobs_are_visible_to_administrators_only() {
    let (server, admin, library) = library_of(&[]);
    let (_, user) = server.user(&admin, "mia");
    let failed = failed_job(&server, library);
    for id in [failed, 98765] {
        let answer = user.send("POST", &format!("/jobs/{id}/retry"), &[], None);
        refused(&answer, 403, "forbidden");
    }
    refused(&user.get("/jobs?status=odd"), 403, "forbidden");
    assert_eq!(job(&admin, failed)["status"], "failed");
}
