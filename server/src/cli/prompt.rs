//! Input of passwords from a terminal or a pipe, never from an argument.

use std::io::{BufRead as _, Read as _, stdin};

use anyhow::{Context as _, bail};

use crate::http::session::password;

/// Limit of a line in bytes. It exceeds the longest password and stops an endless pipe.
const MAX_LINE: u64 = 8192;

/// Reads a new password: the first line of standard input, or two equal inputs without echo.
pub(crate) fn new_password(from_stdin: bool) -> anyhow::Result<String> {
    let password = if from_stdin { first_line()? } else { typed()? };
    if !password::is_valid(&password) {
        bail!("{}", password::REQUIREMENT);
    }
    Ok(password)
}

fn first_line() -> anyhow::Result<String> {
    let mut line = String::new();
    stdin()
        .lock()
        .take(MAX_LINE)
        .read_line(&mut line)
        .context("the password could not be read from standard input")?;
    let line = line.strip_suffix('\n').unwrap_or(&line);
    Ok(line.strip_suffix('\r').unwrap_or(line).to_owned())
}

fn typed() -> anyhow::Result<String> {
    const NO_TERMINAL: &str =
        "there is no terminal to ask on; use --password-stdin and send the password there";
    let password = rpassword::prompt_password("Password: ").context(NO_TERMINAL)?;
    let again = rpassword::prompt_password("Again: ").context(NO_TERMINAL)?;
    if password != again {
        bail!("The two passwords differ.");
    }
    Ok(password)
}
