//! Dimensions of a comic's pages, as far as measuring them is cheap.

use std::io::{Read, Seek};
use std::time::{Duration, Instant};

use super::LARGEST_PICTURE;
use crate::archive::{Allowance, Archive};
use crate::formats::picture;

/// Width and height in pixels.
pub type Size = (u32, u32);

/// Time limit for archives whose files can be read individually. It covers a thousand pages on a
/// slow disk.
const DIRECT_TIME: Duration = Duration::from_secs(2);
/// Time limit for archives that must be unpacked. A client waits for the list and works without
/// sizes. Measured sizes are only kept with the cached list, so most lists cost this again.
const UNPACKING_TIME: Duration = Duration::from_millis(500);
/// Most bytes unpacked for measuring. Nearly all comics are smaller. On slow disks or with
/// expensive packing methods, the time limit ends the work first; this limit applies to data that
/// unpacks at memory speed. Unpacking 64 MiB of stored pictures from memory takes 15 ms.
const MOST_UNPACKED: u64 = 256 << 20;

/// Returns the dimensions of the files at these indexes. The result is `None` beyond the limits and
/// for unreadable pictures.
pub fn measure<R>(archive: &mut Archive<R>, pages: &[usize]) -> Vec<Option<Size>>
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
    archive.search_heads(pages, picture::size, &allowance)
}
