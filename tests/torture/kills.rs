//! Kills at random moments, like a power failure of the process: acknowledged writes must survive.

use crate::load::{Crew, World, check, compare};
use crate::{Plan, Rng, rest, say};

pub(crate) fn survive(plan: &Plan, seed: u64) {
    let mut world = World::new(&[]);
    let mut rng = Rng(seed);
    let mut ledgers = Vec::new();
    let (mut writes, mut compared) = (0, 0);
    let (mut scans, mut backups) = (0, 0);
    for round in 0..plan.kills {
        let crew = Crew::begin(&world, ledgers, seed.wrapping_add(u64::from(round) << 8));
        rest(20 + rng.below(400));
        world.server.kill();
        let (known, acknowledged, others) = crew.end();
        ledgers = known;
        writes += acknowledged;
        scans += others[0];
        backups += others[1];
        check(&world.server.database());
        world.server.restart();
        compared += compare(&world.admin, &mut ledgers);
    }
    say(&format!(
        "killed {} times: {writes} acknowledged writes, {scans} scans and {backups} backups; {compared} \
         times what was acknowledged was compared with what is there, and was there; the database \
         and every backup were whole",
        plan.kills
    ));
}
