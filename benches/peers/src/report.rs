//! The tables: every contender of every workload, and how near this library comes to the best peer.

use std::fmt::{self, Write};

use crate::measure::Sample;
use crate::peers::{BOUNDS, OURS};
use crate::workloads::{ALL, Against, Measure, Workload};

/// All samples, by workload and size.
pub struct Report<'a> {
    samples: &'a [Sample],
}

/// This library beside the best peer in one workload at one size.
pub struct Ratio<'a> {
    pub workload: &'static Workload,
    pub size: usize,
    pub ours: &'a Sample,
    pub best: &'a Sample,
}

impl Ratio<'_> {
    pub fn ratio(&self) -> f64 {
        self.ours.median / self.best.median
    }

    pub fn is_missed(&self) -> bool {
        self.workload.must_at(self.size).is_some_and(|must| self.ratio() > must)
    }

    /// How far the ratio is beyond what must hold; below 1 is met.
    fn excess(&self) -> f64 {
        self.workload.must_at(self.size).map_or(0.0, |must| self.ratio() / must)
    }
}

fn least<'a>(samples: impl Iterator<Item = &'a Sample>) -> Option<&'a Sample> {
    samples.min_by(|one, other| one.median.total_cmp(&other.median))
}

fn written(write: impl FnOnce(&mut String) -> fmt::Result) -> String {
    let mut text = String::new();
    write(&mut text).expect("a string takes everything");
    text
}

/// Three significant figures, no exponent.
pub fn figure(value: f64) -> String {
    let size = value.abs();
    let digits = if size >= 100.0 {
        0
    } else if size >= 10.0 {
        1
    } else if size >= 1.0 {
        2
    } else if size >= 0.1 {
        3
    } else {
        5
    };
    format!("{value:.digits$}")
}

