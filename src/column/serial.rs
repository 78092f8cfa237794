//! The serialised form of a column: exact, stamps and clock included.

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, SerializeStruct, Serializer};
use triomphe::Arc;

use super::index::Index;
use super::stamps::Stamps;
use super::{Column, Entry, Rows};
use crate::entity::Entity;
use crate::guard::Guard;
use crate::pages::{PAGE, Pages};
use crate::shared::Shared;

/// Stamps of neighbouring rows: how many rows, the first stamp, and what each row adds (0 or 1).
type Run = (u32, u64, u8);

/// Writes stamps as few runs: each as long as it can be.
fn runs(stamps: impl Iterator<Item = u64>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for stamp in stamps {
        match runs.last_mut() {
            Some((rows, first, step)) if *rows == 1 && stamp.wrapping_sub(*first) <= 1 => {
                (*rows, *step) = (2, (stamp - *first) as u8);
            }
            Some((rows, first, step))
                if *rows > 1 && stamp == *first + u64::from(*step) * u64::from(*rows) =>
            {
                *rows += 1;
            }
            _ => runs.push((1, stamp, 0)),
        }
    }
    runs
}

/// The stamps that the runs stand for, if there are `rows` of them and none is after `clock`.
fn spell_out(runs: &[Run], rows: usize, clock: u64) -> Result<Vec<u64>, String> {
    let mut stamps = Vec::with_capacity(rows);
    for &(count, first, step) in runs {
        if step > 1 || count == 0 {
            return Err(format!("({count}, {first}, {step}) is no run of stamps"));
        }
        if count as usize > rows - stamps.len() {
            return Err(format!("more than {rows} stamps for {rows} rows"));
        }
        let last = first.checked_add(u64::from(step) * u64::from(count - 1));
        if last.is_none_or(|last| last > clock) {
            return Err(format!(
                "a stamp of the run ({count}, {first}, {step}) is ahead of the clock, {clock}"
            ));
        }
        stamps.extend((0..u64::from(count)).map(|row| first + u64::from(step) * row));
    }
    if stamps.len() < rows {
        return Err(format!("{} stamps for {rows} rows", stamps.len()));
    }
    Ok(stamps)
}

impl<T> Column<T> {
    fn stamps(&self, of: fn(&Rows<T>) -> &Stamps) -> impl Iterator<Item = u64> {
        self.table
            .iter()
            .flat_map(move |entry| (0..entry.rows.values.len()).map(move |row| of(&entry.rows).get(row)))
    }

    /// A column of these rows, or what is wrong with them.
    fn from_parts(
        clock: u64,
        owners: Vec<Entity>,
        values: Vec<T>,
        attached: &[Run],
        changed: &[Run],
    ) -> Result<Self, String> {
        let length = owners.len();
        if values.len() != length {
            return Err(format!("{} values for {length} entities", values.len()));
        }
        let attached = spell_out(attached, length, clock)?;
        let changed = spell_out(changed, length, clock)?;
        if let Some(row) = (0..length).find(|&row| attached[row] > changed[row]) {
            return Err(format!("{} was attached after it was last changed", owners[row]));
        }
        let mut index = Index::default();
        for (row, &entity) in (0..).zip(&owners) {
            let slot = index.slot_mut(entity);
            if slot.generation != 0 {
                return Err(format!("two rows for the index of {entity}"));
            }
            (slot.row, slot.generation) = (row, entity.generation().get());
        }
        let mut table = Vec::with_capacity(length.div_ceil(PAGE));
        let mut values = values.into_iter();
        for (attached, changed) in attached.chunks(PAGE).zip(changed.chunks(PAGE)) {
            let mut page = Rows {
                values: values.by_ref().take(PAGE).collect(),
                attached: Stamps::default(),
                changed: Stamps::default(),
            };
            for (row, (&attached, &changed)) in attached.iter().zip(changed).enumerate() {
                page.attached.push(row, attached);
                page.changed.push(row, changed);
            }
            let newest = changed.iter().copied().max().unwrap_or(0);
            table.push(Entry { newest, rows: Shared::new(page) });
        }
        let owners = owners.into_iter().collect::<Pages<_>>();
        Ok(Self { clock, table: Arc::new(table), owners, index, guard: Guard::default() })
    }
}

/// The values of a column as a sequence of known length.
struct Values<'a, T>(&'a Column<T>);

impl<T: Serialize> Serialize for Values<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|(_, value)| value))
    }
}

struct Owners<'a, T>(&'a Column<T>);

impl<T> Serialize for Owners<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|(entity, _)| entity))
    }
}

impl<T: Serialize> Serialize for Column<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Column", 5)?;
        out.serialize_field("clock", &self.clock())?;
        out.serialize_field("owners", &Owners(self))?;
        out.serialize_field("values", &Values(self))?;
        out.serialize_field("attached", &runs(self.stamps(|rows| &rows.attached)))?;
        out.serialize_field("changed", &runs(self.stamps(|rows| &rows.changed)))?;
        out.end()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Column<T> {
    /// Refuses rows that contradict each other: two for one index, lists of different lengths, a stamp
    /// ahead of the clock.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(rename = "Column", deny_unknown_fields)]
        struct Form<T> {
            clock: u64,
            owners: Vec<Entity>,
            values: Vec<T>,
            attached: Vec<Run>,
            changed: Vec<Run>,
        }
        let Form { clock, owners, values, attached, changed } = Form::deserialize(deserializer)?;
        Self::from_parts(clock, owners, values, &attached, &changed).map_err(|problem| {
            D::Error::custom(format_args!("column of {}: {problem}", crate::component_key::<T>()))
        })
    }
}
