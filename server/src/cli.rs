//! Command line.

mod database;
mod healthcheck;
mod import;
mod library;
mod owner;
mod prompt;
mod user;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use ledge_core::error::is_disk_full;
use ledge_core::process::worker;

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
    /// Run the server; this is also the default without a command
    Serve(Box<ServeArgs>),
    /// Manage accounts; works while the server runs
    #[command(subcommand)]
    User(user::UserCommand),
    /// Manage libraries; works while the server runs
    #[command(subcommand)]
    Library(library::LibraryCommand),
    /// Copy the database to a new file and verify the copy; works while the server runs
    Backup {
        /// File to write; it must not exist yet
        path: PathBuf,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Replace the database by a backup; the old database is kept under another name
    Restore {
        /// Backup file
        path: PathBuf,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Check the database for damage, and that the folders of the libraries are readable
    Check {
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Import progress, ratings and lists of another program; works while the server runs
    Import(Box<import::ImportArgs>),
    /// Check the health of the server on this machine
    Healthcheck {
        /// Address on which the server listens
        #[arg(long, value_name = "ADDRESS", env = "LEDGE_LISTEN", default_value = DEFAULT_LISTEN)]
        listen: String,
    },
    /// Process standard input under resource limits; the server starts this for untrusted files
    #[command(name = worker::COMMAND, hide = true)]
    Worker {
        /// Name of the task
        name: String,
    },
}

/// Runs the whole program. An executable with additional plug-ins refers to their crates and calls
/// this function.
pub fn main() -> ExitCode {
    let cli = match parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are printed to standard output and are not errors.
            let printed = error.print();
            return match error.exit_code() {
                0 if printed.is_ok() => ExitCode::SUCCESS,
                0 => ExitCode::FAILURE,
                _ => ExitCode::from(2),
            };
        }
    };
    if let Command::Worker { name } = &cli.command {
        return worker::main(name);
    }
    match run(cli.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If standard error cannot be written, the exit status still reports the failure.
            let _ = writeln!(std::io::stderr(), "ledge: {}", message(&error));
            ExitCode::FAILURE
        }
    }
}

/// Returns the message about a failed command. SQLite's own text about a full disk has no remedy.
fn message(error: &anyhow::Error) -> String {
    let text = format!("{error:#}");
    let has_remedy = text.to_lowercase().contains("free some space");
    if error.chain().any(is_disk_full) && !has_remedy {
        return "The disk is full, so nothing was saved. Free some space on the disk of the \
                database, then try again."
            .to_owned();
    }
    text
}

/// Parses the arguments; `serve` is the default command.
fn parse() -> Result<Cli, clap::Error> {
    let mut args: Vec<_> = std::env::args_os().collect();
    if args.len() <= 1 {
        args.push("serve".into());
    }
    let cli = Cli::try_parse_from(args)?;
    if let Command::Import(arguments) = &cli.command {
        import::check(arguments)?;
    }
    Ok(cli)
}

fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Serve(args) => {
            let config = Config::check(&args, &|name| std::env::var_os(name))?;
            worker::enable();
            serve::run(config)
        }
        Command::User(command) => user::run(command),
        Command::Library(command) => library::run(command),
        Command::Backup { path, database } => database::backup(&owner::database(&database)?, &path),
        Command::Restore { path, database } => {
            database::restore(&owner::database(&database)?, &path)
        }
        Command::Check { database } => database::check(&owner::database(&database)?),
        Command::Import(arguments) => import::run(&arguments),
        Command::Healthcheck { listen } => healthcheck::run(&listen),
        Command::Worker { .. } => Ok(()),
    }
}
