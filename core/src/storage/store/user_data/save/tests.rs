use rusqlite::Transaction;

use super::*;
use crate::db::Db;

const MIB: usize = 1 << 20;

/// Creates a database with a game that the users 1 and 2 see.
fn database() -> (Db, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let db = Db::open(&folder.path().join("ledge.db")).expect("a database");
    db.write_blocking(|tx| {
        tx.execute_batch(
            "INSERT INTO user (username, username_key, password_hash, role, created_at)
             VALUES ('a', 'a', '', 'user', ''), ('b', 'b', '', 'user', '');
             INSERT INTO library (name, name_key, path, created_at)
             VALUES ('l', 'l', x'2f', '');
             INSERT INTO library_grant (library_id, user_id) VALUES (1, 1), (1, 2);
             INSERT INTO item (library_id, kind, group_key, title, sort_title, initial, added_at)
             VALUES (1, 'paper', 'k', 'T', 't', 'T', ''), (1, 'paper', 'j', 'U', 'u', 'U', '');",
        )?;
        Ok(())
    })
    .expect("rows");
    (db, folder)
}

fn slot(tx: &Connection, user: i64, item: i64, name: &str) -> Slot {
    let item = Visible::of(UserId(user)).item(tx, ItemId(item));
    Slot::of(item.expect("an answer").expect("an item"), name)
}

/// Stores `size` bytes with the value `fill` at the time `fill`.
fn store(tx: &Transaction<'_>, slot: &Slot, fill: u8, size: usize) -> StoreResult<Written<Save>> {
    let body = vec![fill; size];
    let new = NewSave {
        size: size as u64,
        sha256: format!("{fill:064x}"),
        core: None,
        at: Timestamp::from_micros(i64::from(fill)),
    };
    put(tx, slot, &new, &mut body.as_slice(), |_| true)
}

fn numbers(tx: &Connection, slot: &Slot) -> Vec<i64> {
    let list = versions(tx, slot).expect("an answer").expect("versions");
    list.iter().map(|version| version.n).collect()
}

#[test]
fn ten_versions_stay_and_their_numbers_continue() {
    let (db, _folder) = database();
    db.write_blocking(|tx| {
        let slot = slot(tx, 1, 1, "quick");
        for fill in 1..=13 {
            store(tx, &slot, fill, 10)?;
        }
        assert_eq!(numbers(tx, &slot), (3..=12).rev().collect::<Vec<_>>());
        delete(tx, &slot, |_| true)?;
        assert_eq!(numbers(tx, &slot), (4..=13).rev().collect::<Vec<_>>());
        assert!(current(tx, &slot)?.is_none());
        assert!(matches!(store(tx, &slot, 20, 10)?, Written::Created(_)));
        assert!(matches!(store(tx, &slot, 21, 10)?, Written::Replaced(_)));
        assert_eq!(numbers(tx, &slot)[0], 14);
        let state = version(tx, &slot, 14)?.expect("a version");
        assert_eq!(chunk(tx, &state, 0, 100)?, Some(vec![20; 10]));
        Ok(())
    })
    .expect("a write");
}

#[test]
fn versions_of_a_slot_share_64_mib() {
    let (db, _folder) = database();
    db.write_blocking(|tx| {
        let slot = slot(tx, 1, 1, "quick");
        for fill in 1..=7 {
            store(tx, &slot, fill, 16 * MIB)?;
        }
        assert_eq!(numbers(tx, &slot), [6, 5, 4, 3]);
        store(tx, &slot, 8, 1)?;
        assert_eq!(numbers(tx, &slot), [7, 6, 5, 4]);
        store(tx, &slot, 9, 1)?;
        assert_eq!(numbers(tx, &slot), [8, 7, 6, 5]);
        Ok(())
    })
    .expect("a write");
}

#[test]
fn equal_state_creates_no_version() {
    let (db, _folder) = database();
    db.write_blocking(|tx| {
        let slot = slot(tx, 1, 1, "quick");
        store(tx, &slot, 1, 10)?;
        assert!(matches!(store(tx, &slot, 1, 10)?, Written::Replaced(_)));
        assert_eq!(versions(tx, &slot)?, Some(Vec::new()));
        Ok(())
    })
    .expect("a write");
}

