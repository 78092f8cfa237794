//! The tables as pictures: one a workload, and one overview.

use std::error::Error;
use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::peers::{BOUNDS, OURS};
use crate::report::{Report, thousands};
use crate::workloads::{Measure, Workload};

pub type Outcome = Result<(), Box<dyn Error>>;
pub type Canvas<'a> = DrawingArea<SVGBackend<'a>, Shift>;

pub const OURS_COLOUR: RGBColor = RGBColor(0xd0, 0x3a, 0x1f);
pub const BOUND_COLOUR: RGBColor = RGBColor(0x99, 0x99, 0x99);
const OTHER_BOUND_COLOUR: RGBColor = RGBColor(0x44, 0x44, 0x44);
const PEER_COLOURS: [RGBColor; 10] = [
    RGBColor(0x1f, 0x77, 0xb4),
    RGBColor(0x2c, 0xa0, 0x2c),
    RGBColor(0x94, 0x67, 0xbd),
    RGBColor(0x8c, 0x56, 0x4b),
    RGBColor(0xe3, 0x77, 0xc2),
    RGBColor(0x17, 0xbe, 0xcf),
    RGBColor(0xbc, 0xbd, 0x22),
    RGBColor(0xff, 0xbb, 0x33),
    RGBColor(0x39, 0x3b, 0x79),
    RGBColor(0x63, 0x79, 0x39),
];

/// Draws one picture for each workload that was measured, and `overview.svg`.
///
/// # Errors
///
/// When the folder cannot be made or written.
pub fn draw(report: &Report<'_>, folder: &Path) -> Outcome {
    std::fs::create_dir_all(folder)?;
    let names = peer_names(report);
    for workload in report.workloads() {
        let path = folder.join(format!("{}.svg", workload.name));
        let sizes = report.sizes(workload);
        let height = if sizes.len() == 1 { 70 + 28 * report.contenders(workload).len() as u32 } else { 520 };
        let canvas = SVGBackend::new(&path, (900, height)).into_drawing_area();
        canvas.fill(&WHITE)?;
        match sizes.as_slice() {
            [] => {}
            [size] => bars(report, workload, *size, &names, &canvas)?,
            sizes => lines(report, workload, sizes, &names, &canvas)?,
        }
        canvas.present()?;
    }
    overview(report, &folder.join("overview.svg"))
}

/// Every peer, always in the same order, so that it has one colour in all pictures.
fn peer_names<'a>(report: &Report<'a>) -> Vec<&'a str> {
    let mut names: Vec<&str> = report
        .workloads()
        .flat_map(|workload| report.contenders(workload))
        .map(|(peer, _)| peer)
        .filter(|peer| *peer != OURS && !BOUNDS.contains(peer))
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn colour(peer: &str, names: &[&str]) -> RGBColor {
    if peer == OURS {
        return OURS_COLOUR;
    }
    match names.iter().position(|name| *name == peer) {
        Some(place) => PEER_COLOURS[place % PEER_COLOURS.len()],
        None if peer == BOUNDS[0] => BOUND_COLOUR,
        None => OTHER_BOUND_COLOUR,
    }
}

fn unit(workload: &Workload) -> &'static str {
    match workload.measure {
        Measure::Time => "ns each",
        Measure::Bytes => "bytes an entity",
    }
}

/// A place on a scale, without noughts that say nothing.
pub fn scale(value: f64) -> String {
    let text = crate::report::figure(value);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

fn plain(title: &str) -> String {
    title.replace('`', "")
}

/// The best way of each contender over the sizes.
fn lines(
    report: &Report<'_>,
    workload: &'static Workload,
    sizes: &[usize],
    names: &[&str],
    canvas: &Canvas<'_>,
) -> Outcome {
    let mut peers: Vec<&str> = report.contenders(workload).into_iter().map(|(peer, _)| peer).collect();
    peers.dedup();
    let series: Vec<(&str, Vec<(f64, f64)>)> = peers
        .into_iter()
        .map(|peer| {
            let points = sizes.iter().filter_map(|size| {
                let least = report
                    .of(workload)
                    .filter(|sample| sample.peer == peer && sample.size == *size)
                    .map(|sample| sample.median.max(1e-5))
                    .min_by(f64::total_cmp)?;
                Some((*size as f64, least))
            });
            (peer, points.collect())
        })
        .collect();
    let values = || series.iter().flat_map(|(_, points)| points).map(|(_, value)| *value);
    let low = values().fold(f64::MAX, f64::min) * 0.7;
    let high = values().fold(0.0, f64::max) * 1.4;
    let (first, last) = (sizes[0] as f64, sizes[sizes.len() - 1] as f64);
    let (chart_area, legend_area) = canvas.split_horizontally(720);
    let mut chart = ChartBuilder::on(&chart_area)
        .caption(plain(workload.title), ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d((first..last).log_scale(), (low..high).log_scale())?;
    chart
        .configure_mesh()
        .x_desc("entities")
        .y_desc(unit(workload))
        .light_line_style(WHITE)
        .x_label_formatter(&|size| thousands(size.round() as usize))
        .y_label_formatter(&|value| scale(*value))
        .draw()?;
    for (place, (peer, points)) in series.iter().enumerate() {
        let colour = colour(peer, names);
        let width = if *peer == OURS { 4 } else { 2 };
        chart.draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(width)))?;
        chart.draw_series(points.iter().map(|point| Circle::new(*point, 3, colour.filled())))?;
        let top = 50 + place as i32 * 22;
        legend_area.draw(&Rectangle::new([(0, top), (18, top + 6)], colour.filled()))?;
        legend_area.draw(&Text::new((*peer).to_owned(), (26, top - 5), ("sans-serif", 15)))?;
    }
    Ok(())
}

