//! How cost grows, as tables.

use std::fmt;

use super::{Axis, Operation, Point};
use crate::report::{figure, thousands};

/// All points, as one table for each operation and axis.
pub struct Tables<'a> {
    points: &'a [Point],
}

/// A time in the unit that people would choose.
pub fn in_unit(nanoseconds: f64) -> (f64, &'static str) {
    match nanoseconds {
        ..1e3 => (nanoseconds, "ns"),
        ..1e6 => (nanoseconds / 1e3, "us"),
        ..1e9 => (nanoseconds / 1e6, "ms"),
        _ => (nanoseconds / 1e9, "s"),
    }
}

fn time(nanoseconds: f64) -> String {
    let (value, unit) = in_unit(nanoseconds);
    format!("{} {unit}", figure(value))
}

impl<'a> Tables<'a> {
    pub fn new(points: &'a [Point]) -> Self {
        Self { points }
    }

    /// The points of one operation over one axis.
    pub fn of(&self, operation: Operation, axis: Axis) -> impl Iterator<Item = &'a Point> {
        self.points.iter().filter(move |point| point.operation == operation && point.axis == axis)
    }

    /// The ways of one operation, in the order in which they ran.
    pub fn ways(&self, operation: Operation, axis: Axis) -> Vec<&'a str> {
        let mut ways: Vec<&str> = Vec::new();
        for point in self.of(operation, axis) {
            if !ways.contains(&point.way.as_str()) {
                ways.push(&point.way);
            }
        }
        ways
    }

    /// The points of one way, by size.
    pub fn line(&self, operation: Operation, axis: Axis, way: &str) -> Vec<&'a Point> {
        let mut line: Vec<&Point> = self.of(operation, axis).filter(|point| point.way == way).collect();
        line.sort_by_key(|point| point.size);
        line
    }

    fn table(&self, operation: Operation, axis: Axis, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut sizes: Vec<usize> = self.of(operation, axis).map(|point| point.size).collect();
        sizes.sort_unstable();
        sizes.dedup();
        write!(out, "| {}, by {} |", operation.title(), axis.name())?;
        sizes.iter().try_for_each(|size| write!(out, " {} |", thousands(*size)))?;
        write!(out, " order at the end |\n| --- |")?;
        sizes.iter().try_for_each(|_| write!(out, " ---: |"))?;
        writeln!(out, " ---: |")?;
        for way in self.ways(operation, axis) {
            let line = self.line(operation, axis, way);
            write!(out, "| {way} |")?;
            for size in &sizes {
                let point = line.iter().find(|point| point.size == *size);
                write!(out, " {} |", point.map_or(String::new(), |point| time(point.median)))?;
            }
            writeln!(out, " {} |", order(&line).map_or(String::new(), |order| format!("{order:.2}")))?;
        }
        writeln!(out)
    }
}

/// With which power of the size the cost grew between the last two sizes: 0 is constant, 1 is linear.
fn order(line: &[&Point]) -> Option<f64> {
    let [.., before, last] = line else { return None };
    Some((last.median / before.median).ln() / (last.size as f64 / before.size as f64).ln())
}

impl fmt::Display for Tables<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for operation in Operation::ALL {
            for axis in Axis::ALL {
                if self.of(operation, axis).next().is_some() {
                    self.table(operation, axis, out)?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(way: &str, size: usize, median: f64) -> Point {
        let (operation, axis) = (Operation::Walk, Axis::Entities);
        Point { operation, axis, size, way: way.to_owned(), median, least: median, rounds: 1 }
    }

    #[test]
    fn what_is_constant_has_order_nought_and_what_is_linear_has_order_one() {
        for (growth, expected) in [(1.0, "0.00"), (10.0, "1.00"), (100.0, "2.00")] {
            let points = [point("a", 1_000, 5.0), point("a", 10_000, 5.0 * growth)];
            let text = Tables::new(&points).to_string();
            assert!(text.trim_end().ends_with(&format!("| {expected} |")), "{text}");
        }
    }

    #[test]
    fn a_way_that_is_missing_at_a_size_leaves_its_cell_empty() {
        let points = [point("a", 1_000, 1.5), point("a", 10_000, 2.5e3), point("b", 10_000, 3.5e6)];
        let text = Tables::new(&points).to_string();
        assert!(text.contains("| a | 1.50 ns | 2.50 us |"), "{text}");
        assert!(text.contains("| b |  | 3.50 ms |  |"), "{text}");
    }
}
