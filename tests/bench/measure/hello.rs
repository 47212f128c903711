//! Minimal HTTP response: the cost of the machine, the network and the HTTP library for any
//! response. A separate process serves it, so that its CPU time is not the clients'.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, ExitCode, Stdio};

use axum::Router;
use tokio::net::TcpListener;

use crate::measure::load::{self, CLIENTS, Request};
use crate::{figure, report};

/// Argument with which the benchmark starts itself as this server.
pub(crate) const SERVE: &str = "--hello";

/// Responds to every request with a word, until its standard input is closed. This also happens
/// when the benchmark is killed.
pub(crate) fn serve() -> ExitCode {
    std::thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        report(
            &listener
                .local_addr()
                .expect("an address")
                .port()
                .to_string(),
        );
        let router = Router::new().fallback(|| async { "hello" });
        axum::serve(listener, router).await.expect("connections");
    });
    ExitCode::SUCCESS
}

/// Server process that ends with the benchmark.
struct Hello {
    process: Child,
    port: u16,
}

impl Hello {
    fn start() -> Self {
        let program = std::env::current_exe().expect("the benchmark itself");
        let mut process = Command::new(program)
            .arg(SERVE)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a process");
        let mut line = String::new();
        let output = process.stdout.take().expect("its standard output");
        BufReader::new(output).read_line(&mut line).expect("a line");
        let port = line.trim().parse().expect("a port");
        Self { process, port }
    }
}

impl Drop for Hello {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Measures the minimal response like responses of the server.
pub(crate) fn measure() {
    figure(
        "the HTTP library saying hello",
        &format!("{:.0} µs CPU", cpu()),
        &format!("at {CLIENTS} clients"),
    );
}

/// Returns the CPU time per request, in microseconds.
pub(crate) fn cpu() -> f64 {
    let hello = Hello::start();
    let cost = load::of_process(
        (hello.process.id(), hello.port),
        "",
        CLIENTS,
        &|n| n < 20_000,
        |_| Request::get(String::new()),
    );
    cost.cpu
}
