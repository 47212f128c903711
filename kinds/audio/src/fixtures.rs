//! Recordings for tests, built byte by byte.

/// Not quite a picture, but it begins like one.
pub(crate) const JPEG: &[u8] = b"\xff\xd8\xff\xe0\0\x10JFIF\0 a picture";

/// A name and a body behind its length, as several formats write them.
pub(crate) fn chunk_be(name: [u8; 4], body: &[u8]) -> Vec<u8> {
    let mut chunk = name.to_vec();
    chunk.extend(be32(body.len()));
    chunk.extend(body);
    chunk.extend(vec![0; body.len() % 2]);
    chunk
}

pub(crate) fn chunk_le(name: [u8; 4], body: &[u8]) -> Vec<u8> {
    let mut chunk = name.to_vec();
    chunk.extend(le32(body.len()));
    chunk.extend(body);
    chunk.extend(vec![0; body.len() % 2]);
    chunk
}

pub(crate) fn be32(number: usize) -> [u8; 4] {
    u32::try_from(number).expect("small").to_be_bytes()
}

pub(crate) fn le32(number: usize) -> [u8; 4] {
    u32::try_from(number).expect("small").to_le_bytes()
}

/// An ID3v2 frame of version 3 or 4.
pub(crate) fn frame(id: &str, body: &[u8]) -> Vec<u8> {
    // Below 128 both versions write the length alike.
    assert!(body.len() < 128, "a short frame");
    let mut frame = id.as_bytes().to_vec();
    frame.extend(be32(body.len()));
    frame.extend([0, 0]);
    frame.extend(body);
    frame
}

/// An ID3v2 frame with a text in UTF-8.
pub(crate) fn text(id: &str, text: &str) -> Vec<u8> {
    frame(id, &[b"\x03", text.as_bytes()].concat())
}

/// An ID3v2 tag of these frames, with some padding.
pub(crate) fn id3(version: u8, frames: &[Vec<u8>]) -> Vec<u8> {
    let mut body = frames.concat();
    body.extend([0; 32]);
    let size = body.len();
    let mut tag = vec![b'I', b'D', b'3', version, 0, 0];
    for shift in [21, 14, 7, 0] {
        tag.push(u8::try_from(size >> shift & 0x7f).expect("seven bits"));
    }
    tag.extend(body);
    tag
}

/// The usual tags.
pub(crate) fn tagged() -> Vec<u8> {
    let chapter = |name: &str, start: u32, title: &str| {
        let mut body = [name.as_bytes(), b"\0"].concat();
        for number in [start, start + 1000, u32::MAX, u32::MAX] {
            body.extend(number.to_be_bytes());
        }
        body.extend(text("TIT2", title));
        frame("CHAP", &body)
    };
    id3(
        4,
        &[
            text("TIT2", "Title"),
            text("TALB", "Album"),
            text("TPE1", "One\0Two"),
            text("TPE2", "Band"),
            text("TRCK", "3/12"),
            text("TPOS", "1/2"),
            text("TDRC", "2004-05-06"),
            text("TCON", "17"),
            text("TXXX", "replaygain_track_gain\0-6.5 dB"),
            frame("USLT", b"\x03eng\0la la"),
            frame("SYLT", b"\x03eng\x02\x01\0la\0\0\0\x03\xe8li\0\0\0\x07\xd0"),
            frame("APIC", &[b"\0image/jpeg\0\x03\0", JPEG].concat()),
            chapter("a", 0, "Begin"),
            chapter("b", 500, "End"),
        ],
    )
}

/// Frames of MPEG layer 3 at 128 kbit/s and 44.1 kHz: 26 ms each.
pub(crate) fn mpeg(count: usize) -> Vec<u8> {
    let mut frame = vec![0xff, 0xfb, 0x90, 0x00];
    frame.resize(417, 0);
    frame.repeat(count)
}