/// Where bars begin: on their left is room for the longest name.
const BARS_AT: i32 = 370;

/// All contenders of a workload with one size, as bars.
fn bars(
    report: &Report<'_>,
    workload: &'static Workload,
    size: usize,
    names: &[&str],
    canvas: &Canvas<'_>,
) -> Outcome {
    let mut samples: Vec<_> = report.of(workload).collect();
    samples.sort_by(|one, other| one.median.total_cmp(&other.median));
    let longest = samples.iter().map(|sample| sample.median).fold(0.0, f64::max).max(1e-9);
    let title = format!("{}, {} entities, {}", plain(workload.title), thousands(size), unit(workload));
    canvas.draw(&Text::new(title, (20, 16), ("sans-serif", 18)))?;
    for (place, sample) in samples.iter().enumerate() {
        let top = 56 + place as i32 * 28;
        let end = BARS_AT + (sample.median / longest * 430.0).max(1.0) as i32;
        let name = format!("{}, {}", sample.peer, sample.way);
        canvas.draw(&Text::new(name, (20, top + 2), ("sans-serif", 15)))?;
        let colour = colour(&sample.peer, names);
        canvas.draw(&Rectangle::new([(BARS_AT, top), (end, top + 20)], colour.filled()))?;
        canvas.draw(&Text::new(
            crate::report::figure(sample.median),
            (end + 8, top + 2),
            ("sans-serif", 15),
        ))?;
    }
    Ok(())
}

/// The ratio to the best peer in every workload, at the size nearest to 10,000, on a logarithmic scale, each with
/// a mark at what must hold.
fn overview(report: &Report<'_>, path: &Path) -> Outcome {
    let ratios: Vec<_> = report.nearest(10_000).collect();
    let rows = 96;
    let height = rows + 40 + ratios.len() as u32 * 24;
    let bottom = height as i32 - 34;
    let canvas = SVGBackend::new(path, (980, height)).into_drawing_area();
    canvas.fill(&WHITE)?;
    let text =
        |text: String, at: (i32, i32), size: i32| canvas.draw(&Text::new(text, at, ("sans-serif", size)));
    text("std-ecs beside the best peer: time relative to it".to_owned(), (20, 14), 19)?;
    let meanings = [
        (AHEAD_COLOUR, "ahead"),
        (WITHIN_COLOUR, "behind, within what must hold"),
        (OURS_COLOUR, "beyond what must hold, which is the black mark"),
    ];
    let mut left = 20;
    for (colour, meaning) in meanings {
        canvas.draw(&Rectangle::new([(left, 50), (left + 16, 62)], colour.filled()))?;
        text(meaning.to_owned(), (left + 22, 48), 14)?;
        left += 60 + meaning.len() as i32 * 7;
    }
    for decade in -3..=1 {
        let x = across(10_f64.powi(decade));
        let colour = if decade == 0 { BLACK } else { LINE_COLOUR };
        canvas.draw(&PathElement::new(vec![(x, rows as i32 - 6), (x, bottom)], colour.stroke_width(1)))?;
        text(scale(10_f64.powi(decade)), (x - 10, bottom + 8), 13)?;
    }
    for (place, ratio) in ratios.iter().enumerate() {
        let top = rows as i32 + place as i32 * 24;
        let value = ratio.ratio();
        let colour = match value {
            _ if ratio.is_missed() => OURS_COLOUR,
            ..=1.0 => AHEAD_COLOUR,
            _ => WITHIN_COLOUR,
        };
        let (one, end) = (across(1.0), across(value));
        canvas.draw(&Rectangle::new([(one.min(end), top), (one.max(end) + 1, top + 14)], colour.filled()))?;
        if let Some(must) = ratio.workload.must_at(ratio.size) {
            let x = across(must);
            canvas.draw(&PathElement::new(vec![(x, top - 3), (x, top + 17)], BLACK.stroke_width(3)))?;
        }
        text(ratio.workload.name.to_owned(), (20, top - 2), 15)?;
        text(format!("{} at {}", ratio.best.peer, thousands(ratio.size)), (150, top), 13)?;
        text(crate::report::figure(value), (900, top - 2), 15)?;
    }
    canvas.present()?;
    Ok(())
}

const AHEAD_COLOUR: RGBColor = RGBColor(0x2c, 0xa0, 0x2c);
const WITHIN_COLOUR: RGBColor = RGBColor(0xe8, 0x9c, 0x1c);
const LINE_COLOUR: RGBColor = RGBColor(0xcc, 0xcc, 0xcc);

/// Where a ratio lies in the overview: a factor of ten is 125 pixels. What is beyond a thousandth or twenty stays at
/// the edge, and its figure tells.
fn across(ratio: f64) -> i32 {
    700 + (ratio.clamp(1e-3, 20.0).log10() * 125.0).round() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_has_no_noughts_that_say_nothing() {
        for (value, expected) in
            [(0.01, "0.01"), (0.1, "0.1"), (1.0, "1"), (10.0, "10"), (100.0, "100"), (2.5, "2.5")]
        {
            assert_eq!(scale(value), expected);
        }
    }

    #[test]
    fn ratios_lie_in_order_and_inside_of_the_overview() {
        let places: Vec<i32> = [0.0, 1e-9, 0.001, 0.01, 0.5, 1.0, 2.0, 10.0, 1e9].map(across).to_vec();
        assert!(places.is_sorted());
        assert!(places.iter().all(|place| (320..890).contains(place)), "{places:?}");
    }
}
