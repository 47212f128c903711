//! Lists of ids in requests.

use std::collections::HashSet;
use std::hash::Hash;
use std::str::FromStr;

use ledge_core::http::{ApiError, ApiResult};

/// Limit of the ids of one request.
pub(super) const MAX_IDS: usize = 1_000;

/// Rejects an empty list, and one beyond the limit.
pub(super) fn check_length<T>(field: &'static str, ids: &[T]) -> ApiResult<()> {
    if (1..=MAX_IDS).contains(&ids.len()) {
        return Ok(());
    }
    let message = format!("`{field}` has 1 to {MAX_IDS} entries.");
    Err(ApiError::invalid(field, message))
}

/// Returns the distinct ids of a list in order.
pub(super) fn distinct<T: Copy + Eq + Hash>(field: &'static str, ids: &[T]) -> ApiResult<Vec<T>> {
    check_length(field, ids)?;
    let mut seen = HashSet::new();
    let new = ids.iter().copied().filter(|id| seen.insert(*id));
    Ok(new.collect())
}

/// Parses the ids of a query parameter, separated by commas.
pub(super) fn parse<T: FromStr>(field: &'static str, text: &str) -> ApiResult<Vec<T>> {
    let ids: Result<Vec<T>, _> = text.split(',').map(str::trim).map(T::from_str).collect();
    let ids = ids.map_err(|_| {
        let message = format!("`{field}` contains ids, separated by commas.");
        ApiError::invalid(field, message)
    })?;
    check_length(field, &ids)?;
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicates_count_once_and_order_stays() {
        assert_eq!(distinct("ids", &[3, 1, 3, 2, 1]).expect("ids"), [3, 1, 2]);
    }

    #[test]
    fn list_has_one_to_a_thousand_ids() {
        let ids: Vec<i64> = (0..=1_000).collect();
        assert!(distinct("ids", &ids[..1_000]).is_ok());
        assert!(distinct("ids", &ids).is_err() && distinct("ids", &ids[..0]).is_err());
    }

    #[test]
    fn query_list_contains_numbers_only() {
        assert_eq!(parse::<i64>("id", "1, 20,3").expect("ids"), [1, 20, 3]);
        for text in ["", "1,", "x", "1;2", "1.5"] {
            assert!(parse::<i64>("id", text).is_err(), "{text}");
        }
    }
}
