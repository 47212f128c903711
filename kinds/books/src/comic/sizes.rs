//! How large a comic's pages are, as far as finding out is cheap.

use std::io::{Read, Seek};
use std::time::{Duration, Instant};

use super::LARGEST_PICTURE;
use crate::archive::{Allowance, Archive};
use crate::picture;

/// Width and height in pixels.
pub type Size = (u32, u32);

/// How long measuring may take where each page's first bytes can be had by themselves: a thousand
/// pages are many, but disks are slow.
const DIRECT_TIME: Duration = Duration::from_secs(2);
/// How long it may take where the archive has to be unpacked for it: somebody waits for the list,
/// and can do without sizes. What is measured is kept nowhere, so every list costs this again.
const UNPACKING_TIME: Duration = Duration::from_millis(500);
/// Most bytes unpacked meanwhile, of which nearly all comics have fewer. Pictures are packed hardly
/// or not at all: 64 MiB of them take 15 ms out of memory, where disks and harder packings take so
/// long that the time ends it first. This is for what unpacks at the speed of memory.
const MOST_UNPACKED: u64 = 256 << 20;

/// The sizes of the files at these places; none beyond these limits, or where a picture cannot be made out.
pub fn of<R>(archive: &mut Archive<R>, pages: &[usize]) -> Vec<Option<Size>>
where
    R: Read + Seek + Send + 'static,
{
    let time = if archive.is_direct() {
        DIRECT_TIME
    } else {
        UNPACKING_TIME
    };
    let allowance = Allowance {
        bytes: LARGEST_PICTURE,
        total: MOST_UNPACKED,
        until: Instant::now() + time,
    };
    archive.look(pages, picture::size, &allowance)
}
