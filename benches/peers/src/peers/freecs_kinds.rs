//! `freecs`, its macro, with the 26 kinds.

use super::freecs_macro::{PEER, swap_columns, swap_values};
use crate::components::{KINDS, KindA, KindB, KindC, KindD, KindE, Shared};
use crate::contender::{Entry, Way};
use crate::sums::sum;

mod many {
    use crate::components::*;

    freecs::ecs! {
        World {
            shared: Shared => SHARED,
            kind_a: KindA => KIND_A,
            kind_b: KindB => KIND_B,
            kind_c: KindC => KIND_C,
            kind_d: KindD => KIND_D,
            kind_e: KindE => KIND_E,
            kind_f: KindF => KIND_F,
            kind_g: KindG => KIND_G,
            kind_h: KindH => KIND_H,
            kind_i: KindI => KIND_I,
            kind_j: KindJ => KIND_J,
            kind_k: KindK => KIND_K,
            kind_l: KindL => KIND_L,
            kind_m: KindM => KIND_M,
            kind_n: KindN => KIND_N,
            kind_o: KindO => KIND_O,
            kind_p: KindP => KIND_P,
            kind_q: KindQ => KIND_Q,
            kind_r: KindR => KIND_R,
            kind_s: KindS => KIND_S,
            kind_t: KindT => KIND_T,
            kind_u: KindU => KIND_U,
            kind_v: KindV => KIND_V,
            kind_w: KindW => KIND_W,
            kind_x: KindX => KIND_X,
            kind_y: KindY => KIND_Y,
            kind_z: KindZ => KIND_Z,
        }
        Resources {}
    }
}

use many::{KIND_A, KIND_B, KIND_C, KIND_D, KIND_E, SHARED, World};

pub fn kinds(size: usize) -> Vec<Entry> {
    let ways: [Way<World>; 2] = [
        ("for_each_shared_mut", |world| world.for_each_shared_mut(|shared| shared.0 += 0.5)),
        ("tables", |world| {
            let shared = world.tables.iter_mut().flat_map(|table| &mut table.shared);
            shared.for_each(|shared| shared.0 += 0.5);
        }),
    ];
    let entry = |(way, run): (&'static str, fn(&mut World))| {
        Entry::steady(PEER, way, zoo(size), run, |world| sum(world.query_shared()))
    };
    ways.into_iter().map(entry).collect()
}

fn zoo(size: usize) -> World {
    let mut world = World::default();
    let mut next = 0;
    for kind in 0..KINDS {
        // The first component is the shared one; the masks of the kinds follow it.
        let mask = SHARED | (KIND_A << kind);
        world.spawn_batch(mask, size / KINDS, |table, row| {
            table.shared[row] = Shared(next as f32);
            next += 1;
        });
    }
    world
}

pub fn schedule(size: usize) -> Entry {
    let each = size / 4;
    let mut world = World::default();
    let populations = [
        KIND_A | KIND_B,
        KIND_A | KIND_B | KIND_C,
        KIND_A | KIND_B | KIND_C | KIND_D,
        KIND_A | KIND_B | KIND_C | KIND_E,
    ];
    let mut next = 0;
    for (population, mask) in populations.into_iter().enumerate() {
        world.spawn_batch(mask, each, |table, row| {
            let value = next as f32;
            table.kind_a[row] = KindA(value);
            table.kind_b[row] = KindB(value + 0.25);
            if population > 0 {
                table.kind_c[row] = KindC(value + 0.5);
            }
            if population == 2 {
                table.kind_d[row] = KindD(value + 0.75);
            }
            if population == 3 {
                table.kind_e[row] = KindE(value + 1.0);
            }
            next += 1;
        });
    }
    let mut schedule = freecs::Schedule::new();
    schedule.push("a and b", |world: &mut World| {
        for table in &mut world.tables {
            swap_columns(&mut table.kind_a, &mut table.kind_b, |a, b| swap_values(&mut a.0, &mut b.0));
        }
    });
    schedule.push("c and d", |world: &mut World| {
        for table in &mut world.tables {
            swap_columns(&mut table.kind_c, &mut table.kind_d, |c, d| swap_values(&mut c.0, &mut d.0));
        }
    });
    schedule.push("c and e", |world: &mut World| {
        for table in &mut world.tables {
            swap_columns(&mut table.kind_c, &mut table.kind_e, |c, e| swap_values(&mut c.0, &mut e.0));
        }
    });
    Entry::steady(
        PEER,
        "schedule, tables",
        (world, schedule),
        |(world, schedule)| schedule.run(world),
        |(world, _)| {
            sum(world.query_kind_a())
                .wrapping_add(sum(world.query_kind_b()))
                .wrapping_add(sum(world.query_kind_d()))
                .wrapping_add(sum(world.query_kind_e()))
        },
    )
}
