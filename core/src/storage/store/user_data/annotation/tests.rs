use super::*;
use crate::access::Visible;
use crate::id::{ItemId, UserId};
use crate::store::user_data::progress::tests::database;

/// Creates an item with a file of 100 pages that user 1 sees.
fn with_item() -> (Connection, VisibleItem) {
    let conn = database();
    conn.execute_batch(
        "INSERT INTO item (id, library_id, kind, group_key, title, sort_title, initial, added_at)
         VALUES (1, 1, 'paper', 'k', 'T', 't', 'T', '');
         INSERT INTO file (id, item_id, folder_id, name, size, mtime_ns, added_at, extent)
         VALUES (1, 1, 1, x'61', 0, 0, '', 100);",
    )
    .expect("rows");
    let item = Visible::of(UserId(1)).item(&conn, ItemId(1));
    let item = item.expect("an answer").expect("an item");
    (conn, item)
}

fn mark(note: Option<String>) -> NewAnnotation {
    NewAnnotation {
        file: None,
        position: 1,
        locator: None,
        kind: AnnotationType::Bookmark,
        text: None,
        note,
        color: None,
    }
}

fn now() -> Timestamp {
    Timestamp::from_micros(0)
}

fn make(tx: &Transaction<'_>, item: VisibleItem, note: Option<String>) -> Option<Annotation> {
    create(tx, item, &mark(note), now()).expect("a write")
}

/// Changes that may happen between the grant check and the write.
const LOSSES: [&str; 4] = [
    "DELETE FROM library_grant WHERE user_id = 1",
    "DELETE FROM item",
    "DELETE FROM library",
    "DELETE FROM user WHERE id = 1",
];

#[test]
fn write_after_loss_of_the_item_changes_nothing() {
    for loss in LOSSES {
        let (mut conn, item) = with_item();
        let tx = conn.transaction().expect("a transaction");
        let made = make(&tx, item, None).expect("an item");
        tx.execute_batch(loss).expect("a loss");
        let before = tx.total_changes();
        assert_eq!(make(&tx, item, None), None, "{loss}");
        let patch = AnnotationPatch {
            position: Some(2),
            ..AnnotationPatch::default()
        };
        let changed = update(&tx, item, made.id, &patch).expect("an answer");
        assert_eq!(changed, None, "{loss}");
        assert!(!delete(&tx, item, made.id).expect("an answer"), "{loss}");
        assert_eq!(tx.total_changes(), before, "{loss}");
    }
}

#[test]
fn purged_file_is_not_accepted_as_file_of_the_item() {
    let (mut conn, item) = with_item();
    let tx = conn.transaction().expect("a transaction");
    let named = NewAnnotation {
        file: Some(FileId(1)),
        ..mark(None)
    };
    tx.execute("DELETE FROM file", ()).expect("a purge");
    for (new, said) in [
        (&named, "The item has no such file."),
        (&mark(None), "The item has no file."),
    ] {
        let refused = create(&tx, item, new, now()).expect_err("no file");
        assert_eq!(refused.to_string(), said);
    }
}

#[test]
fn omitted_file_id_selects_the_only_present_file() {
    let (mut conn, item) = with_item();
    let tx = conn.transaction().expect("a transaction");
    let meant = || make(&tx, item, None).map(|made| made.file_id);
    let several = || {
        create(&tx, item, &mark(None), now())
            .expect_err("several")
            .to_string()
    };
    tx.execute_batch(
        "INSERT INTO file (id, item_id, folder_id, name, size, mtime_ns, added_at, missing,
                           missing_since)
         VALUES (2, 1, 1, x'62', 0, 0, '', 1, ''), (3, 1, 1, x'63', 0, 0, '', 1, '');",
    )
    .expect("files");
    assert_eq!(meant(), Some(FileId(1)));
    tx.execute_batch("UPDATE file SET missing = 0, missing_since = NULL WHERE id = 2")
        .expect("it is back");
    assert_eq!(
        several(),
        "The item has several files: name one of them in `file_id`."
    );
    tx.execute_batch("UPDATE file SET missing = 1, missing_since = ''")
        .expect("all are gone");
    assert_eq!(
        several(),
        "The item has several files: name one of them in `file_id`."
    );
    tx.execute_batch("DELETE FROM file WHERE id < 3")
        .expect("a purge");
    assert_eq!(meant(), Some(FileId(3)));
}

