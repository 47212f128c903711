//! Named parameters of statements that are composed at run time.

use rusqlite::types::Value;
use rusqlite::{Statement, ToSql};

use crate::error::StoreResult;

/// Binds a parameter if the statement contains it.
pub(super) fn bind(
    statement: &mut Statement<'_>,
    name: &str,
    value: &dyn ToSql,
) -> StoreResult<()> {
    if let Some(index) = statement.parameter_index(name)? {
        statement.raw_bind_parameter(index, value)?;
    }
    Ok(())
}

/// Binds the parameters of a key.
pub(super) fn bind_key(
    statement: &mut Statement<'_>,
    name: &str,
    key: &[Value],
) -> StoreResult<()> {
    for (n, value) in key.iter().enumerate() {
        bind(statement, &format!(":{name}{n}"), value)?;
    }
    Ok(())
}

/// Formats columns as an SQL row value.
pub(super) fn tuple(columns: &[&str]) -> String {
    format!("({})", columns.join(", "))
}

/// Formats the parameters of a key as an SQL row value.
pub(super) fn placeholders(name: &str, count: usize) -> String {
    let names: Vec<String> = (0..count).map(|n| format!(":{name}{n}")).collect();
    format!("({})", names.join(", "))
}
