//! Stop of the server while all clients write.

use std::time::Instant;

use crate::load::{Crew, World, check, compare};
use crate::{rest, say};

const TIMES: u32 = 5;

pub(crate) fn under_load(seed: u64) {
    let mut world = World::new(&[]);
    let (mut ledgers, mut longest) = (Vec::new(), 0);
    for round in 0..TIMES {
        let crew = Crew::begin(&world, ledgers, seed.wrapping_add(u64::from(round)));
        rest(300);
        let begin = Instant::now();
        assert_eq!(world.server.terminate(), Some(0), "it ends well");
        longest = longest.max(begin.elapsed().as_millis());
        ledgers = crew.end().0;
        let left = world.server.database().with_extension("db-wal");
        let left = std::fs::metadata(left).map_or(0, |file| file.len());
        assert_eq!(left, 0, "the one file is whole");
        check(&world.server.database());
        world.server.restart();
        compare(&world.admin, &mut ledgers);
    }
    say(&format!(
        "asked to end {TIMES} times under load: it ended well, within {longest} ms"
    ));
}
