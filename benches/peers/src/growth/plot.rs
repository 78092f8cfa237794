//! How cost grows, as pictures: one for each operation and axis, both scales logarithmic, so that what is constant
//! lies flat and what is linear rises by one decade a decade.

use std::path::Path;

use plotters::prelude::*;

use super::report::{Tables, in_unit};
use super::{Axis, Operation};
use crate::peers::OURS;
use crate::plot::{BOUND_COLOUR, Canvas, OURS_COLOUR, Outcome, scale};
use crate::report::thousands;

/// The ways of this library, the first one first.
const WAY_COLOURS: [RGBColor; 3] = [OURS_COLOUR, RGBColor(0x1f, 0x77, 0xb4), RGBColor(0x2c, 0xa0, 0x2c)];

/// Draws `growth-OPERATION-AXIS.svg` for everything that was measured.
///
/// # Errors
///
/// When the folder cannot be made or written.
pub fn draw(tables: &Tables<'_>, folder: &Path) -> Outcome {
    std::fs::create_dir_all(folder)?;
    for operation in Operation::ALL {
        for axis in Axis::ALL {
            if tables.of(operation, axis).next().is_none() {
                continue;
            }
            let path = folder.join(format!("growth-{}-{}.svg", operation.name(), axis.name()));
            let canvas = SVGBackend::new(&path, (640, 420)).into_drawing_area();
            canvas.fill(&WHITE)?;
            picture(tables, operation, axis, &canvas)?;
            canvas.present()?;
        }
    }
    Ok(())
}

/// The decade below and the decade above, so that noise does not fill the picture.
fn decades(values: &[f64]) -> (f64, f64) {
    let low = values.iter().copied().fold(f64::MAX, f64::min).max(1e-3);
    let high = values.iter().copied().fold(low, f64::max);
    let (from, to) = (low.log10().floor(), (high * 1.01).log10().ceil());
    // Three decades at least.
    (10_f64.powf(from.min(to - 3.0)), 10_f64.powf(to))
}

fn picture(tables: &Tables<'_>, operation: Operation, axis: Axis, canvas: &Canvas<'_>) -> Outcome {
    let sizes = || tables.of(operation, axis).map(|point| point.size as f64);
    let (first, last) = (sizes().fold(f64::MAX, f64::min), sizes().fold(0.0, f64::max));
    let medians: Vec<f64> = tables.of(operation, axis).map(|point| point.median).collect();
    let (low, high) = decades(&medians);
    let ways = tables.ways(operation, axis);
    let (legend_area, chart_area) = canvas.split_vertically(40 + 18 * ways.len() as u32);
    let title = format!("{}, by the number of {}", operation.title(), axis.name());
    legend_area.draw(&Text::new(title, (16, 12), ("sans-serif", 18)))?;
    let mut chart = ChartBuilder::on(&chart_area)
        .margin(10)
        .margin_right(40)
        .x_label_area_size(40)
        .y_label_area_size(70)
        .build_cartesian_2d((first..last).log_scale(), (low..high).log_scale())?;
    chart
        .configure_mesh()
        .x_desc(axis.name())
        .light_line_style(WHITE)
        .x_label_formatter(&|size| thousands(size.round() as usize))
        .y_label_formatter(&|value| {
            // A decade may come out of the logarithm a hair below.
            let (value, unit) = in_unit(*value * (1.0 + 1e-9));
            format!("{} {unit}", scale(value))
        })
        .draw()?;
    let mut colours = WAY_COLOURS.into_iter().cycle();
    for (place, way) in ways.into_iter().enumerate() {
        let is_ours = way.starts_with(OURS);
        let colour = if is_ours { colours.next().unwrap_or(OURS_COLOUR) } else { BOUND_COLOUR };
        let line = tables.line(operation, axis, way);
        let points = || line.iter().map(|point| (point.size as f64, point.median));
        chart.draw_series(LineSeries::new(points(), colour.stroke_width(if is_ours { 3 } else { 2 })))?;
        chart.draw_series(points().map(|point| Circle::new(point, 3, colour.filled())))?;
        let top = 40 + place as i32 * 18;
        legend_area.draw(&Rectangle::new([(16, top), (34, top + 6)], colour.filled()))?;
        legend_area.draw(&Text::new(way.to_owned(), (42, top - 5), ("sans-serif", 14)))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_has_whole_decades_around_the_values_and_three_at_least() {
        for (values, expected) in
            [(vec![150.0, 180.0], (1.0, 1e3)), (vec![1.0, 9.0], (1e-2, 10.0)), (vec![3.0, 4e6], (1.0, 1e7))]
        {
            let (low, high) = decades(&values);
            assert!(
                (low / expected.0 - 1.0).abs() < 1e-9 && (high / expected.1 - 1.0).abs() < 1e-9,
                "{low} {high}"
            );
        }
    }
}
