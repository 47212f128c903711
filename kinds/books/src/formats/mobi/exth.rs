//! The extended header (EXTH) of a Mobipocket book: a list of tagged values.

use ledge_formats::bytes::BytesAt;

/// EXTH tags of the values that are read.
pub(super) mod tag {
    pub(in super::super) const AUTHOR: u32 = 100;
    pub(in super::super) const PUBLISHER: u32 = 101;
    pub(in super::super) const DESCRIPTION: u32 = 103;
    pub(in super::super) const ISBN: u32 = 104;
    pub(in super::super) const SUBJECT: u32 = 105;
    pub(in super::super) const PUBLISHED: u32 = 106;
    pub(in super::super) const CONTRIBUTOR: u32 = 108;
    pub(in super::super) const ASIN: u32 = 113;
    pub(in super::super) const BOUNDARY: u32 = 121;
    pub(in super::super) const COVER: u32 = 201;
    pub(in super::super) const TITLE: u32 = 503;
    pub(in super::super) const LANGUAGE: u32 = 524;
}

/// Most values that are read.
const MOST: usize = 10_000;

/// Tagged values in file order.
#[derive(Debug, Default)]
pub(super) struct Exth<'a>(Vec<(u32, &'a [u8])>);

impl<'a> Exth<'a> {
    /// Parses the header at the start of `bytes`, up to the first damage.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let mut values = Vec::new();
        if !bytes.starts_with(b"EXTH") {
            return Self(values);
        }
        let count = bytes.be32(8).unwrap_or(0);
        let mut rest = bytes.get(12..).unwrap_or_default();
        while values.len() < MOST.min(count as usize) {
            let (Some(tag), Some(length)) = (rest.be32(0), rest.be32(4)) else {
                break;
            };
            let Some(value) = rest.get(8..length as usize) else {
                break;
            };
            values.push((tag, value));
            rest = rest.get(length as usize..).unwrap_or_default();
        }
        Self(values)
    }

    /// Returns the values of a tag.
    pub(super) fn all(&self, tag: u32) -> impl Iterator<Item = &'a [u8]> {
        let values = self.0.iter().filter(move |(known, _)| *known == tag);
        values.map(|(_, value)| *value)
    }

    /// Returns the first value of a tag as a number.
    pub(super) fn number(&self, tag: u32) -> Option<u32> {
        self.all(tag).next()?.be32(0)
    }
}
