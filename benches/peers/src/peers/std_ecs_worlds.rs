//! The worlds of this library that the workloads run in: each holds the groups that its workload needs.

use std_ecs::{Column, Columns, Entities, Hierarchy, World};

use crate::components::{Global, Position, Rotation, Tracked, Transform, Velocity};

/// The four ordinary components.
#[derive(Clone, Debug, Default, PartialEq, Columns)]
pub struct Four {
    pub transforms: Column<Transform>,
    pub positions: Column<Position>,
    pub rotations: Column<Rotation>,
    pub velocities: Column<Velocity>,
}

#[derive(Clone, Debug, Default, PartialEq, World)]
pub struct Game {
    pub entities: Entities,
    pub four: Four,
}

#[derive(Clone, Debug, Default, PartialEq, Columns)]
pub struct Tree {
    pub globals: Column<Global>,
}

#[derive(Clone, Debug, Default, PartialEq, World)]
pub struct Scene {
    pub entities: Entities,
    pub hierarchy: Hierarchy,
    pub four: Four,
    pub tree: Tree,
}

#[derive(Clone, Debug, Default, PartialEq, Columns)]
pub struct Watched {
    pub tracked: Column<Tracked>,
}

#[derive(Clone, Debug, Default, PartialEq, World)]
pub struct Observed {
    pub entities: Entities,
    pub four: Four,
    pub watched: Watched,
}

/// The 26 kinds and what they share.
pub mod many {
    use std_ecs::{Column, Columns, Entities, World};

    use crate::components::*;

    #[derive(Clone, Debug, Default, PartialEq, Columns)]
    pub struct Kinds {
        pub shared: Column<Shared>,
        pub kind_a: Column<KindA>,
        pub kind_b: Column<KindB>,
        pub kind_c: Column<KindC>,
        pub kind_d: Column<KindD>,
        pub kind_e: Column<KindE>,
        pub kind_f: Column<KindF>,
        pub kind_g: Column<KindG>,
        pub kind_h: Column<KindH>,
        pub kind_i: Column<KindI>,
        pub kind_j: Column<KindJ>,
        pub kind_k: Column<KindK>,
        pub kind_l: Column<KindL>,
        pub kind_m: Column<KindM>,
        pub kind_n: Column<KindN>,
        pub kind_o: Column<KindO>,
        pub kind_p: Column<KindP>,
        pub kind_q: Column<KindQ>,
        pub kind_r: Column<KindR>,
        pub kind_s: Column<KindS>,
        pub kind_t: Column<KindT>,
        pub kind_u: Column<KindU>,
        pub kind_v: Column<KindV>,
        pub kind_w: Column<KindW>,
        pub kind_x: Column<KindX>,
        pub kind_y: Column<KindY>,
        pub kind_z: Column<KindZ>,
    }

    #[derive(Clone, Debug, Default, PartialEq, World)]
    pub struct Zoo {
        pub entities: Entities,
        pub kinds: Kinds,
    }
}
