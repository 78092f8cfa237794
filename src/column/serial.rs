//! The serialised form of a column: exact, stamps and clock included.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeStruct, Serializer};
use triomphe::Arc;

use super::index::{Index, Slot};
use super::stamps::Stamps;
use super::{Column, Entry, Rows};
use crate::entity::Entity;
use crate::guard::Guard;
use crate::key::component_key;
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
                if *rows > 1 && stamp == first.wrapping_add(u64::from(*step) * u64::from(*rows)) =>
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
        if first == 0 {
            return Err(format!("the run ({count}, {first}, {step}) has a stamp of 0: stamps begin at 1"));
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
        for (row, &entity) in owners.iter().enumerate() {
            let slot = index.slot_mut(entity);
            if !slot.is_free() {
                return Err(format!("two rows for the index of {entity}"));
            }
            *slot = Slot::new(entity, row);
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

/// The fields of the serialised form.
#[derive(serde::Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Field {
    Clock,
    Owners,
    Values,
    Attached,
    Changed,
}

const FIELDS: &[&str] = &["clock", "owners", "values", "attached", "changed"];

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Column<T> {
    /// Refuses rows that contradict each other: two for one index, lists of different lengths, a stamp
    /// ahead of the clock.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_struct("Column", FIELDS, ColumnVisitor(PhantomData))
    }
}

struct ColumnVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ColumnVisitor<T> {
    type Value = Column<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a column of {} with {} fields", component_key::<T>(), FIELDS.len())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut fields: A) -> Result<Column<T>, A::Error> {
        let short = |field| A::Error::invalid_length(field, &self);
        let clock = fields.next_element()?.ok_or_else(|| short(0))?;
        let owners: Vec<Entity> = fields.next_element()?.ok_or_else(|| short(1))?;
        let values = fields.next_element_seed(ValuesOf::rows(Some(owners.len())))?.ok_or_else(|| short(2))?;
        let attached: Vec<Run> = fields.next_element()?.ok_or_else(|| short(3))?;
        let changed: Vec<Run> = fields.next_element()?.ok_or_else(|| short(4))?;
        Column::from_parts(clock, owners, values, &attached, &changed).map_err(refuse::<T, _>)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Column<T>, A::Error> {
        let (mut clock, mut owners, mut values, mut attached, mut changed) = (None, None, None, None, None);
        while let Some(field) = fields.next_key()? {
            match field {
                Field::Clock => once(&mut clock, "clock", fields.next_value()?)?,
                Field::Owners => once(&mut owners, "owners", fields.next_value()?)?,
                Field::Values => {
                    let rows = owners.as_ref().map(Vec::len);
                    once(&mut values, "values", fields.next_value_seed(ValuesOf::rows(rows))?)?;
                }
                Field::Attached => once(&mut attached, "attached", fields.next_value()?)?,
                Field::Changed => once(&mut changed, "changed", fields.next_value()?)?,
            }
        }
        let missing = A::Error::missing_field;
        let clock = clock.ok_or_else(|| missing("clock"))?;
        let owners = owners.ok_or_else(|| missing("owners"))?;
        let values = values.ok_or_else(|| missing("values"))?;
        let attached: Vec<Run> = attached.ok_or_else(|| missing("attached"))?;
        let changed: Vec<Run> = changed.ok_or_else(|| missing("changed"))?;
        Column::from_parts(clock, owners, values, &attached, &changed).map_err(refuse::<T, _>)
    }
}

fn refuse<T, E: Error>(problem: impl fmt::Display) -> E {
    E::custom(format_args!("column of {}: {problem}", component_key::<T>()))
}

fn once<X, E: Error>(field: &mut Option<X>, name: &'static str, value: X) -> Result<(), E> {
    match field.replace(value) {
        Some(_) => Err(E::duplicate_field(name)),
        None => Ok(()),
    }
}

/// A list of values, no longer than the list of entities if that is known.
///
/// The length that a binary format claims cannot be believed: a value may take no bytes at all, so that a
/// few bytes could claim more values than there is memory or time for.
struct ValuesOf<T> {
    rows: Option<usize>,
    component: PhantomData<T>,
}

impl<T> ValuesOf<T> {
    fn rows(rows: Option<usize>) -> Self {
        Self { rows, component: PhantomData }
    }
}

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for ValuesOf<T> {
    type Value = Vec<T>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<T>, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for ValuesOf<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the values of a column of {}", component_key::<T>())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element()? {
            if let Some(rows) = self.rows
                && values.len() == rows
            {
                return Err(refuse::<T, _>(format_args!("more than {rows} values for {rows} entities")));
            }
            values.push(value);
        }
        Ok(values)
    }
}
