//! Ogg pages that open streams: enough to tell recordings from films. RFC 3533.

/// The first bytes of every page.
const MAGIC: &[u8] = b"OggS";
/// Length of a page's header up to its segment table.
const HEADER: usize = 27;
/// Flag of the first page of a stream.
const BEGINS: u8 = 2;

/// Returns the first packet of each stream, as far as the beginning of a file contains them. The
/// pages that open streams come before all others.
pub fn first_packets(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = head;
    std::iter::from_fn(move || {
        let header = rest.get(..HEADER)?;
        let is_first = header.get(5)? & BEGINS != 0;
        if !header.starts_with(MAGIC) || !is_first {
            return None;
        }
        let segments = usize::from(*header.last()?);
        let (table, after) = rest.get(HEADER..)?.split_at_checked(segments)?;
        let length: usize = table.iter().copied().map(usize::from).sum();
        let (packet, next) = after.split_at(length.min(after.len()));
        rest = next;
        Some(packet)
    })
}

/// Returns whether the beginning of an Ogg file opens a stream of moving pictures: Theora, Dirac,
/// VP8, Daala or OGM's own.
pub fn has_pictures(head: &[u8]) -> bool {
    const PICTURES: &[&[u8]] = &[
        b"\x80theora",
        b"BBCD",
        b"OVP80",
        b"\x80daala",
        b"\x01video\0\0\0",
    ];
    first_packets(head).any(|packet| PICTURES.iter().any(|magic| packet.starts_with(magic)))
}

/// Returns whether these are the first bytes of an Ogg file.
pub fn begins(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(flags: u8, packet: &[u8]) -> Vec<u8> {
        let mut page = [MAGIC, &[0, flags], &[0; 20]].concat();
        page.push(1);
        page.push(u8::try_from(packet.len()).expect("short"));
        page.extend(packet);
        page
    }

    #[test]
    fn only_pages_that_open_streams_are_looked_at() {
        let sound = page(BEGINS, b"\x01vorbis rest");
        let film = page(BEGINS, b"\x80theora rest");
        let data = page(0, b"\x80theora");
        assert!(has_pictures(&[sound.clone(), film.clone()].concat()));
        assert!(!has_pictures(&[sound.clone(), data.clone(), film].concat()));
        assert!(!has_pictures(&sound));
        assert_eq!(first_packets(&[sound, data].concat()).count(), 1);
    }

    #[test]
    fn damaged_pages_open_nothing() {
        let film = page(BEGINS, b"\x80theora rest");
        for end in 0..film.len() {
            let head = film.get(..end).unwrap_or_default();
            assert_eq!(has_pictures(head), end >= HEADER + 1 + 7, "{end}");
        }
        assert!(!has_pictures(b"OggS"));
        assert!(!has_pictures(&[0xff; 300]));
    }
}
