use rusqlite::Transaction;

use super::*;
use crate::db::Db;

const MIB: usize = 1 << 20;

/// A database with a game that the users 1 and 2 see.
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

/// Stores `size` bytes of the value `fill` at the moment `fill`.
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
fn ten_versions_stay_and_their_numbers_go_on() {
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
fn versions_share_64_mib() {
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
fn the_same_again_makes_no_version() {
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
fn what_is_not_expected_changes_nothing() {
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
fn a_body_of_another_size_is_not_stored() {
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
fn who_has_lost_the_grant_can_no_longer_write() {
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
fn one_slot_too_many_is_refused_unless_an_emptied_one_gives_way() {
    let (db, _folder) = database();
    db.write_blocking(|tx| {
        let named = |n: u32| slot(tx, 1, 1, &format!("s{n}"));
        for n in 0..MAX_SLOTS {
            store(tx, &named(n), u8::try_from(n).expect("small"), 1)?;
        }
        let full = store(tx, &named(99), 99, 1);
        assert!(matches!(full, Err(StoreError::Conflict(_))));
        store(tx, &named(5), 100, 1)?;
        store(tx, &slot(tx, 2, 1, "other"), 1, 1)?;
        delete(tx, &named(8), |_| true)?;
        delete(tx, &named(7), |_| true)?;
        assert!(matches!(
            store(tx, &named(99), 101, 1)?,
            Written::Created(_)
        ));
        assert_eq!(versions(tx, &named(7))?, None);
        assert_eq!(numbers(tx, &named(8)), [1]);
        assert!(matches!(store(tx, &named(8), 102, 1)?, Written::Created(_)));
        assert_eq!(numbers(tx, &named(8)), [1]);
        Ok(())
    })
    .expect("a write");
}

#[test]
fn what_is_replaced_while_it_is_read_goes_on_as_a_version() {
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

#[test]
fn an_item_that_takes_over_another_s_saves_keeps_the_limits() {
    let (db, _folder) = database();
    db.write_blocking(|tx| {
        let (from, to) = (slot(tx, 1, 1, "quick"), slot(tx, 1, 2, "quick"));
        for fill in 1..=9 {
            store(tx, &from, fill, 2)?;
            store(tx, &to, fill + 100, 2)?;
        }
        crate::store::user_state::merge(tx, ItemId(1), ItemId(2))?;
        assert_eq!(
            current(tx, &to)?.expect("a save").sha256(),
            format!("{:064x}", 109)
        );
        assert_eq!(numbers(tx, &to).len(), 10);
        assert_eq!(current(tx, &from)?, None);
        Ok(())
    })
    .expect("a write");
}