/// Frames of two rates of bits in turn, without a table.
pub(crate) fn uneven_mpeg(count: usize) -> Vec<u8> {
    let mut slow = vec![0xff, 0xfb, 0x50, 0x00];
    slow.resize(208, 0);
    [mpeg(1), slow].concat().repeat(count / 2)
}

pub(crate) fn mp3() -> Vec<u8> {
    [tagged(), mpeg(40)].concat()
}

/// Vorbis comments behind their maker's name.
pub(crate) fn comments(comments: &[&str]) -> Vec<u8> {
    let mut block = [&le32(4)[..], b"none", &le32(comments.len())].concat();
    for comment in comments {
        block.extend(le32(comment.len()));
        block.extend(comment.as_bytes());
    }
    block
}

pub(crate) const COMMENTS: &[&str] = &[
    "TITLE=Title",
    "ALBUM=Album",
    "ARTIST=One",
    "ARTIST=Two",
    "ALBUMARTIST=Band",
    "TRACKNUMBER=3",
    "DISCNUMBER=1",
    "DATE=2004-05-06",
    "GENRE=Rock",
    "CHAPTER001=00:00:00.000",
    "CHAPTER001NAME=Begin",
    "CHAPTER002=00:00:00.500",
    "CHAPTER002NAME=End",
    "LYRICS=la la",
];

fn picture_block() -> Vec<u8> {
    let mut block = vec![0, 0, 0, 3];
    for text in ["image/jpeg", ""] {
        block.extend(be32(text.len()));
        block.extend(text.as_bytes());
    }
    block.extend([0; 16]);
    block.extend(be32(JPEG.len()));
    block.extend(JPEG);
    block
}

fn stream_info() -> Vec<u8> {
    let mut info = vec![0; 10];
    // 44.1 kHz, two channels, 16 bits, 44100 samples.
    let packed: u64 = 44_100 << 44 | 1 << 41 | 15 << 36 | 0xac44;
    info.extend(packed.to_be_bytes());
    info.extend([0; 16]);
    info
}

fn flac_block(kind: u8, body: &[u8]) -> Vec<u8> {
    let [_, a, b, c] = be32(body.len());
    [&[kind, a, b, c][..], body].concat()
}

pub(crate) fn flac() -> Vec<u8> {
    [
        b"fLaC".to_vec(),
        flac_block(0, &stream_info()),
        flac_block(4, &comments(COMMENTS)),
        flac_block(0x86, &picture_block()),
        vec![0xff, 0xf8, 0, 0],
    ]
    .concat()
}

/// A page of an Ogg stream.
fn page(flags: u8, granule: u64, packet: &[u8]) -> Vec<u8> {
    let mut page = b"OggS\0".to_vec();
    page.push(flags);
    page.extend(granule.to_le_bytes());
    page.extend(7_u32.to_le_bytes());
    page.extend([0; 8]);
    let full = packet.len() / 255;
    page.push(u8::try_from(full + 1).expect("one page"));
    page.extend(vec![255; full]);
    page.push(u8::try_from(packet.len() % 255).expect("a byte"));
    page.extend(packet);
    page
}

fn ogg(head: &[u8], mark: &[u8], last: u64) -> Vec<u8> {
    let comments = [mark, &comments(COMMENTS)].concat();
    [
        page(2, 0, head),
        page(0, 0, &comments),
        page(4, last, &[1, 2, 3]),
    ]
    .concat()
}

pub(crate) fn vorbis() -> Vec<u8> {
    let mut head = b"\x01vorbis\0\0\0\0\x02".to_vec();
    head.extend(44_100_u32.to_le_bytes());
    head.extend([0; 14]);
    ogg(&head, b"\x03vorbis", 44_100)
}

pub(crate) fn opus() -> Vec<u8> {
    let mut head = b"OpusHead\x01\x02".to_vec();
    head.extend(312_u16.to_le_bytes());
    head.extend([0; 7]);
    ogg(&head, b"OpusTags", 48_312)
}

