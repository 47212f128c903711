//! Entry point of the executable.

use std::process::ExitCode;

fn main() -> ExitCode {
    ledge::main()
}
