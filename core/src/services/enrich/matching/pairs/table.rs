//! Checks that `docs/matching.md` lists every threshold with its value, and only pairs of the test
//! data.

use super::{CHOICES, OTHER, SAME, lists};

const THRESHOLDS: &str = include_str!("../thresholds.rs");
const PEOPLE: &str = include_str!("../people.rs");
const PARTS: &str = include_str!("../parts.rs");

fn page() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/matching.md");
    std::fs::read_to_string(path).expect("the page")
}

#[test]
fn page_lists_every_threshold_with_its_value() {
    let declared = THRESHOLDS.lines().filter_map(|line| {
        let (name, rest) = line.strip_prefix("pub(super) const ")?.split_once(": ")?;
        let value = rest.split_once(" = ")?.1.strip_suffix(';')?;
        Some(format!("| `{name}` | {value} |"))
    });
    let declared: Vec<String> = declared.collect();
    assert!(declared.len() > 30);
    let page = page();
    let is_row = |line: &&str| line.starts_with("| `") && line.split('|').count() == 7;
    let rows: Vec<&str> = page.lines().filter(is_row).collect();
    for row in &declared {
        let found = rows.iter().filter(|line| line.starts_with(row.as_str()));
        assert_eq!(found.count(), 1, "{row}");
    }
    assert_eq!(rows.len(), declared.len());
}

#[test]
fn page_names_pairs_of_the_test_data() {
    let page = page();
    let quoted = page.split('`').skip(1).step_by(2);
    let named: Vec<(&str, &str)> = quoted.filter_map(|text| text.split_once(": ")).collect();
    assert!(named.len() > 40);
    for (list, pair) in named {
        let is_known = match list {
            "choices" => CHOICES.iter().any(|(wanted, ..)| wanted.title == pair),
            "parts" => PARTS.contains(&format!("fn {pair}()")),
            _ => {
                let (one, other) = pair.split_once(" → ").expect("two titles");
                match list {
                    "people" => PEOPLE.contains(&format!("(\"{one}\", \"{other}\")")),
                    "books and games" => SAME
                        .iter()
                        .chain(OTHER)
                        .any(|(wanted, offered)| wanted.title == one && offered.title == other),
                    _ => lists::contains(list, one, other),
                }
            }
        };
        assert!(is_known, "{list}: {pair}");
    }
}