pub(crate) fn speex() -> Vec<u8> {
    let mut head = b"Speex   ".to_vec();
    head.extend([0; 28]);
    head.extend(le32(16_000));
    head.extend([0; 8]);
    head.extend(le32(1));
    head.extend([0; 28]);
    ogg(&head, b"", 16_000)
}

pub(crate) fn ogg_flac() -> Vec<u8> {
    let head = [
        b"\x7fFLAC\x01\0\0\x02fLaC",
        &flac_block(0, &stream_info())[..],
    ]
    .concat();
    [
        page(2, 0, &head),
        page(0, 0, &flac_block(0x84, &comments(COMMENTS))),
        page(4, 44_100, &[0xff, 0xf8]),
    ]
    .concat()
}

fn wave_format() -> Vec<u8> {
    let mut format = vec![1, 0, 2, 0];
    format.extend(le32(8_000));
    format.extend(le32(32_000));
    format.extend([4, 0, 16, 0]);
    format
}

pub(crate) fn wav() -> Vec<u8> {
    let info = [
        b"INFO".to_vec(),
        chunk_le(*b"INAM", b"Other\0"),
        chunk_le(*b"ICMT", b"odd"),
        chunk_le(*b"IPRD", b"Album\0"),
    ]
    .concat();
    let body = [
        b"WAVE".to_vec(),
        chunk_le(*b"fmt ", &wave_format()),
        chunk_le(*b"LIST", &info),
        chunk_le(*b"id3 ", &tagged()),
        chunk_le(*b"data", &vec![0; 32_000]),
    ]
    .concat();
    chunk_le(*b"RIFF", &body)
}

pub(crate) fn wave64() -> Vec<u8> {
    let chunk = |name: &[u8; 4], body: &[u8]| {
        let mut chunk = name.to_vec();
        chunk.extend([0; 12]);
        chunk.extend(u64::try_from(body.len() + 24).expect("small").to_le_bytes());
        chunk.extend(body);
        chunk.extend(vec![0; (8 - body.len() % 8) % 8]);
        chunk
    };
    let mut file = b"riff".to_vec();
    file.extend([0; 36]);
    [
        file,
        chunk(b"fmt ", &wave_format()),
        chunk(b"data", &vec![0; 32_000]),
    ]
    .concat()
}

pub(crate) fn aiff() -> Vec<u8> {
    let common = b"\0\x02\0\0\x1f\x40\0\x10\x40\x0b\xfa\0\0\0\0\0\0\0sowt\0\0";
    let body = [
        b"AIFC".to_vec(),
        chunk_be(*b"COMM", common),
        chunk_be(*b"NAME", b"Other"),
        chunk_be(*b"SSND", &[0; 64]),
        chunk_be(*b"ID3 ", &tagged()),
    ]
    .concat();
    chunk_be(*b"FORM", &body)
}

/// An APE tag of version 2, without its header.
pub(crate) fn ape_tag(items: &[(&str, &[u8], u32)]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, value, flags) in items {
        body.extend(le32(value.len()));
        body.extend(flags.to_le_bytes());
        body.extend(name.as_bytes());
        body.push(0);
        body.extend(*value);
    }
    let size = body.len() + 32;
    body.extend(b"APETAGEX");
    body.extend(2000_u32.to_le_bytes());
    body.extend(le32(size));
    body.extend(le32(items.len()));
    body.extend([0; 12]);
    body
}

fn usual_ape_tag() -> Vec<u8> {
    let cover = [b"front.jpg\0", JPEG].concat();
    ape_tag(&[
        ("Title", b"Title", 0),
        ("Album", b"Album", 0),
        ("Artist", b"One\0Two", 0),
        ("Album Artist", b"Band", 0),
        ("Track", b"3/12", 0),
        ("Disc", b"1/2", 0),
        ("Year", b"2004", 0),
        ("Genre", b"Rock", 0),
        ("Lyrics", b"la la", 0),
        ("Cover Art (Front)", &cover, 2),
    ])
}

