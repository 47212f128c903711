//! First start: creation of the first administrator account.

use std::io::{IsTerminal as _, Write as _, stderr};

use anyhow::bail;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ledge_core::App;
use ledge_core::rng::random_bytes;
use ledge_core::store::account::user::{self, NewUser, Role};

use crate::config::Secret;
use crate::first_password::FirstPassword;
use crate::http::session::password;

/// Username of the created administrator.
const NAME: &str = "admin";

/// Creates an administrator if none is enabled.
///
/// A random password is printed once on a terminal. If standard error is not a terminal, a log
/// would keep it, so the password is written to a file of the data folder. See [`FirstPassword`].
pub(crate) fn ensure(app: &App, chosen: Option<&Secret>) -> anyhow::Result<()> {
    let (has_one, taken) = app.db.read_blocking(|conn| {
        let has_one = user::has_enabled_administrator(conn)?;
        Ok((has_one, user::id_of(conn, NAME)?.is_some()))
    })?;
    if has_one {
        return Ok(());
    }
    if taken {
        bail!(
            "No administrator is enabled, and the name `{NAME}` is taken; make one with `ledge \
             user add NAME --admin`."
        );
    }
    let random = URL_SAFE_NO_PAD.encode(random_bytes::<15>());
    let password = chosen.map_or(&random, |secret| &secret.0);
    let file = FirstPassword::beside(app.db.path());
    let to_file = chosen.is_none() && !stderr().is_terminal();
    if to_file {
        file.write(password)?;
    }
    let new = NewUser {
        username: NAME.to_owned(),
        password_hash: password::hash(password, &mut password::Memory::new())?,
        role: Role::Admin,
    };
    let now = app.clock.now();
    app.db
        .write_blocking(move |tx| user::create(tx, &new, now))?;
    if to_file {
        writeln!(
            stderr(),
            "Created the administrator `{NAME}`. The password is in {}; the file is deleted when \
             the password changes.",
            file.path().display()
        )?;
    } else if chosen.is_none() {
        writeln!(
            stderr(),
            "Created the administrator `{NAME}` with the password {random} (shown only once)."
        )?;
    }
    Ok(())
}
