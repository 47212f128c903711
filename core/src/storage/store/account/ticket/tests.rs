use super::*;
use crate::access::Visible;
use crate::store::user_data::progress::tests::database;

const SESSION: TokenHash = [7; 32];
fn now() -> Timestamp {
    Timestamp::from_micros(0)
}

/// Creates a session and a file that user 1 sees.
fn with_file() -> (Connection, VisibleFile) {
    let conn = database();
    conn.execute_batch(
        "INSERT INTO item (id, library_id, kind, group_key, title, sort_title, initial, added_at)
         VALUES (1, 1, 'paper', 'k', 'T', 't', 'T', '');
         INSERT INTO file (id, item_id, folder_id, name, size, mtime_ns, added_at)
         VALUES (1, 1, 1, x'61', 0, 0, '');",
    )
    .expect("rows");
    for session in [SESSION, [8; 32]] {
        conn.execute(
            "INSERT INTO session (token_hash, user_id, created_at, renewed_at, expires_at)
             VALUES (?1, 1, '', '', ?2)",
            (session, now().plus(Duration::from_hours(24))),
        )
        .expect("a session");
    }
    let file = Visible::of(UserId(1)).file(&conn, FileId(1));
    let file = file.expect("an answer").expect("a file");
    (conn, file)
}

fn ticket(n: u32) -> TokenHash {
    let mut hash = [0; 32];
    hash[..4].copy_from_slice(&n.to_be_bytes());
    hash
}

#[test]
fn ticket_is_refused_after_loss_of_file_or_session() {
    for (loss, expected) in [
        ("DELETE FROM library_grant", Issued::Absent),
        ("DELETE FROM file", Issued::Absent),
        ("DELETE FROM item", Issued::Absent),
        ("DELETE FROM library", Issued::Absent),
        ("DELETE FROM session", Issued::SignedOut),
        ("UPDATE session SET expires_at = ''", Issued::SignedOut),
        ("DELETE FROM user", Issued::SignedOut),
    ] {
        let (mut conn, file) = with_file();
        let tx = conn.transaction().expect("a transaction");
        tx.execute_batch(loss).expect("a loss");
        let issued = create(&tx, &ticket(1), file, &SESSION, now()).expect("an answer");
        assert_eq!(issued, expected, "{loss}");
        let count: i64 = tx
            .query_row("SELECT count(*) FROM file_ticket", (), |row| row.get(0))
            .expect("a count");
        assert_eq!(count, 0, "{loss}");
    }
}

#[test]
fn oldest_tickets_of_session_beyond_limit_are_deleted() {
    const LIMIT: u32 = 20_000;
    let (mut conn, file) = with_file();
    let tx = conn.transaction().expect("a transaction");
    let holds = |n: u32, now| {
        let owner = find(&tx, &ticket(n), file.id(), now).expect("an answer");
        owner.is_some()
    };
    let at = |n: u32| now().plus(Duration::from_secs(u64::from(n)));
    let issue = |n: u32, session: &TokenHash| {
        let issued = create(&tx, &ticket(n), file, session, at(n)).expect("a write");
        assert_eq!(issued, Issued::Until(at(n).plus(LIFETIME)));
    };
    issue(0, &[8; 32]);
    for n in 1..=3 {
        issue(n, &SESSION);
    }
    let many: Vec<_> = (4..=LIMIT).map(|n| (ticket(n), file.id())).collect();
    assert!(create_all(&tx, &many, &SESSION, at(4)).expect("a write"));
    assert!((0..=LIMIT).all(|n| holds(n, at(4))));
    for n in LIMIT + 1..=LIMIT + 2 {
        issue(n, &SESSION);
    }
    let lost: Vec<u32> = (0..=LIMIT + 2).filter(|n| !holds(*n, at(5))).collect();
    assert_eq!(lost, [1, 2]);
    let ended = create_all(&tx, &[(ticket(LIMIT + 3), file.id())], &[9; 32], at(6));
    assert!(!ended.expect("an answer"), "the session is absent");
}