/// An ID3v1.1 tag.
pub(crate) fn id3v1(title: &str, track: u8) -> Vec<u8> {
    let mut tag = b"TAG".to_vec();
    tag.extend(title.as_bytes());
    tag.resize(3 + 30, 0);
    tag.extend(b"Somebody");
    tag.resize(3 + 60, 0);
    tag.extend(b"Old Album");
    tag.resize(3 + 90, 0);
    tag.extend(b"1997");
    tag.resize(126, 0);
    tag.extend([track, 17]);
    tag
}

pub(crate) fn monkey() -> Vec<u8> {
    let mut file = b"MAC ".to_vec();
    file.extend(3990_u16.to_le_bytes());
    file.extend([0; 2]);
    file.extend(le32(52));
    file.resize(52, 0);
    file.extend([0; 4]);
    for number in [73_728, 44_100, 1] {
        file.extend(le32(number));
    }
    file.extend([16, 0, 2, 0]);
    file.extend(le32(44_100));
    file.extend(usual_ape_tag());
    file.extend(id3v1("Old", 1));
    file
}

pub(crate) fn wavpack() -> Vec<u8> {
    let mut block = b"wvpk".to_vec();
    block.extend(le32(24));
    block.extend([0x10, 4, 0, 0]);
    block.extend(le32(44_100));
    block.extend(le32(0));
    block.extend(le32(44_100));
    // 16 bits, first and last block, 44.1 kHz.
    block.extend((1_u32 | 0x1800 | 9 << 23).to_le_bytes());
    block.extend([0; 4]);
    [block, usual_ape_tag()].concat()
}

pub(crate) fn musepack7() -> Vec<u8> {
    let mut file = b"MP+\x07".to_vec();
    file.extend(le32(39));
    file.resize(28, 0);
    [file, usual_ape_tag()].concat()
}

pub(crate) fn musepack8() -> Vec<u8> {
    // 44100 samples in seven bits a byte, no silence, 44.1 kHz, two channels.
    let header = b"\0\0\0\0\x08\x82\xd8\x44\0\x00\x10";
    let mut file = b"MPCKSH".to_vec();
    file.push(u8::try_from(header.len() + 3).expect("short"));
    file.extend(header);
    [file, b"AP\x04\0".to_vec(), usual_ape_tag()].concat()
}

fn mp4_box(name: [u8; 4], body: &[u8]) -> Vec<u8> {
    [&be32(body.len() + 8)[..], &name, body].concat()
}

fn item(name: [u8; 4], kind: u32, value: &[u8]) -> Vec<u8> {
    let data = [&kind.to_be_bytes()[..], &[0; 4], value].concat();
    mp4_box(name, &mp4_box(*b"data", &data))
}

fn own_item(name: &str, value: &str) -> Vec<u8> {
    let data = [&1_u32.to_be_bytes()[..], &[0; 4], value.as_bytes()].concat();
    let parts = [
        mp4_box(*b"mean", b"\0\0\0\0com.apple.iTunes"),
        mp4_box(*b"name", &[b"\0\0\0\0", name.as_bytes()].concat()),
        mp4_box(*b"data", &data),
    ];
    mp4_box(*b"----", &parts.concat())
}

fn header(kind: [u8; 4], scale: usize, length: usize) -> Vec<u8> {
    let mut body = vec![0; 12];
    body.extend(be32(scale));
    body.extend(be32(length));
    body.extend([0x55, 0xc4, 0, 0]);
    body.resize(100, 0);
    mp4_box(kind, &body)
}

