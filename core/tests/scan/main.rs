//! Tests of the scanner.

mod acceptance;
mod basics;
mod covers;
mod folders;
mod identity;
mod jobs;
mod merging;
mod missing;
mod properties;
mod reading;
mod world;
