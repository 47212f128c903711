//! Comics: archives of pages, with or without a ComicInfo.xml.

mod info;
pub mod pages;
pub mod sizes;

use std::io::{Read, Seek};
use std::time::Duration;

use ledge_core::registry::reading::Inspection;
use serde_json::json;

use crate::archive::{Allowance, Archive, Member, ReadResult, damaged};
use crate::xml;
use info::Info;
use pages::Page;

/// Largest ComicInfo.xml, and largest picture, in bytes.
const LARGEST_INFO: u64 = 4 << 20;
const LARGEST_PICTURE: u64 = 32 << 20;

/// What a comic says about itself, and how many pages it has.
pub fn inspect(
    reader: impl Read + Seek + Send + 'static,
    time: Duration,
) -> ReadResult<Inspection> {
    let mut archive = Archive::open(reader)?;
    let members = archive.members();
    let pages = pages::of(&members);
    if members.is_empty() {
        return Err(damaged("is a comic without a file in it"));
    }
    let info = info(&mut archive, &members, time);
    let mut inspection = info.map(|info| info.inspection()).unwrap_or_default();
    inspection.extent = i64::try_from(pages.len()).ok();
    if members.iter().any(|member| member.is_locked) {
        inspection.facts.insert("encrypted".to_owned(), json!(true));
    }
    Ok(inspection)
}

/// The page that is called the front cover, else the first, as it lies in the archive.
pub fn cover(
    reader: impl Read + Seek + Send + 'static,
    time: Duration,
) -> ReadResult<Option<Vec<u8>>> {
    let mut archive = Archive::open(reader)?;
    let members = archive.members();
    let pages = pages::of(&members);
    let front = info(&mut archive, &members, time).and_then(|info| info.front_cover());
    let page = front.and_then(|at| pages.get(at)).or(pages.first());
    let Some(page) = page else {
        return Ok(None);
    };
    read_page(&mut archive, page, time).map(Some)
}

/// The bytes of a page.
pub fn read_page<R: Read + Seek + Send + 'static>(
    archive: &mut Archive<R>,
    page: &Page,
    time: Duration,
) -> ReadResult<Vec<u8>> {
    archive.read(page.member, &Allowance::new(LARGEST_PICTURE, time))
}

/// What the ComicInfo.xml says, if there is one that can be read: without it, a comic is still its
/// pages.
fn info<R: Read + Seek + Send + 'static>(
    archive: &mut Archive<R>,
    members: &[Member],
    time: Duration,
) -> Option<Info> {
    let depth = |member: &Member| member.name.matches('/').count();
    let (at, _) = members
        .iter()
        .enumerate()
        .filter(|(_, member)| is_info(&member.name) && !member.is_locked)
        .min_by_key(|(_, member)| depth(member))?;
    let bytes = archive.read(at, &Allowance::new(LARGEST_INFO, time)).ok()?;
    Info::read(&xml::decode(&bytes)).ok()
}

fn is_info(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or_default();
    file.eq_ignore_ascii_case("ComicInfo.xml") && !pages::is_litter(name)
}

#[cfg(test)]
mod tests;
