//! Sort keys of items: the values of an order's columns, and the id.

use rusqlite::types::{Value, ValueRef};

/// Values of an order's columns, and the id.
pub(super) type Key = Vec<Value>;

/// Compares keys as SQLite does.
pub(super) fn compare(a: &[Value], b: &[Value]) -> std::cmp::Ordering {
    let pairs = a.iter().zip(b);
    let mut orderings = pairs.map(|(a, b)| compare_value(a.into(), b.into()));
    orderings
        .find(|ordering| ordering.is_ne())
        .unwrap_or(std::cmp::Ordering::Equal)
}

fn compare_value(a: ValueRef<'_>, b: ValueRef<'_>) -> std::cmp::Ordering {
    match (a, b) {
        (ValueRef::Integer(a), ValueRef::Integer(b)) => a.cmp(&b),
        (ValueRef::Real(a), ValueRef::Real(b)) => a.total_cmp(&b),
        (ValueRef::Text(a), ValueRef::Text(b)) => a.cmp(b),
        _ => std::cmp::Ordering::Equal,
    }
}
