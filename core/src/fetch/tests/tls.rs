//! Who vouches for themselves is not believed.

use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use ureq::tls::TlsConfig;

use super::*;

/// For `localhost` and 127.0.0.1, signed by itself, good for a hundred years. The key guards
/// nothing.
const CERTIFICATE: &[u8] = include_bytes!("self-signed.der");
const KEY: &[u8] = include_bytes!("self-signed.key.der");

/// A sound server but for its certificate.
fn impostor() -> SocketAddr {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let key = PrivatePkcs8KeyDer::from(KEY.to_vec());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![CertificateDer::from(CERTIFICATE)], key.into())
        .expect("a certificate");
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for stream in listener.incoming().filter_map(Result::ok) {
            let connection = ServerConnection::new(config.clone()).expect("a connection");
            let mut stream = StreamOwned::new(connection, stream);
            let mut head = Vec::new();
            let mut byte = [0];
            while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|n| n > 0) {
                head.extend(byte);
            }
            // The other side may have had enough already.
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
            stream.conn.send_close_notify();
            let _ = stream.flush();
        }
    });
    address
}

#[test]
fn a_certificate_that_nobody_vouches_for_is_refused() {
    let url = format!("https://{}", impostor());
    let client = || Client {
        time: Duration::from_secs(10),
        ..Client::new(FAST, vec![url.clone()], Clock::system())
    };
    let error = get(&client(), &url).expect_err("a certificate of its own making");
    let AskError::Network(what) = error else {
        panic!("{error:?}");
    };
    assert!(what.contains("certificate: UnknownIssuer"), "{what}");
    // Nothing else is wrong with it.
    let trusting = Agent::config_builder()
        .tls_config(TlsConfig::builder().disable_verification(true).build())
        .build();
    let trusting = Client {
        agent: trusting.new_agent(),
        ..client()
    };
    let answer = get(&trusting, &url).expect("an answer");
    assert_eq!(answer.body, b"ok");
}
