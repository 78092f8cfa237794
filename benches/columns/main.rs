//! What a column costs, against bare slices and a hand-written sparse set doing the same in the same run.
//!
//! `cargo bench --bench columns` ends with a table of the ratios, and what each must be.

mod bounds;
mod measured;
mod rewrite;
mod rows;
mod summary;

use criterion::Criterion;

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(std::time::Duration::from_millis(200))
        .measurement_time(std::time::Duration::from_millis(800))
        .sample_size(30)
        .without_plots()
        .configure_from_args();
    measured::all(&mut criterion);
    rewrite::all(&mut criterion, "rewrite");
    criterion.final_summary();
    summary::print();
}