fn track(id: u8, handler: [u8; 4], scale: usize, references: &[u8], table: &[u8]) -> Vec<u8> {
    let mut head = vec![0, 0, 0, 1];
    head.extend([0; 8]);
    head.extend([0, 0, 0, id]);
    head.resize(84, 0);
    let media = [
        header(*b"mdhd", scale, scale),
        mp4_box(*b"hdlr", &[&[0; 8][..], &handler, &[0; 13]].concat()),
        mp4_box(*b"minf", &mp4_box(*b"stbl", table)),
    ]
    .concat();
    let body = [
        mp4_box(*b"tkhd", &head),
        references.to_vec(),
        mp4_box(*b"mdia", &media),
    ];
    mp4_box(*b"trak", &body.concat())
}

fn sound_table() -> Vec<u8> {
    let mut entry = vec![0; 16];
    entry.extend([0, 2, 0, 16, 0, 0, 0, 0, 0xac, 0x44, 0, 0]);
    // AAC at 128 kbit/s, low complexity, 44.1 kHz, two channels.
    let config = b"\x05\x02\x12\x10";
    let decoder = [b"\x04\x13\x40\x15\0\0\0\0\0\0\0\0\x01\xf4\0", &config[..]].concat();
    let descriptor = [b"\0\0\0\0\x03\x1a\0\0\0", &decoder[..]].concat();
    entry.extend(mp4_box(*b"esds", &descriptor));
    let description = [&[0, 0, 0, 0, 0, 0, 0, 1][..], &mp4_box(*b"mp4a", &entry)].concat();
    mp4_box(*b"stsd", &description)
}

fn chapter_table(at: usize, sizes: &[usize]) -> Vec<u8> {
    let count = be32(sizes.len());
    let mut entry = vec![0; 16];
    entry.extend([0; 28]);
    let description = [&[0, 0, 0, 0, 0, 0, 0, 1][..], &mp4_box(*b"text", &entry)].concat();
    let listed: Vec<u8> = sizes.iter().flat_map(|size| be32(*size)).collect();
    [
        mp4_box(*b"stsd", &description),
        mp4_box(
            *b"stts",
            &[&[0, 0, 0, 0, 0, 0, 0, 1][..], &count, &be32(500)].concat(),
        ),
        mp4_box(*b"stsz", &[&[0; 8][..], &count, &listed].concat()),
        mp4_box(
            *b"stsc",
            &[&[0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1][..], &count, &be32(1)].concat(),
        ),
        mp4_box(
            *b"stco",
            &[&[0, 0, 0, 0, 0, 0, 0, 1][..], &be32(at)].concat(),
        ),
    ]
    .concat()
}

fn tags_box() -> Vec<u8> {
    let items = [
        item(*b"\xa9nam", 1, b"Title"),
        item(*b"\xa9alb", 1, b"Album"),
        item(*b"\xa9ART", 1, b"One"),
        item(*b"aART", 1, b"Band"),
        item(*b"\xa9wrt", 1, b"Reader"),
        item(*b"trkn", 0, &[0, 0, 0, 3, 0, 12, 0, 0]),
        item(*b"disk", 0, &[0, 0, 0, 1, 0, 2]),
        item(*b"\xa9day", 1, b"2004-05-06"),
        item(*b"gnre", 0, &[0, 18]),
        item(*b"\xa9lyr", 1, b"la la"),
        item(*b"stik", 21, &[2]),
        item(*b"covr", 13, JPEG),
        own_item("SERIES", "Discworld"),
        own_item("SERIES-PART", "8"),
    ];
    let inside = [
        vec![0; 4],
        mp4_box(*b"hdlr", &[0; 25]),
        mp4_box(*b"ilst", &items.concat()),
    ];
    mp4_box(*b"meta", &inside.concat())
}

