//! Command `ledge user`: manages accounts on its own connection, also while the server runs.

use std::io::{self, Write as _};
use std::path::Path;

use anyhow::bail;
use ledge_core::db::{migrate, open};
use ledge_core::paging::Items;
use ledge_core::store::account::user::{self, Kept, NewUser, Role, User};
use ledge_core::time::Clock;
use rusqlite::{Connection, TransactionBehavior};

use super::{owner, prompt};
use crate::config::DatabaseArgs;
use crate::first_password::FirstPassword;
use crate::http::session::password;

/// Subcommands of `ledge user`.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum UserCommand {
    /// Create an account
    Add {
        /// Name of the new user
        name: String,
        /// Create an administrator
        #[arg(long)]
        admin: bool,
        /// Read the password from the first line of standard input
        #[arg(long)]
        password_stdin: bool,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Set a password and end the user's sessions
    Passwd {
        /// Name of the user
        name: String,
        /// Read the password from the first line of standard input
        #[arg(long)]
        password_stdin: bool,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// List all accounts
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        database: DatabaseArgs,
    },
}

/// Runs a subcommand.
pub(crate) fn run(command: UserCommand) -> anyhow::Result<()> {
    match command {
        UserCommand::Add {
            name,
            admin,
            password_stdin,
            database,
        } => {
            // The first account may be created before the first start.
            let connection = open::writable(&owner::database(&database)?)?;
            let role = if admin { Role::Admin } else { Role::User };
            add(connection, &name, role, password_stdin)
        }
        UserCommand::Passwd {
            name,
            password_stdin,
            database,
        } => set_password(&owner::database(&database)?, &name, password_stdin),
        UserCommand::List { json, database } => {
            let mut connection = open::existing(&owner::database(&database)?)?;
            migrate::migrate(&mut connection)?;
            list(user::list(&connection)?, json)
        }
    }
}

fn add(mut connection: Connection, name: &str, role: Role, stdin: bool) -> anyhow::Result<()> {
    migrate::migrate(&mut connection)?;
    let username = user::valid_username(name)?;
    if user::id_of(&connection, &username)?.is_some() {
        bail!("There is a user named {username} already.");
    }
    let new = NewUser {
        username,
        password_hash: hash_new(stdin)?,
        role,
    };
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let user = user::create(&tx, &new, Clock::system().now())?;
    tx.commit()?;
    writeln!(io::stdout(), "Made {} {}.", describe(role), user.username)?;
    Ok(())
}

fn set_password(database: &Path, name: &str, stdin: bool) -> anyhow::Result<()> {
    let mut connection = open::existing(database)?;
    migrate::migrate(&mut connection)?;
    let Some(id) = user::id_of(&connection, name)? else {
        bail!("There is no user named {name}.");
    };
    let previous = user::password_of(&connection, id)?;
    let hash = hash_new(stdin)?;
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    user::set_password(&tx, id, &hash, Kept::default())?;
    tx.commit()?;
    if let Some((_, previous)) = previous {
        FirstPassword::beside(database).forget(&previous);
    }
    writeln!(
        io::stdout(),
        "Set the password of {name}; their sessions have ended."
    )?;
    Ok(())
}

fn hash_new(stdin: bool) -> anyhow::Result<String> {
    let password = prompt::new_password(stdin)?;
    password::hash(&password, &mut password::Memory::new())
}

fn describe(role: Role) -> &'static str {
    match role {
        Role::Admin => "the administrator",
        Role::User => "the user",
    }
}

fn list(users: Vec<User>, json: bool) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    if json {
        serde_json::to_writer(&mut out, &Items { items: users })?;
        writeln!(out)?;
        return Ok(());
    }
    let width = users.iter().map(|user| user.username.chars().count()).max();
    let width = width.unwrap_or(0);
    for user in users {
        let state = if user.disabled { "disabled" } else { "enabled" };
        let seen = user
            .last_seen_at
            .map_or("never".to_owned(), |seen| seen.to_string());
        let role = user.role.as_str();
        writeln!(out, "{:width$}  {role:5}  {state:8}  {seen}", user.username)?;
    }
    Ok(())
}
