use super::*;
use crate::db::migrate;

fn database() -> Connection {
    let mut connection = Connection::open_in_memory().expect("a database");
    connection
        .pragma_update(None, "foreign_keys", true)
        .expect("a pragma");
    migrate::migrate(&mut connection).expect("the schema");
    for (id, name) in [(1, "ada"), (2, "Ben")] {
        connection
            .execute(
                "INSERT INTO user (id, username, username_key, password_hash, role, created_at)
                 VALUES (:id, :name, lower(:name), '', 'user', '2026-01-01T00:00:00.000000Z')",
                named_params! { ":id": id, ":name": name },
            )
            .expect("a user");
    }
    connection
}

fn new(name: &str, path: &str) -> NewLibrary {
    NewLibrary {
        name: name.to_owned(),
        path: path.into(),
        kinds: None,
        grants: Vec::new(),
    }
}

fn add(connection: &mut Connection, new: &NewLibrary) -> StoreResult<LibraryId> {
    let tx = connection.transaction()?;
    let id = create(&tx, new, UserId(1), Timestamp::from_micros(0))?;
    tx.commit()?;
    Ok(id)
}

fn put_item(connection: &Connection, library: LibraryId, kind: &str, key: &str, missing: bool) {
    connection
        .execute(
            "INSERT INTO item (library_id, kind, group_key, title, sort_title, initial, added_at,
                               missing)
             VALUES (:library, :kind, :key, :key, :key, substr(:key, 1, 1), '', :missing)",
            named_params! { ":library": library, ":kind": kind, ":key": key, ":missing": missing },
        )
        .expect("an item");
}

#[test]
fn library_name_is_unique_in_any_case_and_path_is_unique() {
    let mut connection = database();
    add(&mut connection, &new("Bücher", "/srv/books")).expect("the first");
    // The second spelling is decomposed: `u` and a combining diaeresis.
    for name in ["BÜCHER", "bu\u{308}cher"] {
        let refused = add(&mut connection, &new(name, "/srv/other"));
        assert!(matches!(refused, Err(StoreError::Conflict(_))), "{name}");
    }
    let refused = add(&mut connection, &new("Other", "/srv/books"));
    assert!(matches!(refused, Err(StoreError::Conflict(_))));
    add(&mut connection, &new("Nested", "/srv/books/new")).expect("nested roots are allowed");
}

#[test]
fn new_library_is_granted_to_creator_and_named_users() {
    let mut connection = database();
    let mut shared = new("Shared", "/srv/shared");
    shared.grants = vec![UserId(2), UserId(1)];
    let id = add(&mut connection, &shared).expect("a library");
    let names: Vec<_> = grant::of_library_unscoped(&connection, id)
        .expect("grants")
        .into_iter()
        .map(|grant| grant.username)
        .collect();
    assert_eq!(names, ["ada", "Ben"]);

    let mut unknown = new("Unknown", "/srv/unknown");
    unknown.grants = vec![UserId(9)];
    let refused = add(&mut connection, &unknown);
    assert!(matches!(
        refused,
        Err(StoreError::Invalid {
            field: "grants",
            ..
        })
    ));
    assert_eq!(
        list_unscoped(&connection, UserId(1)).expect("a list").len(),
        1
    );
}

#[test]
fn user_sees_only_granted_libraries() {
    let mut connection = database();
    let mine = add(&mut connection, &new("Mine", "/srv/mine")).expect("a library");
    let seen = list(&connection, Visible::of(UserId(2))).expect("a list");
    assert!(seen.is_empty());
    let all = list_unscoped(&connection, UserId(2)).expect("a list");
    assert_eq!(all.len(), 1);
    assert!(!all[0].granted);
    let tx = connection.transaction().expect("a transaction");
    assert!(grant::grant(&tx, UserId(2), mine).expect("a grant"));
    assert!(grant::grant(&tx, UserId(2), mine).expect("twice is once"));
    assert!(!grant::grant(&tx, UserId(2), LibraryId(77)).expect("no library"));
    assert!(!grant::revoke(&tx, UserId(77), mine).expect("no user"));
    let seen = list(&tx, Visible::of(UserId(2))).expect("a list");
    assert_eq!(seen.len(), 1);
    assert!(seen[0].granted);
}

#[test]
fn library_counts_present_items_by_kind() {
    let mut connection = database();
    let id = add(&mut connection, &new("Mixed", "/srv/mixed")).expect("a library");
    for (kind, key, missing) in [
        ("a", "x1", false),
        ("a", "y1", false),
        ("a", "x2", true),
        ("b", "x3", true),
    ] {
        put_item(&connection, id, kind, key, missing);
    }
    let library = get_unscoped(&connection, id, UserId(1))
        .expect("an answer")
        .expect("a library");
    assert_eq!(library.counts, BTreeMap::from([("a".to_owned(), 2)]));
    assert_eq!(library.missing, 2);
}

#[test]
fn update_changes_only_the_named_fields() {
    let mut connection = database();
    let id = add(&mut connection, &new("Old", "/srv/old")).expect("a library");
    add(&mut connection, &new("Other", "/srv/other")).expect("a library");
    let tx = connection.transaction().expect("a transaction");
    let read = |id| {
        get_unscoped(&tx, id, UserId(1))
            .expect("an answer")
            .expect("a library")
    };
    let limit = LibraryChange {
        kinds: Some(Some(vec!["a".to_owned()])),
        ..LibraryChange::default()
    };
    assert!(update(&tx, id, &limit).expect("an update"));
    assert_eq!(read(id).kinds, Some(vec!["a".to_owned()]));
    assert_eq!(read(id).name, "Old");

    let rename = LibraryChange {
        name: Some("OLD".to_owned()),
        ..LibraryChange::default()
    };
    assert!(update(&tx, id, &rename).expect("its own name in another case"));
    assert_eq!(read(id).kinds, Some(vec!["a".to_owned()]));

    let lift = LibraryChange {
        kinds: Some(None),
        ..LibraryChange::default()
    };
    assert!(update(&tx, id, &lift).expect("an update"));
    assert_eq!(read(id).kinds, None);

    let taken = LibraryChange {
        path: Some("/srv/other".into()),
        ..LibraryChange::default()
    };
    assert!(matches!(
        update(&tx, id, &taken),
        Err(StoreError::Conflict(_))
    ));
    assert!(!update(&tx, LibraryId(99), &lift).expect("no library"));
}