#[test]
fn failed_precondition_changes_nothing() {
    let (db, _folder) = database();
    db.write_blocking(|tx| {
        let slot = slot(tx, 1, 1, "quick");
        store(tx, &slot, 1, 10)?;
        let new = NewSave {
            size: 1,
            sha256: "x".to_owned(),
            core: None,
            at: Timestamp::from_micros(9),
        };
        let refused = put(tx, &slot, &new, &mut &b"x"[..], |state| state.is_none())?;
        assert_eq!(refused, Written::Unexpected);
        assert_eq!(delete(tx, &slot, |_| false)?, Written::Unexpected);
        let state = current(tx, &slot)?.expect("a save");
        assert_eq!(chunk(tx, &state, 8, 100)?, Some(vec![1; 2]));
        Ok(())
    })
    .expect("a write");
}

#[test]
fn body_of_another_size_is_not_stored() {
    let (db, _folder) = database();
    let refused = db.write_blocking(|tx| {
        let new = NewSave {
            size: 5,
            sha256: "x".to_owned(),
            core: None,
            at: Timestamp::from_micros(9),
        };
        put(tx, &slot(tx, 1, 1, "q"), &new, &mut &b"x"[..], |_| true)
    });
    assert!(refused.is_err());
    db.read_blocking(|conn| {
        assert_eq!(current(conn, &slot(conn, 1, 1, "q"))?, None);
        Ok(())
    })
    .expect("a read");
}

#[test]
fn write_after_revoked_grant_is_refused() {
    let (db, _folder) = database();
    db.write_blocking(|tx| {
        let slot = slot(tx, 1, 1, "quick");
        store(tx, &slot, 1, 10)?;
        tx.execute("DELETE FROM library_grant WHERE user_id = 1", ())?;
        assert_eq!(store(tx, &slot, 2, 10)?, Written::Absent);
        assert_eq!(delete(tx, &slot, |_| true)?, Written::Absent);
        Ok(())
    })
    .expect("a write");
}

#[test]
fn slot_beyond_the_limit_is_refused_and_empty_slots_do_not_count() {
    let (db, _folder) = database();
    db.write_blocking(|tx| {
        let named = |n: u32| slot(tx, 1, 1, &format!("s{n}"));
        for n in 0..MAX_SLOTS {
            store(tx, &named(n), u8::try_from(n).expect("small"), 1)?;
        }
        let is_full = |slot: &Slot| matches!(store(tx, slot, 99, 1), Err(StoreError::Conflict(_)));
        assert!(is_full(&named(99)));
        store(tx, &named(5), 100, 1)?;
        store(tx, &slot(tx, 2, 1, "other"), 1, 1)?;
        delete(tx, &named(8), |_| true)?;
        delete(tx, &named(7), |_| true)?;
        for n in [98, 99] {
            assert!(matches!(store(tx, &named(n), 101, 1)?, Written::Created(_)));
        }
        // The emptied slots keep their versions, but accept a state only after another slot was
        // emptied.
        for n in [7, 8] {
            assert_eq!(numbers(tx, &named(n)), [1]);
            assert!(is_full(&named(n)));
        }
        delete(tx, &named(99), |_| true)?;
        assert!(matches!(store(tx, &named(8), 102, 1)?, Written::Created(_)));
        Ok(())
    })
    .expect("a write");
}

#[test]
fn first_emptied_slot_is_deleted_beyond_the_limit_of_names() {
    let (db, _folder) = database();
    db.write_blocking(|tx| {
        let named = |n: u32| slot(tx, 1, 1, &format!("s{n}"));
        for n in 0..MAX_NAMES {
            store(
                tx,
                &named(n),
                200 - u8::try_from(n % 200).expect("small"),
                1,
            )?;
            delete(tx, &named(n), |_| true)?;
        }
        // After another use, this slot is the last emptied one.
        store(tx, &named(0), 1, 1)?;
        delete(tx, &named(0), |_| true)?;
        assert_eq!(numbers(tx, &named(1)), [1]);
        store(tx, &slot(tx, 1, 1, "new"), 1, 1)?;
        assert_eq!(versions(tx, &named(1))?, None);
        assert_eq!(numbers(tx, &named(0)), [2, 1]);
        for n in 2..MAX_NAMES {
            assert_eq!(numbers(tx, &named(n)), [1], "s{n}");
        }
        Ok(())
    })
    .expect("a write");
}