/// An audiobook; its chapters are in a track where `has_track`, else in Nero's list.
pub(crate) fn m4b(has_track: bool) -> Vec<u8> {
    let titles: Vec<Vec<u8>> = ["Begin", "End"]
        .iter()
        .map(|title| {
            [
                &[0, u8::try_from(title.len()).expect("short")],
                title.as_bytes(),
            ]
            .concat()
        })
        .collect();
    let kind = mp4_box(*b"ftyp", b"M4B \0\0\0\0M4B ");
    let data = mp4_box(*b"mdat", &titles.concat());
    let at = kind.len() + 8;
    let sizes: Vec<usize> = titles.iter().map(Vec::len).collect();
    let mut parts = vec![header(*b"mvhd", 1000, 1000)];
    let mut user = tags_box();
    if has_track {
        let reference = mp4_box(*b"tref", &mp4_box(*b"chap", &be32(2)));
        parts.push(track(1, *b"soun", 44_100, &reference, &sound_table()));
        parts.push(track(2, *b"text", 1000, b"", &chapter_table(at, &sizes)));
    } else {
        parts.push(track(1, *b"soun", 44_100, b"", &sound_table()));
        let mut list = vec![1, 0, 0, 0, 0, 0, 0, 0, 2];
        for (start, title) in [(0_u64, "Begin"), (5_000_000, "End")] {
            list.extend(start.to_be_bytes());
            list.push(u8::try_from(title.len()).expect("short"));
            list.extend(title.as_bytes());
        }
        user.extend(mp4_box(*b"chpl", &list));
    }
    parts.push(mp4_box(*b"udta", &user));
    [kind, data, mp4_box(*b"moov", &parts.concat())].concat()
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16()
        .flat_map(u16::to_le_bytes)
        .chain([0, 0])
        .collect()
}

fn object(name: &[u8; 16], body: &[u8]) -> Vec<u8> {
    let size = u64::try_from(body.len() + 24).expect("small");
    [&name[..], &size.to_le_bytes(), body].concat()
}

pub(crate) fn asf() -> Vec<u8> {
    let mut properties = vec![0; 40];
    properties.extend(30_000_000_u64.to_le_bytes());
    properties.extend([0; 8]);
    properties.extend(2_000_u64.to_le_bytes());
    properties.extend([0; 16]);
    let mut stream = b"\x40\x9e\x69\xf8\x4d\x5b\xcf\x11\xa8\xfd\0\x80\x5f\x5c\x44\x2b".to_vec();
    stream.resize(54, 0);
    stream.extend([0x61, 1, 2, 0]);
    stream.extend(le32(44_100));
    stream.extend(le32(16_000));
    stream.extend([0; 6]);
    let (title, artist) = (utf16("Title"), utf16("One"));
    let mut description = Vec::new();
    for len in [title.len(), artist.len(), 0, 0, 0] {
        description.extend(u16::try_from(len).expect("short").to_le_bytes());
    }
    description.extend([title, artist].concat());
    let attributes = [
        ("WM/AlbumTitle", "Album"),
        ("WM/AlbumArtist", "Band"),
        ("WM/TrackNumber", "3"),
        ("WM/PartOfSet", "1/2"),
        ("WM/Year", "2004"),
        ("WM/Genre", "Rock"),
    ];
    let mut extended = u16::try_from(attributes.len())
        .expect("few")
        .to_le_bytes()
        .to_vec();
    for (name, value) in attributes {
        for (text, kind) in [(utf16(name), None), (utf16(value), Some(0_u16))] {
            extended.extend(kind.into_iter().flat_map(u16::to_le_bytes));
            extended.extend(u16::try_from(text.len()).expect("short").to_le_bytes());
            extended.extend(text);
        }
    }
    let body = [
        object(
            b"\xa1\xdc\xab\x8c\x47\xa9\xcf\x11\x8e\xe4\0\xc0\x0c\x20\x53\x65",
            &properties,
        ),
        object(
            b"\x91\x07\xdc\xb7\xb7\xa9\xcf\x11\x8e\xe6\0\xc0\x0c\x20\x53\x65",
            &stream,
        ),
        object(
            b"\x33\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\0\xaa\0\x62\xce\x6c",
            &description,
        ),
        object(
            b"\x40\xa4\xd0\xd2\x07\xe3\xd2\x11\x97\xf0\0\xa0\xc9\x5e\xa8\x50",
            &extended,
        ),
    ]
    .concat();
    let inside = [&le32(4)[..], &[1, 2], &body].concat();
    object(
        b"\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\0\xaa\0\x62\xce\x6c",
        &inside,
    )
}

