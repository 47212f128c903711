//! Comics: archives of pages, optionally with a ComicInfo.xml.

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

/// Largest ComicInfo.xml, and largest picture, in bytes.
const LARGEST_INFO: u64 = 4 << 20;
pub(crate) const LARGEST_PICTURE: u64 = 32 << 20;

/// Indexes of a comic's parts in its archive.
#[derive(Debug)]
struct Contents {
    pages: Vec<usize>,
    info: Option<usize>,
    is_empty: bool,
    is_locked: bool,
}

impl Contents {
    fn from_members(members: &[Member<'_>]) -> Self {
        let depth = |member: &Member<'_>| member.name.matches('/').count();
        let infos = members
            .iter()
            .enumerate()
            .filter(|(_, member)| is_info(&member.name) && !member.is_locked);
        Self {
            pages: pages::indexes(members),
            info: infos
                .min_by_key(|(_, member)| depth(member))
                .map(|(at, _)| at),
            is_empty: members.is_empty(),
            is_locked: members.iter().any(|member| member.is_locked),
        }
    }
}

/// Reads a comic's metadata and counts its pages.
pub fn inspect(
    reader: impl Read + Seek + Send + 'static,
    time: Duration,
) -> ReadResult<Inspection> {
    let mut archive = Archive::open(reader)?;
    let contents = Contents::from_members(&archive.index().members());
    if contents.is_empty {
        return Err(damaged("is a comic without a file in it"));
    }
    let info = info(&mut archive, &contents, time);
    let mut inspection = info.map(|info| info.inspection()).unwrap_or_default();
    inspection.extent = i64::try_from(contents.pages.len()).ok();
    if contents.is_locked {
        inspection.facts.insert("encrypted".to_owned(), json!(true));
    }
    Ok(inspection)
}

/// Returns the page that ComicInfo.xml marks as the front cover, otherwise the first page. The
/// bytes are those of the archive.
pub fn cover(
    reader: impl Read + Seek + Send + 'static,
    time: Duration,
) -> ReadResult<Option<Vec<u8>>> {
    let mut archive = Archive::open(reader)?;
    let contents = Contents::from_members(&archive.index().members());
    let front = info(&mut archive, &contents, time).and_then(|info| info.front_cover());
    let pages = &contents.pages;
    let page = front.and_then(|at| pages.get(at)).or(pages.first());
    let Some(page) = page else {
        return Ok(None);
    };
    read_page(&mut archive, *page, time).map(Some)
}

/// Unpacks the page at an index of the archive.
pub fn read_page<R: Read + Seek + Send + 'static>(
    archive: &mut Archive<R>,
    page: usize,
    time: Duration,
) -> ReadResult<Vec<u8>> {
    archive.read(page, &Allowance::new(LARGEST_PICTURE, time))
}

/// Returns the parsed ComicInfo.xml, or `None` if it is absent or unreadable. A comic is complete
/// without it.
fn info<R: Read + Seek + Send + 'static>(
    archive: &mut Archive<R>,
    contents: &Contents,
    time: Duration,
) -> Option<Info> {
    let allowance = Allowance::new(LARGEST_INFO, time);
    let bytes = archive.read(contents.info?, &allowance).ok()?;
    Info::read(&xml::decode(&bytes)).ok()
}

fn is_info(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or_default();
    file.eq_ignore_ascii_case("ComicInfo.xml") && !pages::is_litter(name)
}

#[cfg(test)]
mod tests;
