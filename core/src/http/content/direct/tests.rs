use std::io::Write;

use http_body_util::BodyExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;
use crate::http::content::body::{FileBody, Segment};
use crate::http::content::range::ByteRange;

async fn connection() -> (DirectStream, Direct, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let (client, accepted) = tokio::join!(TcpStream::connect(address), listener.accept());
    let (stream, direct) = DirectStream::new(accepted.expect("a connection").0);
    (stream, direct, client.expect("a connection"))
}

fn file(len: usize) -> (Arc<File>, Vec<u8>) {
    let bytes: Vec<u8> = (0..len)
        .map(|n| u8::try_from(n % 253).expect("small") | 1)
        .collect();
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(&bytes).expect("bytes");
    (Arc::new(file), bytes)
}

/// Writes all slices as an HTTP library does: several at once, and advances by the number of
/// written bytes.
async fn write_all(stream: &mut DirectStream, pieces: &[Bytes]) -> io::Result<()> {
    let mut pieces: VecDeque<Bytes> = pieces.iter().cloned().collect();
    while let Some(first) = pieces.front() {
        if first.is_empty() {
            pieces.pop_front();
            continue;
        }
        let slices: Vec<IoSlice<'_>> = pieces.iter().map(|piece| IoSlice::new(piece)).collect();
        let mut written = stream.write_vectored(&slices).await?;
        for piece in &mut pieces {
            let some = written.min(piece.len());
            let _ = piece.split_to(some);
            written -= some;
        }
    }
    Ok(())
}

#[tokio::test]
async fn stand_ins_are_replaced_by_file_bytes_between_plain_bytes() {
    let (mut stream, direct, mut client) = connection().await;
    let (long, long_bytes) = file(2 * CHUNK);
    let (short, short_bytes) = file(100);
    let pieces = [
        Bytes::from_static(b"head"),
        direct.stand_in(long.clone(), 7, CHUNK),
        direct.stand_in(short, 90, 10),
        Bytes::from_static(b"between"),
        direct.stand_in(long, CHUNK as u64, 1),
        Bytes::from_static(b"tail"),
    ];
    let write = async {
        write_all(&mut stream, &pieces).await.expect("written");
        drop(stream);
    };
    let mut got = Vec::new();
    let (read, ()) = tokio::join!(client.read_to_end(&mut got), write);
    read.expect("read");
    let expected = [
        b"head",
        &long_bytes[7..CHUNK + 7],
        &short_bytes[90..],
        b"between",
        &long_bytes[CHUNK..=CHUNK],
        b"tail",
    ]
    .concat();
    assert!(got == expected);
    assert!(direct.lock().is_empty());
}

#[tokio::test]
async fn truncated_file_aborts_connection() {
    let (mut stream, direct, _client) = connection().await;
    let (file, _) = file(1000);
    let pieces = [direct.stand_in(file.clone(), 0, 1000)];
    file.set_len(10).expect("a shorter file");
    let error = write_all(&mut stream, &pieces)
        .await
        .expect_err("broken off");
    assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
}

#[tokio::test]
async fn body_leaves_cached_bytes_to_connection() {
    let (mut stream, direct, mut client) = connection().await;
    let (file, bytes) = file(3 * CHUNK + 5);
    let range = ByteRange {
        first: 3,
        last: bytes.len() as u64 - 1,
    };
    let file = file.try_clone().expect("a second handle");
    let mut body = FileBody::new(file, [Segment::File(range)]).sent_by(Some(direct));
    let write = async {
        let mut stood_in = 0;
        while let Some(frame) = body.frame().await {
            let piece = frame.expect("a frame").into_data().expect("data");
            stood_in += usize::from(is_stand_in(&piece));
            write_all(&mut stream, &[piece]).await.expect("written");
        }
        drop(stream);
        stood_in
    };
    let mut got = Vec::new();
    let (read, stood_in) = tokio::join!(client.read_to_end(&mut got), write);
    read.expect("read");
    assert!(got == bytes[3..]);
    // Some file systems do not report what is in the page cache. Then everything is copied, and the
    // result is the same.
    assert!(stood_in == 4 || stood_in == 0, "{stood_in}");
}
