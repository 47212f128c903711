//! Metadata files next to media, in every format of the provider of local files.

#![no_main]

use ledge_provider_local_files::parse_every_format;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| {
    parse_every_format(file);
});
