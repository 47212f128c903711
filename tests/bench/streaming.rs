//! Media streaming: CPU time per gigabyte compared with nginx and sendfile, for one client and for
//! 32.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use ledge_tests::Server;
use ledge_tests::server::{scanned_library, until};

use crate::{Plan, figure, measure::machine, report};

const FILE_BYTES: u64 = 1 << 30;

/// Streams the same file from both servers.
pub(crate) fn measure(ledge: &Path, plan: &Plan) {
    let server = Server::with(ledge, &[]);
    let media = server.folder().join("media");
    fs::create_dir(&media).expect("a folder");
    make_file(&media.join("Film (2020).mp4"));
    let admin = server.admin();
    scanned_library(&admin, "Films", &media);
    let item = admin.get("/items").expect(200).json()["items"][0]["id"].clone();
    let files = admin.get(&format!("/items/{item}")).expect(200).json();
    let path = files["files"][0]["content_url"]
        .as_str()
        .expect("a path")
        .to_owned();
    let authorization = format!(
        "Authorization: Bearer {}\r\n",
        admin.token().expect("a token")
    );
    let nginx = Nginx::start(&media);
    for clients in [1, 32] {
        let ours = cost(
            server.pid(),
            server.port(),
            &path,
            &authorization,
            clients,
            plan.gigabytes,
        );
        let floor = nginx.as_ref().map(|nginx| {
            cost(
                nginx.worker,
                nginx.port,
                "/Film%20(2020).mp4",
                "",
                clients,
                plan.gigabytes,
            )
        });
        let beside = match floor {
            Some(floor) => format!(
                "{:.2} × nginx with sendfile ({floor:.3} s/GB); budget 1.15",
                ours / floor
            ),
            None => "nginx is not installed: nothing to set beside it".to_owned(),
        };
        figure(
            &format!("streaming to {clients} clients, CPU"),
            &format!("{ours:.3} s/GB"),
            &beside,
        );
    }
    machine::memory("after 32 streams", server.pid(), "no budget of its own");
}

fn make_file(path: &Path) {
    let mut file = File::create(path).expect("a file");
    let block = vec![0x5a; 1 << 20];
    for _ in 0..FILE_BYTES >> 20 {
        file.write_all(&block).expect("space on the disk");
    }
}

/// Returns the CPU time of the server in seconds per gigabyte.
fn cost(pid: u32, port: u16, path: &str, headers: &str, clients: u64, gigabytes: u64) -> f64 {
    let share = (gigabytes << 30) / clients;
    fetch(port, path, headers, 1 << 20); // The first one opens, connects and warms.
    let before = machine::cpu(pid);
    let threads: Vec<_> = (0..clients)
        .map(|_| {
            let (path, headers) = (path.to_owned(), headers.to_owned());
            std::thread::spawn(move || {
                let mut left = share;
                while left > 0 {
                    let bytes = left.min(FILE_BYTES);
                    fetch(port, &path, &headers, bytes);
                    left -= bytes;
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().expect("a stream");
    }
    machine::cpu_since(pid, before).as_secs_f64() / gigabytes as f64
}

/// Reads the first `bytes` of a file and discards them.
fn fetch(port: u16, path: &str, headers: &str, bytes: u64) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}Range: bytes=0-{}\r\nConnection: close\r\n\r\n",
        bytes - 1
    );
    stream.write_all(request.as_bytes()).expect("a request");
    let mut buffer = vec![0; 1 << 18];
    let mut received = 0;
    loop {
        match stream.read(&mut buffer).expect("an answer") {
            0 => break,
            n => received += n as u64,
        }
    }
    assert!(
        received > bytes,
        "{received} of {bytes} bytes came from port {port}"
    );
}

/// nginx with one worker that serves a folder.
struct Nginx {
    master: Child,
    worker: u32,
    port: u16,
    _folder: tempfile::TempDir,
}

impl Nginx {
    fn start(root: &Path) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let port = 18_000 + u16::try_from(std::process::id() % 10_000).unwrap_or(0);
        let home = folder.path().display();
        let config = format!(
            "daemon off; worker_processes 1; pid {home}/pid; error_log {home}/error.log; user root;
             events {{}}
             http {{ access_log off; sendfile on; tcp_nopush on;
                     client_body_temp_path {home}/a; proxy_temp_path {home}/b;
                     fastcgi_temp_path {home}/c; uwsgi_temp_path {home}/d; scgi_temp_path {home}/e;
                     server {{ listen 127.0.0.1:{port}; root {}; }} }}",
            root.display()
        );
        let path = folder.path().join("nginx.conf");
        fs::write(&path, config).expect("a configuration");
        let master = Command::new("nginx")
            .arg("-c")
            .arg(&path)
            .stderr(Stdio::null())
            .spawn()
            .inspect_err(|error| report(&format!("nginx: {error}")))
            .ok()?;
        let worker = until("nginx's worker", || {
            let children =
                fs::read_to_string(format!("/proc/{0}/task/{0}/children", master.id())).ok()?;
            let worker = children.split_whitespace().next()?.parse().ok()?;
            TcpStream::connect(("127.0.0.1", port)).ok().map(|_| worker)
        });
        Some(Self {
            master,
            worker,
            port,
            _folder: folder,
        })
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let pid = rustix::process::Pid::from_child(&self.master);
        // The process may have ended already.
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        let _ = self.master.wait();
    }
}
