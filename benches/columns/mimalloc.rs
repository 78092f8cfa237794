//! The walks that write every row once more, with an allocator that keeps the pages it was given back: the
//! system's gives pages of a million rows back to the kernel and has to fault each of them in again.
//!
//! `cargo bench --bench columns_mimalloc`

mod rewrite;
mod rows;

use criterion::Criterion;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(std::time::Duration::from_millis(200))
        .measurement_time(std::time::Duration::from_millis(800))
        .sample_size(30)
        .without_plots()
        .configure_from_args();
    rewrite::all(&mut criterion, "rewrite_mimalloc");
    criterion.final_summary();
}
