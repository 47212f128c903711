use super::*;

#[test]
fn verified_credentials_admit_no_user_after_password_reset_or_while_disabled() {
    let verified = Credentials {
        id: UserId(1),
        password_hash: "old".to_owned(),
        disabled: false,
    };
    assert!(verified.clone().is_valid_for(&verified));
    for changed in [
        Credentials {
            password_hash: "new".to_owned(),
            ..verified.clone()
        },
        Credentials {
            disabled: true,
            ..verified.clone()
        },
        Credentials {
            id: UserId(2),
            ..verified.clone()
        },
    ] {
        assert!(!changed.is_valid_for(&verified), "{changed:?}");
    }
}
use crate::db::migrate::migrate;

fn database() -> Connection {
    let mut connection = Connection::open_in_memory().expect("a database");
    migrate(&mut connection).expect("a schema");
    connection
}

fn now() -> Timestamp {
    Timestamp::from_micros(1_800_000_000_000_000)
}

fn add(tx: &Transaction<'_>, username: &str, role: Role) -> StoreResult<User> {
    let new = NewUser {
        username: username.to_owned(),
        password_hash: "hash".to_owned(),
        role,
    };
    create(tx, &new, now())
}

#[test]
fn usernames_are_unique_regardless_of_case_and_composition() {
    let mut connection = database();
    let tx = connection.transaction().expect("a transaction");
    add(&tx, "Zo\u{eb}", Role::User).expect("the first");
    for other in ["ZO\u{cb}", " zoe\u{308} "] {
        let error = add(&tx, other, Role::User).expect_err("taken");
        assert!(matches!(error, StoreError::Conflict(_)), "{other}");
    }
    add(&tx, "Zoe", Role::User).expect("another name");
}

#[test]
fn username_is_short_and_printable() {
    let longest = "x".repeat(64);
    for good in ["a", " a ", "a%_b", "ユーザー", longest.as_str()] {
        assert_eq!(valid_username(good).expect(good), good.trim());
    }
    let too_long = "x".repeat(65);
    for bad in [
        "",
        "  ",
        "a\0b",
        "a\nb",
        "a\u{202e}b",
        "a\u{200b}",
        &too_long,
    ] {
        assert!(valid_username(bad).is_err(), "{bad:?}");
    }
}

#[test]
fn last_enabled_administrator_cannot_be_removed() {
    let mut connection = database();
    let tx = connection.transaction().expect("a transaction");
    let root = add(&tx, "root", Role::Admin).expect("an administrator").id;
    let second = add(&tx, "second", Role::Admin).expect("a second").id;
    let disable = UserPatch {
        disabled: Some(true),
        ..UserPatch::default()
    };
    update(&tx, second, &disable).expect("one is left");
    let demote = UserPatch {
        role: Some(Role::User),
        ..UserPatch::default()
    };
    for patch in [&disable, &demote] {
        assert!(matches!(
            update(&tx, root, patch),
            Err(StoreError::Conflict(_))
        ));
        tx.execute(
            "UPDATE user SET role = 'admin', disabled = 0 WHERE id = ?1",
            [root],
        )
        .expect("what a rollback would do");
    }
    assert!(matches!(delete(&tx, root), Err(StoreError::Conflict(_))));
}

#[test]
fn grants_are_replaced_completely_or_not_at_all() {
    let mut connection = database();
    let tx = connection.transaction().expect("a transaction");
    let id = add(&tx, "mia", Role::User).expect("a user").id;
    for n in 1..=3 {
        tx.execute(
            "INSERT INTO library (name, name_key, path, created_at)
             VALUES (?1, ?1, CAST(?1 AS BLOB), '2026')",
            [format!("library {n}")],
        )
        .expect("a library");
    }
    let ids = |ids: &[i64]| ids.iter().copied().map(LibraryId).collect::<Vec<_>>();
    assert!(set_libraries(&tx, id, &ids(&[1, 2, 2])).expect("granted"));
    assert!(set_libraries(&tx, id, &ids(&[3, 1])).expect("granted"));
    assert_eq!(libraries(&tx, id).expect("a list"), ids(&[1, 3]));
    assert!(matches!(
        set_libraries(&tx, id, &ids(&[9])),
        Err(StoreError::Invalid {
            field: "library_ids",
            ..
        })
    ));
    assert!(!set_libraries(&tx, UserId(99), &[]).expect("an answer"));
}
