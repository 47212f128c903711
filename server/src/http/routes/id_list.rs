//! Lists of ids and of other values in requests.

use std::collections::HashSet;
use std::hash::Hash;

use ledge_core::http::{ApiError, ApiResult, parse_id};

/// Limit of the ids of one request.
pub(crate) const MAX_IDS: usize = 1_000;

/// Rejects an empty list, and one beyond the limit.
pub(crate) fn check_length<T>(field: &'static str, ids: &[T]) -> ApiResult<()> {
    if (1..=MAX_IDS).contains(&ids.len()) {
        return Ok(());
    }
    let message = format!("`{field}` has 1 to {MAX_IDS} entries.");
    Err(ApiError::invalid(field, message))
}

/// Returns the distinct ids of a list in order.
pub(crate) fn distinct<T: Copy + Eq + Hash>(field: &'static str, ids: &[T]) -> ApiResult<Vec<T>> {
    check_length(field, ids)?;
    let mut seen = HashSet::new();
    let new = ids.iter().copied().filter(|id| seen.insert(*id));
    Ok(new.collect())
}

/// Splits a query parameter with at most `max` values at its commas.
pub(crate) fn split<'a>(field: &'static str, text: &'a str, max: usize) -> ApiResult<Vec<&'a str>> {
    let values: Vec<&str> = text.split(',').map(str::trim).collect();
    if values.len() > max || values.contains(&"") {
        let message = format!("`{field}` contains 1 to {max} values separated by commas.");
        return Err(ApiError::invalid(field, message));
    }
    Ok(values)
}

/// Parses a query parameter with at most `max` ids, separated by commas.
pub(crate) fn parse<T>(
    field: &'static str,
    text: &str,
    max: usize,
    id: fn(i64) -> T,
) -> ApiResult<Vec<T>> {
    let ids = split(field, text, max)?.into_iter().map(|text| {
        let message = || format!("`{text}` is not an id.");
        let number = parse_id(text).ok_or_else(|| ApiError::invalid(field, message()))?;
        Ok(id(number))
    });
    ids.collect()
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
        let parse = |text| parse("id", text, 3, |id| id);
        assert_eq!(parse("1, 20,3").expect("ids"), [1, 20, 3]);
        for text in ["", "1,", "x", "1;2", "1.5", "+5", "007", "-1", "1,2,3,4"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
