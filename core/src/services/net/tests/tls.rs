//! A self-signed certificate is refused.

use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig, ServerConnection, StreamOwned};

use super::*;

/// A self-signed certificate of `localhost` and 127.0.0.1, valid for a hundred years. The key
/// protects nothing.
const CERTIFICATE: &[u8] = include_bytes!("self-signed.der");
const KEY: &[u8] = include_bytes!("self-signed.key.der");

/// Starts a server with the self-signed certificate.
fn self_signed_server() -> SocketAddr {
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
            // The client may have disconnected.
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
            stream.conn.send_close_notify();
            let _ = stream.flush();
        }
    });
    address
}

#[test]
fn self_signed_certificate_is_refused() {
    let url = format!("https://{}", self_signed_server());
    let client = || Client {
        time: Duration::from_secs(10),
        ..Client::new(FAST, vec![url.clone()], Clock::system())
    };
    let error = get(&client(), &url).expect_err("a self-signed certificate");
    let AskError::Network(what) = error else {
        panic!("{error:?}");
    };
    assert!(what.contains("certificate: UnknownIssuer"), "{what}");
    // The same server is accepted once its certificate is a root.
    let mut roots = RootCertStore::empty();
    roots
        .add(CertificateDer::from(CERTIFICATE))
        .expect("a root");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let trusting = Client {
        transport: OnceCell::with_value(Transport::with_tls(&tls, "Ledge").expect("a transport")),
        ..client()
    };
    let response = get(&trusting, &url).expect("a response");
    assert_eq!(response.body, b"ok");
}