#[test]
fn create_beyond_ten_thousand_annotations_is_refused() {
    let (mut conn, item) = with_item();
    let tx = conn.transaction().expect("a transaction");
    tx.execute(
        "WITH RECURSIVE n (n) AS (VALUES (2) UNION ALL SELECT n + 1 FROM n WHERE n < ?1)
         INSERT INTO annotation (user_id, item_id, file_id, type, position, created_at)
         SELECT 1, 1, 1, 'bookmark', 0, '' FROM n",
        [MOST],
    )
    .expect("all but one");
    let last = make(&tx, item, None).expect("an item");
    let refused = create(&tx, item, &mark(None), now()).expect_err("full");
    assert!(matches!(refused, StoreError::Conflict(_)), "{refused:?}");
    // Existing annotations can still be changed and deleted, and other users have their own limit.
    let patch = AnnotationPatch {
        note: Some(Some("n".to_owned())),
        ..AnnotationPatch::default()
    };
    assert!(
        update(&tx, item, last.id, &patch)
            .expect("a write")
            .is_some()
    );
    let other = Visible::of(UserId(2))
        .item(&tx, item.id())
        .expect("an answer");
    assert!(make(&tx, other.expect("an item"), None).is_some());
    assert!(delete(&tx, item, last.id).expect("a write"));
    assert!(make(&tx, item, None).is_some());
}

#[test]
fn create_beyond_four_mebibytes_of_text_is_refused() {
    let (mut conn, item) = with_item();
    let tx = conn.transaction().expect("a transaction");
    let half = usize::try_from(MOST_BYTES / 2).expect("small");
    let text = |size: usize| Some("x".repeat(size));
    let first = make(&tx, item, text(half)).expect("an item");
    let second = make(&tx, item, text(half)).expect("an item");
    let refused = create(&tx, item, &mark(text(1)), now()).expect_err("full");
    assert!(matches!(refused, StoreError::Conflict(_)), "{refused:?}");
    let change = |size: Option<usize>| {
        let patch = AnnotationPatch {
            note: Some(size.and_then(text)),
            locator: Some(text(1)),
            ..AnnotationPatch::default()
        };
        update(&tx, item, second.id, &patch)
    };
    assert!(matches!(change(Some(half)), Err(StoreError::Conflict(_))));
    assert!(change(Some(half - 1)).expect("a write").is_some());
    // An annotation without text adds no bytes.
    assert!(make(&tx, item, None).is_some());
    assert!(delete(&tx, item, first.id).expect("a write"));
    assert!(make(&tx, item, text(half)).is_some());
}

#[test]
fn position_beyond_a_known_extent_is_refused() {
    let (mut conn, item) = with_item();
    let tx = conn.transaction().expect("a transaction");
    let at = |position| {
        let new = NewAnnotation {
            position,
            ..mark(None)
        };
        create(&tx, item, &new, now())
    };
    let made = at(100).expect("a write").expect("an item");
    let refused = |position| at(position).expect_err("refused").to_string();
    assert_eq!(
        refused(101),
        "The position is beyond the end of the file at 100."
    );
    assert_eq!(refused(-1), "`position` is 0 or more.");
    let patch = AnnotationPatch {
        position: Some(101),
        ..AnnotationPatch::default()
    };
    let refused = update(&tx, item, made.id, &patch).expect_err("refused");
    assert!(matches!(
        refused,
        StoreError::Invalid {
            field: "position",
            ..
        }
    ));
}
