//! The server with one more kind linked in: the one line that a further kind costs.

use std::process::ExitCode;

use ledge_kind_example as _;

fn main() -> ExitCode {
    ledge::main()
}