pub(crate) fn dsf() -> Vec<u8> {
    let mut file = b"DSD ".to_vec();
    file.extend(28_u64.to_le_bytes());
    file.extend([0; 8]);
    file.extend(92_u64.to_le_bytes());
    file.extend(b"fmt ");
    file.extend(52_u64.to_le_bytes());
    for number in [1, 0, 2, 2, 2_822_400, 1] {
        file.extend(le32(number));
    }
    file.extend(2_822_400_u64.to_le_bytes());
    file.extend([0; 8]);
    file.extend(b"data");
    file.extend(12_u64.to_le_bytes());
    [file, tagged()].concat()
}

pub(crate) fn dff() -> Vec<u8> {
    let chunk = |name: &[u8; 4], body: &[u8]| {
        let size = u64::try_from(body.len()).expect("small");
        [&name[..], &size.to_be_bytes(), body].concat()
    };
    let properties = [
        b"SND ".to_vec(),
        chunk(b"FS  ", &be32(2_822_400)),
        chunk(b"CHNL", b"\0\x02SLFTSRGT"),
        chunk(b"CMPR", b"DSD \x0enot compressed\0"),
    ]
    .concat();
    let body = [
        b"DSD ".to_vec(),
        chunk(b"PROP", &properties),
        chunk(b"DSD ", &vec![0x69; 70_560]),
        chunk(b"ID3 ", &tagged()),
    ]
    .concat();
    chunk(b"FRM8", &body)
}

pub(crate) fn tta() -> Vec<u8> {
    let mut file = b"TTA1\x01\0\x02\0\x10\0".to_vec();
    file.extend(le32(44_100));
    file.extend(le32(44_100));
    file.extend([0; 4]);
    [tagged(), file].concat()
}

pub(crate) fn au() -> Vec<u8> {
    let mut file = b".snd".to_vec();
    for number in [24, 16_000, 3, 8_000, 1] {
        file.extend(be32(number));
    }
    file.resize(24 + 16_000, 0);
    file
}

pub(crate) fn caf() -> Vec<u8> {
    let chunk = |name: &[u8; 4], body: &[u8]| {
        let size = u64::try_from(body.len()).expect("small");
        [&name[..], &size.to_be_bytes(), body].concat()
    };
    let mut description = 8_000_f64.to_be_bytes().to_vec();
    description.extend(b"lpcm");
    for number in [2, 2, 1, 1, 16] {
        description.extend(be32(number));
    }
    [
        b"caff\0\x01\0\0".to_vec(),
        chunk(b"desc", &description),
        chunk(b"info", b"\0\0\0\x02title\0Title\0album\0Album\0"),
        chunk(b"data", &vec![0; 16_004]),
    ]
    .concat()
}

pub(crate) fn amr() -> Vec<u8> {
    let mut frame = vec![0x3c];
    frame.resize(32, 0);
    [b"#!AMR\n".to_vec(), frame.repeat(50)].concat()
}

pub(crate) fn adts() -> Vec<u8> {
    // 44.1 kHz, two channels, 64 bytes.
    let mut frame = vec![0xff, 0xf1, 0x50, 0x80, 0x08, 0x1f, 0xfc];
    frame.resize(64, 0);
    [tagged(), frame.repeat(43)].concat()
}

pub(crate) fn ac3() -> Vec<u8> {
    // 48 kHz, 64 kbit/s, two channels: 256 bytes of 32 ms.
    let mut frame = vec![0x0b, 0x77, 0, 0, 0x08, 0x40, 0x40, 0];
    frame.resize(256, 0);
    frame.repeat(31)
}

