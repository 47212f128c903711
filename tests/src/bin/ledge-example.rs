//! Server with one more kind, one more engine, and providers for the kind. Each crate needs one
//! line.

use std::process::ExitCode;

use ledge_engine_example as _;
use ledge_kind_example as _;
use ledge_provider_example as _;

fn main() -> ExitCode {
    ledge::main()
}
