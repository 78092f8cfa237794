//! The tables as pictures: one a workload, and one overview.

use std::error::Error;
use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::peers::{BOUNDS, OURS};
use crate::report::{Report, thousands};
use crate::workloads::{Measure, Workload};

type Outcome = Result<(), Box<dyn Error>>;
type Canvas<'a> = DrawingArea<SVGBackend<'a>, Shift>;

const OURS_COLOUR: RGBColor = RGBColor(0xd0, 0x3a, 0x1f);
const BOUND_COLOUR: RGBColor = RGBColor(0x99, 0x99, 0x99);
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
        let canvas = SVGBackend::new(&path, (900, 520)).into_drawing_area();
        canvas.fill(&WHITE)?;
        match report.sizes(workload).as_slice() {
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
    names.iter().position(|name| *name == peer).map_or(BOUND_COLOUR, |place| PEER_COLOURS[place % 10])
}

fn unit(workload: &Workload) -> &'static str {
    match workload.measure {
        Measure::Time => "ns each",
        Measure::Bytes => "bytes an entity",
    }
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
        .x_label_formatter(&|size| thousands(*size as usize))
        .y_label_formatter(&|value| crate::report::figure(*value))
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
        let end = 300 + (sample.median / longest * 500.0).max(1.0) as i32;
        let name = format!("{}, {}", sample.peer, sample.way);
        canvas.draw(&Text::new(name, (20, top + 2), ("sans-serif", 15)))?;
        let colour = colour(&sample.peer, names);
        canvas.draw(&Rectangle::new([(300, top), (end, top + 20)], colour.filled()))?;
        canvas.draw(&Text::new(
            crate::report::figure(sample.median),
            (end + 8, top + 2),
            ("sans-serif", 15),
        ))?;
    }
    Ok(())
}

/// The ratio to the best peer in every workload, at the size nearest to 10,000, on a logarithmic axis.
fn overview(report: &Report<'_>, path: &Path) -> Outcome {
    let ratios: Vec<_> = report
        .workloads()
        .filter(|workload| workload.measure == Measure::Time)
        .filter_map(|workload| {
            let size = report.sizes(workload).into_iter().min_by_key(|size| size.abs_diff(10_000))?;
            report.ratio(workload, size)
        })
        .collect();
    let height = 90 + ratios.len() as u32 * 24;
    let canvas = SVGBackend::new(path, (960, height)).into_drawing_area();
    canvas.fill(&WHITE)?;
    let title = "std-ecs: time relative to the best peer (left of the line is faster)";
    canvas.draw(&Text::new(title, (20, 14), ("sans-serif", 18)))?;
    let middle = 640;
    // A factor of ten is this many pixels; what goes beyond the edge is cut off and told by its figure.
    let decade = 80.0;
    let bottom = height as i32 - 30;
    canvas.draw(&PathElement::new(vec![(middle, 46), (middle, bottom)], BLACK.stroke_width(1)))?;
    for (place, ratio) in ratios.iter().enumerate() {
        let top = 50 + place as i32 * 24;
        let value = ratio.ratio();
        let length = (value.max(1e-6).log10() * decade).clamp(-230.0, 160.0) as i32;
        let colour = if value <= 1.0 { RGBColor(0x2c, 0xa0, 0x2c) } else { OURS_COLOUR };
        let (left, right) = (middle.min(middle + length), middle.max(middle + length) + 1);
        canvas.draw(&Rectangle::new([(left, top), (right, top + 16)], colour.filled()))?;
        canvas.draw(&Text::new(ratio.workload.name, (20, top), ("sans-serif", 15)))?;
        let at = format!("{} at {}", ratio.best.peer, thousands(ratio.size));
        canvas.draw(&Text::new(at, (180, top), ("sans-serif", 13)))?;
        canvas.draw(&Text::new(crate::report::figure(value), (middle + 180, top), ("sans-serif", 15)))?;
    }
    canvas.present()?;
    Ok(())
}
