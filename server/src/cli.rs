//! The command line.

mod database;
mod healthcheck;
mod library;
mod owner;
mod prompt;
mod user;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use ledge_core::aside;

use crate::config::{Config, DEFAULT_LISTEN, DatabaseArgs, ServeArgs};
use crate::serve;

/// A self-hosted media library for books, audio, video and games
#[derive(Debug, Parser)]
#[command(name = "ledge", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the server; what happens without a command, too
    Serve(Box<ServeArgs>),
    /// Manage accounts, also beside a running server
    #[command(subcommand)]
    User(user::UserCommand),
    /// Manage libraries, also beside a running server
    #[command(subcommand)]
    Library(library::LibraryCommand),
    /// Copy the database to a new file and prove the copy, also beside a running server
    Backup {
        /// The file to write; it must not exist yet
        path: PathBuf,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Put a backup in the place of the database; what was there is kept beside it
    Restore {
        /// The backup
        path: PathBuf,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Look whether the database is whole and the libraries' folders can be read
    Check {
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Ask the server on this machine whether it is well
    Healthcheck {
        /// Where the server listens
        #[arg(long, value_name = "ADDRESS", env = "LEDGE_LISTEN", default_value = DEFAULT_LISTEN)]
        listen: String,
    },
    /// Work on standard input within limits; what the server starts for files it does not trust
    #[command(name = aside::COMMAND, hide = true)]
    Aside {
        /// The work
        name: String,
    },
}

/// The whole program, for an executable that links further plug-ins: it refers to their crates,
/// and calls this.
pub fn main() -> ExitCode {
    let cli = match parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to standard output and are no failure.
            let printed = error.print();
            return match error.exit_code() {
                0 if printed.is_ok() => ExitCode::SUCCESS,
                0 => ExitCode::FAILURE,
                _ => ExitCode::from(2),
            };
        }
    };
    if let Command::Aside { name } = &cli.command {
        return aside::main(name);
    }
    match run(cli.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // With nowhere to say it, the exit status still tells.
            let _ = writeln!(std::io::stderr(), "ledge: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Without a command it is `serve`.
fn parse() -> Result<Cli, clap::Error> {
    let mut args: Vec<_> = std::env::args_os().collect();
    if args.len() <= 1 {
        args.push("serve".into());
    }
    Cli::try_parse_from(args)
}

fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Serve(args) => {
            // Before there are other threads, each of which would have an arena of its own.
            ledge_native::limit_arenas(ledge_core::cores());
            let config = Config::check(&args, &|name| std::env::var_os(name))?;
            aside::enable();
            serve::run(config)
        }
        Command::User(command) => user::run(command),
        Command::Library(command) => library::run(command),
        Command::Backup { path, database } => database::backup(&owner::database(&database)?, &path),
        Command::Restore { path, database } => {
            database::restore(&owner::database(&database)?, &path)
        }
        Command::Check { database } => database::check(&owner::database(&database)?),
        Command::Healthcheck { listen } => healthcheck::run(&listen),
        Command::Aside { .. } => Ok(()),
    }
}
