//! What rollback costs, next to what users do without worlds that are values.
//!
//! `cargo bench --bench rollback` prints the table. All contenders run in one process, in turns, on the same
//! numbers: a world of `std-ecs`, a `HashMap` from entity to value for each component that is rebuilt for
//! each save and written back for each load (the shape of `bevy_ggrs`), and a clone of plain vectors.

mod contenders;
mod measure;

use std::hint::black_box;

use std_ecs::{History, delta, digest};

use contenders::{Flat, Maps, World, rewrite, touch, touch_all};
use measure::{Line, median, nanoseconds};

const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];

fn main() {
    println!("| what | must be | {} |", SIZES.map(|size| format!("{size} entities")).join(" | "));
    println!("| --- | --- | --- | --- | --- | --- |");
    for line in [
        snapshots(),
        map_snapshots(),
        flat_snapshots(),
        restores(),
        restores_and_drops(),
        map_restores(),
        frames(),
        flat_frames(),
        digests(),
        deltas(),
    ] {
        println!("{line}");
    }
    println!("{}", ring());
}

fn snapshots() -> Line {
    Line::of("snapshot", "1000 ns", |size| {
        let world = World::of(size);
        nanoseconds(median(|| (), |()| world.clone()))
    })
}

fn map_snapshots() -> Line {
    Line::of("snapshot, maps rebuilt", "", |size| {
        let world = World::of(size);
        nanoseconds(median(|| (), |()| Maps::save(&world)))
    })
}

fn flat_snapshots() -> Line {
    Line::of("snapshot, vectors copied into buffers", "", |size| {
        let flat = Flat::of(size);
        let mut kept = flat.clone();
        nanoseconds(median(|| (), |()| kept.copy_from(&flat)))
    })
}

fn restores() -> Line {
    Line::of("restore", "1000 ns", |size| {
        let (mut world, snapshot) = (World::of(size), World::of(size));
        nanoseconds(median(|| (), |()| std::mem::replace(&mut world, snapshot.clone())))
    })
}

fn restores_and_drops() -> Line {
    Line::of("restore, with the drop of a world that rewrote a column", "", |size| {
        let snapshot = World::of(size);
        let written = || {
            let mut world = snapshot.clone();
            rewrite(&mut world);
            world
        };
        nanoseconds(median(written, |world| {
            let restored = snapshot.clone();
            drop(world);
            restored
        }))
    })
}

fn map_restores() -> Line {
    Line::of("restore, maps written back", "", |size| {
        let mut world = World::of(size);
        let maps = Maps::save(&world);
        nanoseconds(median(|| (), |()| maps.load(&mut world)))
    })
}

/// What saving adds to a frame that rewrites one of the four columns, an entity.
fn frames() -> Line {
    Line::of(
        "frame that saves and rewrites a column, over one that only rewrites, an entity",
        "+0.6 ns to 100000",
        |size| {
            let mut world = World::of(size);
            rewrite(&mut world);
            let plain = median(|| (), |()| rewrite(&mut world));
            let mut kept = world.clone();
            let saving = median(
                || (),
                |()| {
                    kept = world.clone();
                    rewrite(&mut world);
                },
            );
            black_box(&kept);
            format!("+{:.2} ns", (saving - plain) / f64::from(size as u32))
        },
    )
}

fn flat_frames() -> Line {
    Line::of("the same, vectors copied", "", |size| {
        let mut flat = Flat::of(size);
        let plain = median(|| (), |()| flat.rewrite());
        let mut kept = flat.clone();
        let saving = median(
            || (),
            |()| {
                kept.copy_from(&flat);
                flat.rewrite();
            },
        );
        black_box(&kept);
        format!("+{:.2} ns", (saving - plain) / f64::from(size as u32))
    })
}

fn digests() -> Line {
    Line::of("digest after 1% of the pages changed, over a full one", "2%", |size| {
        let mut world = World::of(size);
        let full = median(|| World::of(size), |world| digest(&world));
        let pages = (size.div_ceil(1_024) * 4).div_ceil(100);
        let mut turn = 0;
        digest(&world);
        let changed = || {
            turn += 1;
            touch(&mut world, pages * 1_024, turn);
            world.clone()
        };
        let part = median(changed, |world| digest(&world));
        format!("{:.1}% ({})", 100.0 * part / full, nanoseconds(full))
    })
}

fn deltas() -> Line {
    Line::of("delta of a frame that wrote 1% of the rows, over a full serialisation", "2%", |size| {
        let from = World::of(size);
        digest(&from);
        let mut to = from.clone();
        touch(&mut to, size.div_ceil(100), 1);
        let full = median(|| (), |()| postcard::to_stdvec(&from).map(|bytes| bytes.len()));
        let part = median(|| (), |()| postcard::to_stdvec(&delta(&from, &to)).map(|bytes| bytes.len()));
        let bytes = postcard::to_stdvec(&delta(&from, &to)).map_or(0, |bytes| bytes.len());
        format!("{:.1}% ({bytes} bytes)", 100.0 * part / full)
    })
}

/// The most memory that nine worlds hold over 600 frames, in worlds.
fn ring() -> String {
    let mut world = World::of(10_000);
    let mut history = History::new(9);
    history.record(0, &world);
    let one = history.memory().held;
    let mut most = 0;
    for tick in 1..=600 {
        touch_all(&mut world, 500, tick);
        history.record(tick, &world);
        most = most.max(history.memory().held);
    }
    let worlds = f64::from(most as u32) / f64::from(one as u32);
    format!(
        "\nA ring of 9 worlds over 600 frames, 10,000 entities, 5% of the rows of all columns written a frame: {worlds:.2} worlds (must be under 4)."
    )
}
