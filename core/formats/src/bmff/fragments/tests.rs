use super::*;

fn atom(kind: [u8; 4], content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len() + 8).expect("short");
    [&length.to_be_bytes()[..], &kind, content].concat()
}

fn numbers(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_be_bytes()).collect()
}

/// Returns a movie with one track of 1,000 ticks per second and a default sample duration of 40
/// ticks.
fn movie(own: u32, stated: u32) -> Vec<u8> {
    let tkhd = atom(*b"tkhd", &numbers(&[0, 0, 0, 7, 0, 0]));
    let mdhd = atom(*b"mdhd", &numbers(&[0, 0, 0, 1_000, 0, 0]));
    let extends_header = atom(*b"mehd", &numbers(&[0, stated]));
    let trex = atom(*b"trex", &numbers(&[0, 7, 1, 40, 0, 0]));
    let content = [
        atom(*b"mvhd", &numbers(&[0, 0, 0, 1_000, own])),
        atom(*b"trak", &[tkhd, atom(*b"mdia", &mdhd)].concat()),
        atom(*b"mvex", &[extends_header, trex].concat()),
    ];
    atom(*b"moov", &content.concat())
}

/// Returns a fragment with 25 samples of default duration, a start time and `bytes` of content.
fn fragment(time: Option<u32>, bytes: usize) -> Vec<u8> {
    let tfdt = time.map(|time| atom(*b"tfdt", &numbers(&[0, time])));
    let traf = [
        atom(*b"tfhd", &numbers(&[0, 7])),
        tfdt.unwrap_or_default(),
        atom(*b"trun", &numbers(&[0, 25])),
    ];
    let moof = [
        atom(*b"mfhd", &numbers(&[0, 1])),
        atom(*b"traf", &traf.concat()),
    ];
    [
        atom(*b"moof", &moof.concat()),
        atom(*b"mdat", &vec![0; bytes]),
    ]
    .concat()
}

/// Returns a segment index with one segment.
fn index(begin: u32, ticks: u32, bytes: usize) -> Vec<u8> {
    let bytes = u32::try_from(bytes).expect("short");
    atom(
        *b"sidx",
        &numbers(&[0, 7, 1_000, begin, 0, 1, bytes, ticks, 0]),
    )
}

/// Returns the measured duration of a file, and the number of reads.
fn measured(file: &[u8]) -> (Option<f64>, usize) {
    let mut reads = 0;
    let mut read = |at: u64, length: usize| {
        reads += 1;
        let rest = file
            .get(usize::try_from(at).expect("small")..)
            .unwrap_or_default();
        Ok(rest
            .get(..length.min(rest.len()))
            .unwrap_or_default()
            .to_vec())
    };
    let length = duration(file.len() as u64, &mut read).expect("no limit");
    (length, reads)
}

#[test]
fn fragments_with_times_are_measured_from_first_to_last() {
    let file = [
        movie(0, 0),
        fragment(Some(5_000), 9),
        fragment(Some(6_000), 9),
    ]
    .concat();
    assert_eq!(measured(&file).0, Some(2.0));
}

#[test]
fn fragments_without_times_are_summed() {
    let file = [
        movie(0, 0),
        fragment(None, 9),
        fragment(None, 9),
        fragment(None, 9),
    ]
    .concat();
    assert_eq!(measured(&file).0, Some(3.0));
}

#[test]
fn samples_outside_fragments_count() {
    let timed = [movie(500, 0), fragment(Some(500), 9)].concat();
    assert_eq!(measured(&timed).0, Some(1.5));
    let untimed = [movie(500, 0), fragment(None, 9)].concat();
    assert_eq!(measured(&untimed).0, Some(1.5));
}

#[test]
fn stated_length_needs_no_fragment() {
    let file = [movie(0, 90_000), fragment(Some(0), 9)].concat();
    assert_eq!(measured(&file), (Some(90.0), 2));
}

#[test]
fn segment_index_covers_file_or_its_segment() {
    let segment = fragment(Some(0), 9);
    let one = [
        movie(0, 0),
        index(0, 60_000, segment.len()),
        segment.clone(),
    ]
    .concat();
    assert_eq!(measured(&one).0, Some(60.0));
    let each = [
        movie(0, 0),
        index(0, 1_000, segment.len()),
        segment.clone(),
        index(1_000, 1_000, segment.len()),
        segment,
    ];
    assert_eq!(measured(&each.concat()).0, Some(2.0));
}

#[test]
fn many_fragments_need_few_reads() {
    let mut file = movie(0, 0);
    for n in 0..4_000 {
        file.extend(fragment(Some(n * 1_000), 1_000));
    }
    let (length, reads) = measured(&file);
    assert_eq!(length, Some(4_000.0));
    assert!(reads < 40, "{reads} reads");
    let last = file.len() - fragment(Some(0), 1_000).len();
    let entry = numbers(&[0, 0]);
    let tfra = [
        numbers(&[0, 7, 0, 2]),
        entry,
        vec![1, 1, 1],
        numbers(&[3_999_000, u32::try_from(last).expect("small")]),
        vec![1, 1, 1],
    ];
    let tfra = atom(*b"tfra", &tfra.concat());
    let length = u32::try_from(8 + tfra.len() + 16).expect("short");
    let mfro = atom(*b"mfro", &numbers(&[0, length]));
    file.extend(atom(*b"mfra", &[tfra, mfro].concat()));
    let (length, reads) = measured(&file);
    assert_eq!(length, Some(4_000.0));
    assert!(reads < 12, "{reads} reads");
}

#[test]
fn file_without_fragments_or_damaged_file_has_no_duration() {
    let plain = atom(*b"moov", &atom(*b"mvhd", &numbers(&[0, 0, 0, 1_000, 500])));
    assert_eq!(measured(&plain).0, None);
    assert_eq!(measured(b"").0, None);
    assert_eq!(measured(&movie(0, 0)).0, None);
    let file = [movie(0, 0), fragment(Some(0), 9), fragment(Some(1_000), 9)].concat();
    for at in 0..file.len() {
        for byte in [0, 1, 0x7f, 0xff] {
            let mut damaged = file.clone();
            damaged[at] = byte;
            let _ = measured(&damaged);
        }
        let _ = measured(&file[..at]);
    }
}
