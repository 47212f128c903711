//! Pages of items at both ends of the list, and the cost of an item page, beside an answer that
//! asks nothing.

use ledge_tests::Client;

use crate::latency::{self, Times};
use crate::prepare::Library;
use crate::{figure, scanning};

const SORTS: [&str; 6] = ["title", "added", "year", "author", "series", "random"];

/// Measures lists, letters and details.
pub(crate) fn measure(library: &Library) {
    let client = &library.heavy;
    let pid = library.server.pid();
    let total = scanning::total(client);
    let row = |name: &str, count, budget: &str, path: &dyn Fn(usize) -> String| {
        let (times, cpu) = latency::cost(client, pid, count, path);
        let beside = format!("p50 / p99; {cpu:.0} µs CPU{budget}");
        figure(name, &times.show(), &beside);
    };
    row("GET /version, the floor", 3000, "", &|_| {
        "/version".to_owned()
    });
    row("GET /auth/me, the session", 3000, "", &|_| {
        "/auth/me".to_owned()
    });
    row("GET /items/ID", 3000, "; budget 60 µs", &|n| {
        format!("/items/{}", 1 + n as u64 * 7919 % total.max(1))
    });
    let deep = total * 9 / 10;
    for sort in SORTS {
        for order in ["asc", "desc"] {
            let path = |offset: u64, n: usize| {
                let offset = offset + n as u64 % 50;
                format!("/items?sort={sort}&order={order}&seed=7&offset={offset}")
            };
            row(
                &format!("GET /items {sort} {order} at 0"),
                300,
                "; budget p99 1 ms",
                &|n| path(0, n),
            );
            row(
                &format!("GET /items {sort} {order} at {deep}"),
                40,
                "; budget p99 60 ms",
                &|n| path(deep, n),
            );
        }
    }
    row("GET /items?limit=500", 200, "", &|_| {
        "/items?limit=500".to_owned()
    });
    row("GET /items/letters", 300, "", &|_| {
        "/items/letters".to_owned()
    });
    for filter in ["state=started", "favourite=true", "missing=true"] {
        let path = format!("/items?{filter}");
        row(&format!("GET {path}"), 40, "", &|_| path.clone());
    }
    figure(
        "GET /items, 32 clients at once",
        &crowd(client).show(),
        "p50 / p99 of 3,200 requests",
    );
}

fn crowd(client: &Client) -> Times {
    let mut all = Times::default();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..32)
            .map(|_| {
                scope.spawn(|| {
                    let one = |_| latency::once(client, "/items");
                    (0..100).map(one).collect::<Vec<_>>()
                })
            })
            .collect();
        for thread in threads {
            for time in thread.join().expect("a client") {
                all.add(time);
            }
        }
    });
    all
}