#[test]
fn state_replaced_while_read_continues_as_a_version() {
    let (db, _folder) = database();
    db.write_blocking(|tx| {
        let slot = slot(tx, 1, 1, "quick");
        store(tx, &slot, 1, 3 * MIB)?;
        let state = current(tx, &slot)?.expect("a save");
        assert_eq!(chunk(tx, &state, 0, MIB)?, Some(vec![1; MIB]));
        store(tx, &slot, 2, 10)?;
        assert_eq!(
            chunk(tx, &state, MIB as u64, 9 * MIB)?,
            Some(vec![1; 2 * MIB])
        );
        tx.execute("DELETE FROM game_save_version", ())?;
        assert_eq!(chunk(tx, &state, 0, 1)?, None);
        Ok(())
    })
    .expect("a write");
}

/// Returns the save times of a slot's versions, the newest first.
fn moments(tx: &Connection, slot: &Slot) -> Vec<i64> {
    let list = versions(tx, slot).expect("an answer").expect("versions");
    for version in &list {
        let moment = version.saved_at.as_micros();
        assert_eq!(version.sha256, format!("{moment:064x}"));
    }
    assert!(list.is_sorted_by(|a, b| a.n > b.n));
    list.iter().map(|v| v.saved_at.as_micros()).collect()
}

#[test]
fn merge_of_saves_keeps_the_newest_states_of_both_items() {
    let (db, _folder) = database();
    db.write_blocking(|tx| {
        let (from, to) = (slot(tx, 1, 1, "quick"), slot(tx, 1, 2, "quick"));
        for fill in (1..=39).step_by(4) {
            store(tx, &from, fill, 2)?;
            store(tx, &to, fill + 2, 2)?;
        }
        // The merged item has the newest state. The second newest is the current state of the other
        // item.
        store(tx, &from, 41, 2)?;
        crate::store::account::user_state::merge(tx, ItemId(1), ItemId(2))?;
        let now = current(tx, &to)?.expect("a save");
        assert_eq!(now.sha256(), format!("{:064x}", 41));
        assert_eq!(
            moments(tx, &to),
            (21..=39).rev().step_by(2).collect::<Vec<_>>()
        );
        assert_eq!(current(tx, &from)?, None);
        assert_eq!(versions(tx, &from)?, None);
        // Version numbers continue after the merge.
        let highest = numbers(tx, &to)[0];
        store(tx, &to, 50, 2)?;
        assert_eq!(numbers(tx, &to)[0], highest + 1);
        Ok(())
    })
    .expect("a write");
}

#[test]
fn merge_of_saves_reuses_no_version_number() {
    let (db, _folder) = database();
    db.write_blocking(|tx| {
        let (from, to) = (slot(tx, 1, 1, "quick"), slot(tx, 1, 2, "quick"));
        for fill in [2, 4, 6] {
            store(tx, &from, fill, 2)?;
            store(tx, &to, fill + 1, 2)?;
        }
        let before = versions(tx, &to)?.expect("versions");
        crate::store::account::user_state::merge(tx, ItemId(1), ItemId(2))?;
        assert_eq!(moments(tx, &to), [6, 5, 4, 3, 2]);
        for version in versions(tx, &to)?.expect("versions") {
            let other = before.iter().find(|old| old.n == version.n);
            assert!(
                other.is_none_or(|old| old.sha256 == version.sha256),
                "{version:?}"
            );
        }
        Ok(())
    })
    .expect("a write");
}

#[test]
fn equal_state_keeps_its_core_unless_another_is_named() {
    let (db, _folder) = database();
    db.write_blocking(|tx| {
        let slot = slot(tx, 1, 1, "quick");
        let write = |core: Option<&str>, fill: u8| -> StoreResult<Option<String>> {
            let new = NewSave {
                size: 1,
                sha256: format!("{fill:064x}"),
                core: core.map(str::to_owned),
                at: Timestamp::from_micros(1),
            };
            match put(tx, &slot, &new, &mut &[fill][..], |_| true)? {
                Written::Created(save) | Written::Replaced(save) => {
                    assert_eq!(list(tx, slot_item(tx))?, std::slice::from_ref(&save));
                    Ok(save.core)
                }
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(write(Some("snes9x"), 1)?.as_deref(), Some("snes9x"));
        assert_eq!(write(None, 1)?.as_deref(), Some("snes9x"));
        assert_eq!(write(Some("bsnes"), 1)?.as_deref(), Some("bsnes"));
        assert_eq!(write(None, 2)?, None);
        assert_eq!(numbers(tx, &slot), [1]);
        Ok(())
    })
    .expect("a write");
}

fn slot_item(tx: &Connection) -> VisibleItem {
    let item = Visible::of(UserId(1)).item(tx, ItemId(1));
    item.expect("an answer").expect("an item")
}