/// A number of entities as people write it.
pub fn thousands(size: usize) -> String {
    let digits = size.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

impl<'a> Report<'a> {
    pub fn new(samples: &'a [Sample]) -> Self {
        Self { samples }
    }

    /// The workloads that were measured.
    pub fn workloads(&self) -> impl Iterator<Item = &'static Workload> + '_ {
        ALL.iter().filter(|workload| self.of(workload).next().is_some())
    }

    pub fn of(&self, workload: &Workload) -> impl Iterator<Item = &'a Sample> {
        let name = workload.name;
        self.samples.iter().filter(move |sample| sample.workload == name)
    }

    pub fn sizes(&self, workload: &Workload) -> Vec<usize> {
        let mut sizes: Vec<usize> = self.of(workload).map(|sample| sample.size).collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }

    /// The contenders of a workload, by name and way, in the order in which they ran.
    pub fn contenders(&self, workload: &Workload) -> Vec<(&'a str, &'a str)> {
        let mut names: Vec<(&str, &str)> = Vec::new();
        for sample in self.of(workload) {
            let name = (sample.peer.as_str(), sample.way.as_str());
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    pub fn ratio(&self, workload: &'static Workload, size: usize) -> Option<Ratio<'a>> {
        let at_size = || self.of(workload).filter(move |sample| sample.size == size);
        let ours = least(at_size().filter(|sample| sample.peer == OURS))?;
        let best = least(at_size().filter(|sample| match workload.against {
            Against::BestPeer => sample.peer != OURS && !BOUNDS.contains(&sample.peer.as_str()),
            Against::Of(names) => names.contains(&sample.peer.as_str()),
        }))?;
        Some(Ratio { workload, size, ours, best })
    }

    fn ratios(&self) -> impl Iterator<Item = Ratio<'a>> + '_ {
        self.workloads().filter(|workload| workload.measure == Measure::Time).flat_map(move |workload| {
            self.sizes(workload).into_iter().filter_map(move |size| self.ratio(workload, size))
        })
    }

    /// The ratios at the size nearest to this one, a line for those ahead of the best peer, one for those level with
    /// it or behind by up to a fifth, and one for the others, each with the best ratio first.
    pub fn summary(&self, size: usize) -> String {
        let mut ratios: Vec<Ratio<'_>> = self.nearest(size).collect();
        ratios.sort_by(|one, other| one.ratio().total_cmp(&other.ratio()));
        let row = |name: &str, low: f64, high: f64| {
            let within = ratios.iter().filter(|ratio| (low..high).contains(&ratio.ratio()));
            let texts: Vec<String> =
                within.map(|ratio| format!("{} {}", ratio.workload.name, figure(ratio.ratio()))).collect();
            format!("| {name} | {} | {} |\n", texts.len(), texts.join(", "))
        };
        format!(
            "| of {} workloads, at {} entities or the size nearest to it | | time relative to the best peer |\n| --- | ---: | --- |\n{}{}{}",
            ratios.len(),
            thousands(size),
            row("ahead", 0.0, 1.0),
            row("level, or behind by a fifth at most", 1.0, 1.2),
            row("behind", 1.2, f64::INFINITY),
        )
    }

    /// The ratio of each workload at the one of its sizes that is nearest to this.
    pub fn nearest(&self, size: usize) -> impl Iterator<Item = Ratio<'a>> + '_ {
        self.workloads().filter(|workload| workload.measure == Measure::Time).filter_map(move |workload| {
            let size = self.sizes(workload).into_iter().min_by_key(|other| other.abs_diff(size))?;
            self.ratio(workload, size)
        })
    }

    /// The worst ratio and every one that is missed, and whether all hold.
    pub fn check(&self) -> (String, bool) {
        let mut text = String::new();
        let mut met = true;
        for missed in self.ratios().filter(Ratio::is_missed) {
            met = false;
            text += &format!(
                "missed: {} at {}: {} of {} {}, must be {}\n",
                missed.workload.name,
                thousands(missed.size),
                figure(missed.ratio()),
                missed.best.peer,
                missed.best.way,
                figure(missed.workload.must_at(missed.size).unwrap_or_default()),
            );
        }
        match self.ratios().max_by(|one, other| one.excess().total_cmp(&other.excess())) {
            Some(worst) => {
                text += &format!(
                    "worst: {} at {}: {} of the best peer ({} {}), {} of what must hold",
                    worst.workload.name,
                    thousands(worst.size),
                    figure(worst.ratio()),
                    worst.best.peer,
                    worst.best.way,
                    figure(worst.excess()),
                );
            }
            None => {
                met = false;
                text += "nothing to check: no workload was measured with this library and a peer";
            }
        }
        (text, met)
    }

    /// How near this library comes to the best peer, as a table: a row for each workload.
    pub fn ratio_table(&self) -> String {
        written(|out| self.write_ratios(out))
    }

    /// Every contender of every workload, as tables under headings of their own.
    pub fn tables(&self) -> String {
        written(|out| self.workloads().try_for_each(|workload| self.write_table(workload, out)))
    }

    fn write_ratios(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "| workload | 1,000 | 10,000 | 100,000 | 1,000,000 | must | aim |")?;
        writeln!(out, "| --- | ---: | ---: | ---: | ---: | ---: | ---: |")?;
        for workload in self.workloads().filter(|workload| workload.measure == Measure::Time) {
            write!(out, "| {} ", workload.title)?;
            let sizes = self.sizes(workload);
            let usual = [1_000, 10_000, 100_000, 1_000_000];
            for (place, usual_size) in usual.into_iter().enumerate() {
                // A workload of one unusual size stands in the column of the size below it.
                let end = usual.get(place + 1).copied().unwrap_or(usize::MAX);
                let size = sizes.iter().copied().find(|size| (usual_size..end).contains(size));
                match size.and_then(|size| self.ratio(workload, size)) {
                    Some(ratio) => {
                        let note = if ratio.is_missed() { "**" } else { "" };
                        write!(out, "| {note}{}{note} ({}) ", figure(ratio.ratio()), ratio.best.peer)?;
                    }
                    None => write!(out, "| ")?,
                }
            }
            writeln!(
                out,
                "| {} | {}{} |",
                workload.must.map_or(String::new(), figure),
                workload.aim.map_or(String::new(), figure),
                workload.aim_of.map_or(String::new(), |name| format!(" of {name}")),
            )?;
        }
        Ok(())
    }

    fn write_table(&self, workload: &Workload, out: &mut String) -> fmt::Result {
        let sizes = self.sizes(workload);
        let unit = match workload.measure {
            Measure::Time => "ns each",
            Measure::Bytes => "bytes",
        };
        writeln!(out, "### {}\n", workload.title)?;
        write!(out, "| {unit} |")?;
        sizes.iter().try_for_each(|size| write!(out, " {} |", thousands(*size)))?;
        write!(out, "\n| --- |")?;
        sizes.iter().try_for_each(|_| write!(out, " ---: |"))?;
        writeln!(out)?;
        for (peer, way) in self.contenders(workload) {
            write!(out, "| {peer}, {way} |")?;
            for size in &sizes {
                let sample =
                    self.of(workload).find(|it| it.peer == peer && it.way == way && it.size == *size);
                write!(out, " {} |", sample.map_or(String::new(), |sample| figure(sample.median)))?;
            }
            writeln!(out)?;
        }
        writeln!(out, "\n[picture](pictures/{}.svg)\n", workload.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sample of this library and one of a peer in every workload that is timed, with this ratio.
    fn samples(size: usize, ratio: f64) -> Vec<Sample> {
        let timed = ALL.iter().filter(|workload| workload.measure == Measure::Time);
        let both = timed.flat_map(|workload| {
            let peer = match workload.against {
                Against::BestPeer => "hecs",
                Against::Of(names) => names[0],
            };
            [(OURS, ratio), (peer, 1.0)].map(|(peer, median)| Sample {
                workload: workload.name.to_owned(),
                size,
                peer: peer.to_owned(),
                way: "way".to_owned(),
                median,
                least: median,
                rounds: 1,
            })
        });
        both.collect()
    }

    #[test]
    fn what_must_hold_is_checked_in_every_workload_and_twice_as_much_is_allowed_at_a_million() {
        for workload in ALL.iter().filter(|workload| workload.measure == Measure::Time) {
            let must = workload.must.expect("every workload that is timed has one");
            let is_a_copy =
                matches!(workload.kind, crate::workloads::Kind::Snapshot | crate::workloads::Kind::Restore);
            let at_million = if is_a_copy { 0.001 } else { must * 2.0 };
            for (size, allowed) in [(1_000, must), (100_000, must), (1_000_000, at_million)] {
                for (ratio, expected) in [(allowed, true), (allowed * 1.001, false)] {
                    let mut samples = samples(size, ratio);
                    samples.retain(|sample| sample.workload == workload.name);
                    let (text, met) = Report::new(&samples).check();
                    assert_eq!(met, expected, "{} at {size}: {text}", workload.name);
                }
            }
        }
    }

    #[test]
    fn nothing_measured_is_not_a_success() {
        assert!(!Report::new(&[]).check().1);
    }

    #[test]
    fn the_summary_counts_every_workload_once() {
        let timed = ALL.iter().filter(|workload| workload.measure == Measure::Time).count();
        for (ratio, row) in [(0.5, "| ahead |"), (1.1, "| level"), (3.0, "| behind |")] {
            let samples = samples(10_000, ratio);
            let summary = Report::new(&samples).summary(10_000);
            let line = summary.lines().find(|line| line.starts_with(row)).expect("each row is there");
            assert!(line.contains(&format!("| {timed} |")), "{summary}");
            assert_eq!(summary.matches("| 0 |").count(), 2, "{summary}");
        }
    }

    #[test]
    fn the_ratio_table_names_each_workload_and_marks_what_is_missed() {
        let timed = ALL.iter().filter(|workload| workload.measure == Measure::Time).count();
        let samples = samples(10_000, 1e6);
        let table = Report::new(&samples).ratio_table();
        assert_eq!(table.lines().count(), timed + 2);
        assert_eq!(table.matches("**1000000**").count(), timed);
    }
}
