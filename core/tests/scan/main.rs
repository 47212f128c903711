//! The scanner: what it catalogues, what it recognises, what it leaves alone.

mod acceptance;
mod basics;
mod covers;
mod folders;
mod identity;
mod jobs;
mod missing;
mod properties;
mod reading;
mod world;
