//! The server with one more kind and one more engine linked in, and providers that know about the
//! kind: one line that each crate costs.

use std::process::ExitCode;

use ledge_engine_example as _;
use ledge_kind_example as _;
use ledge_provider_example as _;

fn main() -> ExitCode {
    ledge::main()
}
