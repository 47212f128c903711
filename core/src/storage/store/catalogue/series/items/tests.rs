//! Rules of the item to continue with and of the absent numbers, and query plans.

use super::*;
use crate::store::user_data::progress::tests::plan;

fn gaps_of(numbers: &[f64]) -> Vec<i64> {
    gaps(numbers.iter().copied())
}

#[test]
fn gaps_are_absent_whole_numbers_between_first_and_last() {
    assert_eq!(gaps_of(&[]), [0; 0]);
    assert_eq!(gaps_of(&[4.0]), [0; 0]);
    assert_eq!(gaps_of(&[1.0, 1.0, 2.0, 2.5, 5.0]), [3, 4]);
    assert_eq!(gaps_of(&[0.5, 1.5, 2.5]), [1, 2]);
    assert_eq!(gaps_of(&[-1.0, 1.0]), [0]);
    assert_eq!(gaps_of(&[3.0, 4.0]), [0; 0]);
}

#[test]
fn gaps_stop_at_limit_and_ignore_extreme_numbers() {
    let first: Vec<i64> = (1..=100).collect();
    assert_eq!(gaps_of(&[0.0, 101.0]), first);
    assert_eq!(gaps_of(&[0.0, MAX_NUMBER]), first);
    assert_eq!(gaps_of(&[0.0, 2.0, 1e300, f64::INFINITY]), [1]);
}

/// Creates items 1, 2, … with these states: `.` unstarted, `s` started, `f` finished, `m` missing.
/// Later items have newer progress.
fn members_of(states: &str) -> Vec<Member> {
    let member = |(id, state): (i64, char)| {
        let at = Timestamp::from_micros(id);
        Member {
            id: ItemId(id),
            index: None,
            missing: state == 'm',
            added_at: at,
            state: match state {
                's' => Some((false, at)),
                'f' => Some((true, at)),
                _ => None,
            },
        }
    };
    (1..).zip(states.chars()).map(member).collect()
}

#[test]
fn next_is_started_item_then_first_after_finished_then_first_unfinished() {
    for (states, expected) in [
        ("...", Some(1)),
        ("s.s.", Some(3)),
        ("fs..", Some(2)),
        ("f.f..", Some(4)),
        ("f.fm.", Some(5)),
        (".ff", Some(1)),
        ("m.f", Some(2)),
        ("mff", None),
        ("ff", None),
        ("", None),
    ] {
        let members = members_of(states);
        let next = next(&members).map(|member| member.id.0);
        assert_eq!(next, expected, "{states}");
    }
}

#[test]
fn series_statements_read_one_range_in_order() {
    let numbers = "item USING COVERING INDEX item_of_series (series_id=? AND series_index";
    for sql in [COUNT_NUMBERED, COUNT_OTHERS, NUMBERED, OTHERS] {
        assert!(plan(sql).contains(numbers), "{sql}\n{}", plan(sql));
    }
    let whole = "item USING COVERING INDEX item_of_series (series_id=?)";
    assert!(plan(MEMBERS).contains(whole), "{}", plan(MEMBERS));
    assert!(plan(MEMBERS).contains("SEARCH p USING PRIMARY KEY"));
    for sql in [COUNT_NUMBERED, COUNT_OTHERS, NUMBERED, OTHERS, MEMBERS] {
        let plan = plan(sql);
        let is_sorted = plan.contains("TEMP B-TREE");
        assert!(!plan.contains("SCAN") && !is_sorted, "{sql}\n{plan}");
    }
}