pub(crate) fn dts() -> Vec<u8> {
    // 16 blocks of 32 samples in 512 bytes, 48 kHz, two channels.
    let packed: u64 = 1 << 63 | 31 << 58 | 15 << 50 | 511 << 36 | 2 << 30 | 13 << 26;
    let mut frame = b"\x7f\xfe\x80\x01".to_vec();
    frame.extend(packed.to_be_bytes());
    frame.resize(512, 0);
    frame.repeat(94)
}

fn element(id: &[u8], body: &[u8]) -> Vec<u8> {
    let size = u16::try_from(body.len()).expect("small") | 0x4000;
    [id, &size.to_be_bytes(), body].concat()
}

pub(crate) fn matroska() -> Vec<u8> {
    let entry = [
        element(b"\xd7", &[1]),
        element(b"\x83", &[2]),
        element(b"\x86", b"A_OPUS"),
        element(
            b"\xe1",
            &[
                element(b"\xb5", &48_000_f64.to_be_bytes()),
                element(b"\x9f", &[2]),
            ]
            .concat(),
        ),
    ]
    .concat();
    let chapter = |start: u64, title: &str| {
        let display = element(b"\x80", &element(b"\x85", title.as_bytes()));
        element(
            b"\xb6",
            &[element(b"\x91", &start.to_be_bytes()), display].concat(),
        )
    };
    let tag = |name: &str, value: &str| {
        let tag = [
            element(b"\x45\xa3", name.as_bytes()),
            element(b"\x44\x87", value.as_bytes()),
        ];
        element(b"\x67\xc8", &tag.concat())
    };
    let tags = [
        tag("TITLE", "Title"),
        tag("ARTIST", "One"),
        tag("ALBUM", "Album"),
    ]
    .concat();
    let segment = [
        element(
            b"\x15\x49\xa9\x66",
            &[
                element(b"\x2a\xd7\xb1", &[0x0f, 0x42, 0x40]),
                element(b"\x44\x89", &1000_f64.to_be_bytes()),
            ]
            .concat(),
        ),
        element(b"\x16\x54\xae\x6b", &element(b"\xae", &entry)),
        element(
            b"\x10\x43\xa7\x70",
            &element(
                b"\x45\xb9",
                &[chapter(0, "Begin"), chapter(500_000_000, "End")].concat(),
            ),
        ),
        element(b"\x12\x54\xc3\x67", &element(b"\x73\x73", &tags)),
        element(
            b"\x19\x41\xa4\x69",
            &element(
                b"\x61\xa7",
                &[
                    element(b"\x46\x6e", b"cover.jpg"),
                    element(b"\x46\x60", b"image/jpeg"),
                    element(b"\x46\x5c", JPEG),
                ]
                .concat(),
            ),
        ),
        element(b"\x1f\x43\xb6\x75", &[0; 16]),
    ]
    .concat();
    [
        element(b"\x1a\x45\xdf\xa3", &element(b"\x42\x82", b"matroska")),
        element(b"\x18\x53\x80\x67", &segment),
    ]
    .concat()
}

/// One of each format: the name of its extension and its bytes.
pub(crate) fn all() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("mp3", mp3()),
        ("flac", flac()),
        ("ogg", vorbis()),
        ("opus", opus()),
        ("spx", speex()),
        ("oga", ogg_flac()),
        ("wav", wav()),
        ("w64", wave64()),
        ("aiff", aiff()),
        ("ape", monkey()),
        ("wv", wavpack()),
        ("mpc", musepack7()),
        ("mpp", musepack8()),
        ("m4b", m4b(true)),
        ("m4a", m4b(false)),
        ("wma", asf()),
        ("dsf", dsf()),
        ("dff", dff()),
        ("tta", tta()),
        ("au", au()),
        ("caf", caf()),
        ("amr", amr()),
        ("aac", adts()),
        ("ac3", ac3()),
        ("dts", dts()),
        ("mka", matroska()),
    ]
}
