//! Entities: what components are attached to, and who hands them out.

use std::fmt;
use std::num::{NonZeroU32, NonZeroU64};

use crate::guard::Guard;
use crate::pages::{Pages, place};

/// What components are attached to: an index, and a generation that tells apart those who had the index.
///
/// A handle is eight bytes, and so is an `Option` of one. It belongs to the world that handed it out *and
/// to every clone of that world*: a world is a value, so an entity spawned in one branch of a snapshot
/// and another spawned in a second branch may be equal handles, and nothing can tell them apart. Do not
/// carry handles from one branch into another; replay the operations there, or name things by a component.
///
/// Ordered by index, then by generation. Two worlds that ran the same operations order their entities the
/// same way; two worlds that hold the same things made in another order do not.
///
/// ```
/// use std_ecs::{Entities, Entity};
///
/// let mut entities = Entities::default();
/// let ship = entities.spawn();
/// assert_eq!(Entity::from_bits(ship.to_bits()), Some(ship));
/// assert_eq!(ship.to_string(), "0v1");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Entity(
    /// The generation, which is not zero, in the upper 32 bits, the index in the lower: one word, so that an
    /// entity is read, passed and compared at once.
    NonZeroU64,
);

impl Entity {
    /// The entity of an index and a generation. It need not be alive anywhere.
    #[inline]
    pub const fn new(index: u32, generation: NonZeroU32) -> Self {
        let Some(bits) = NonZeroU64::new((generation.get() as u64) << 32 | index as u64) else {
            unreachable!()
        };
        Self(bits)
    }

    /// Which slot of the allocator, and of every sparse index.
    #[inline]
    pub const fn index(self) -> u32 {
        self.0.get() as u32
    }

    /// How often the index has been handed out, this time included.
    #[inline]
    pub const fn generation(self) -> NonZeroU32 {
        let Some(generation) = NonZeroU32::new((self.0.get() >> 32) as u32) else { unreachable!() };
        generation
    }

    /// The generation in the upper 32 bits, the index in the lower. Never zero.
    #[inline]
    pub const fn to_bits(self) -> u64 {
        self.0.get()
    }

    /// The inverse of [`to_bits`](Self::to_bits); `None` where the generation would be zero.
    pub const fn from_bits(bits: u64) -> Option<Self> {
        match NonZeroU32::new((bits >> 32) as u32) {
            Some(generation) => Some(Self::new(bits as u32, generation)),
            None => None,
        }
    }
}

impl PartialOrd for Entity {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entity {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.get().rotate_left(32).cmp(&other.0.get().rotate_left(32))
    }
}

impl fmt::Display for Entity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}v{}", self.index(), self.generation())
    }
}

impl fmt::Debug for Entity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Marks a slot as alive in its `next`.
pub(crate) const ALIVE: u32 = u32::MAX;
/// Ends the free list.
pub(crate) const END: u32 = u32::MAX - 1;
/// Marks a slot whose generations are used up.
pub(crate) const RETIRED: u32 = u32::MAX - 2;
/// The first index that cannot be handed out.
const LIMIT: u32 = u32::MAX - 2;

/// One index. `generation` is that of the live entity, or the one to hand out next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Slot {
    pub(crate) generation: NonZeroU32,
    pub(crate) next: u32,
    pub(crate) previous: u32,
}

/// The allocator of entities, a value like any other.
///
/// The free list is part of the value: a clone and its original that run the same operations hand out the
/// same handles in the same order. A handle whose entity was despawned stays dead for ever, also across
/// [`clear`](Self::clear); an index whose generations are used up is retired, never wrapped.
///
/// | operation | cost |
/// | --- | --- |
/// | `clone` | one increment |
/// | `spawn`, `despawn`, `is_alive`, `len` | O(1); the first write to a shared page of 1,024 slots copies it |
/// | `spawn_at` | O(1), and 12 bytes for each index it jumps over |
/// | `iter`, `clear` | O(indices ever used) |
///
/// ```
/// use std_ecs::Entities;
///
/// let mut entities = Entities::default();
/// let first = entities.spawn();
/// let snapshot = entities.clone();
///
/// entities.despawn(first);
/// let second = entities.spawn(); // the same index, another generation
/// assert_eq!((second.index(), second != first), (first.index(), true));
/// assert!(!entities.is_alive(first));
///
/// entities = snapshot; // rolled back
/// assert!(entities.is_alive(first) && !entities.is_alive(second));
/// ```
#[derive(Clone)]
pub struct Entities {
    pub(crate) slots: Pages<Slot>,
    pub(crate) free: u32,
    pub(crate) alive: u32,
    /// What a system that has not declared it may not do here. It is not part of the value.
    pub(crate) guard: Guard,
}

impl Default for Entities {
    fn default() -> Self {
        Self { slots: Pages::default(), free: END, alive: 0, guard: Guard::default() }
    }
}

/// Why [`Entities::spawn_at`] refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpawnAtError {
    /// An entity with this index is alive.
    #[error("cannot spawn {asked}: {alive} is alive at that index; despawn it first")]
    Occupied {
        /// The entity asked for.
        asked: Entity,
        /// The one that has the index.
        alive: Entity,
    },
    /// The handle was handed out before and is dead for ever.
    #[error("cannot spawn {asked}: that handle is from the past, and dead handles stay dead")]
    Dead {
        /// The entity asked for.
        asked: Entity,
    },
    /// The index is above the highest that can be handed out.
    #[error("cannot spawn {asked}: the highest index is {}", LIMIT - 1)]
    OutOfRange {
        /// The entity asked for.
        asked: Entity,
    },
}

impl Entities {
    /// Hands out an entity: the index freed last, or a new one.
    ///
    /// # Panics
    ///
    /// If all 4,294,967,293 indices are in use.
    #[inline]
    pub fn spawn(&mut self) -> Entity {
        self.guard.check_spawn();
        let index = self.free;
        if index == END {
            return self.spawn_fresh();
        }
        let Some(&Slot { next, generation, .. }) = self.slots.get(index as usize) else {
            unreachable!("the free list names a slot")
        };
        self.slots.update(index as usize, |slot| slot.next = ALIVE);
        self.slots.update(next as usize, |head| head.previous = END);
        self.free = next;
        self.alive += 1;
        Entity::new(index, generation)
    }

    fn spawn_fresh(&mut self) -> Entity {
        let index = self.slots.len() as u32;
        assert!(index < LIMIT, "all {LIMIT} indices of the entities are in use");
        self.slots.push(Slot { generation: NonZeroU32::MIN, next: ALIVE, previous: END });
        self.alive += 1;
        Entity::new(index, NonZeroU32::MIN)
    }

    /// Hands out `count` entities, as `count` calls of [`spawn`](Self::spawn) would.
    ///
    /// # Panics
    ///
    /// As [`spawn`](Self::spawn) does.
    pub fn spawn_many(&mut self, count: usize) -> Vec<Entity> {
        self.guard.check_spawn();
        let mut spawned = Vec::with_capacity(count);
        while spawned.len() < count && self.free != END {
            spawned.push(self.spawn());
        }
        let (first, fresh) = (self.slots.len(), count - spawned.len());
        assert!(
            first.checked_add(fresh).is_some_and(|end| end <= LIMIT as usize),
            "all {LIMIT} indices of the entities are in use"
        );
        let slot = Slot { generation: NonZeroU32::MIN, next: ALIVE, previous: END };
        self.slots.extend_from_slice(&vec![slot; fresh]);
        self.alive += fresh as u32;
        spawned.extend((first..first + fresh).map(|index| Entity::new(index as u32, NonZeroU32::MIN)));
        spawned
    }

    /// Makes exactly this entity alive: for replication and loading, where handles come from elsewhere.
    ///
    /// The indices it jumps over are dead and free; the lowest of them is handed out next.
    ///
    /// # Errors
    ///
    /// [`SpawnAtError`] if an entity with that index is alive, if the handle has been handed out before, or
    /// if its index is out of range. Nothing has changed then.
    pub fn spawn_at(&mut self, entity: Entity) -> Result<(), SpawnAtError> {
        self.guard.check_spawn();
        let (index, generation) = (entity.index(), entity.generation());
        if index >= LIMIT {
            return Err(SpawnAtError::OutOfRange { asked: entity });
        }
        match self.slots.get(index as usize).copied() {
            Some(slot) if slot.next == ALIVE && slot.generation != generation => {
                let alive = Entity::new(index, slot.generation);
                if generation < slot.generation {
                    return Err(SpawnAtError::Dead { asked: entity });
                }
                return Err(SpawnAtError::Occupied { asked: entity, alive });
            }
            Some(slot) if slot.next == ALIVE => {
                return Err(SpawnAtError::Occupied { asked: entity, alive: entity });
            }
            Some(slot) if slot.next == RETIRED || generation < slot.generation => {
                return Err(SpawnAtError::Dead { asked: entity });
            }
            Some(slot) => self.unlink(slot),
            None => self.jump_to(index),
        }
        if let Some(slot) = self.slots.get_mut(index as usize) {
            *slot = Slot { generation, next: ALIVE, previous: END };
        }
        self.alive += 1;
        Ok(())
    }

    /// Takes a free slot out of the middle of the free list.
    fn unlink(&mut self, slot: Slot) {
        match self.slots.get_mut(slot.previous as usize) {
            Some(previous) => previous.next = slot.next,
            None => self.free = slot.next,
        }
        if let Some(next) = self.slots.get_mut(slot.next as usize) {
            next.previous = slot.previous;
        }
    }

    /// Makes room for `index`: what lies between becomes free, lowest first, in front of the free list.
    fn jump_to(&mut self, index: u32) {
        let first = self.slots.len() as u32;
        let head = self.free;
        let free = (first..index).map(|at| Slot {
            generation: NonZeroU32::MIN,
            next: if at + 1 == index { head } else { at + 1 },
            previous: if at == first { END } else { at - 1 },
        });
        let jumped = Slot { generation: NonZeroU32::MIN, next: ALIVE, previous: END };
        self.slots.extend(free.chain(std::iter::once(jumped)));
        if first < index {
            if let Some(old) = self.slots.get_mut(head as usize) {
                old.previous = index - 1;
            }
            self.free = first;
        }
    }

    /// Ends an entity: its handle is dead from now on, its index is the next to be handed out.
    /// `false`, and no change, if it was not alive.
    ///
    /// This knows nothing of components; `World::despawn` takes them along.
    #[inline]
    pub fn despawn(&mut self, entity: Entity) -> bool {
        self.guard.check_despawn();
        if !self.is_alive(entity) {
            return false;
        }
        self.end(entity);
        true
    }

    /// Ends an entity that is alive.
    #[inline]
    pub(crate) fn end(&mut self, entity: Entity) {
        let (index, free) = (entity.index(), self.free);
        self.alive -= 1;
        let Some(generation) = entity.generation().checked_add(1) else {
            self.slots.update(index as usize, |slot| slot.next = RETIRED);
            return;
        };
        self.slots.update(index as usize, |slot| *slot = Slot { generation, next: free, previous: END });
        self.slots.update(free as usize, |old| old.previous = index);
        self.free = index;
    }

    /// Whether the entity has been handed out and not ended since.
    #[inline]
    pub fn is_alive(&self, entity: Entity) -> bool {
        self.slots
            .get(entity.index() as usize)
            .is_some_and(|slot| slot.next == ALIVE && slot.generation == entity.generation())
    }

    /// Whether all of these entities are alive.
    pub fn are_alive(&self, entities: &[Entity]) -> bool {
        let pages = self.slots.table();
        let (mut page, mut slots): (usize, &[Slot]) = (usize::MAX, &[]);
        entities.iter().all(|entity| {
            let (its_page, at) = place(entity.index() as usize);
            if its_page != page {
                page = its_page;
                slots = pages.get(page).map_or(&[], |page| page.0.as_slice());
            }
            slots.get(at).is_some_and(|slot| slot.next == ALIVE && slot.generation == entity.generation())
        })
    }

    /// How many entities are alive.
    #[inline]
    pub fn len(&self) -> usize {
        self.guard.check_entities();
        self.alive as usize
    }

    /// Whether no entity is alive.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The live entities, lowest index first.
    pub fn iter(&self) -> impl Iterator<Item = Entity> {
        self.guard.check_entities();
        self.living()
    }

    fn living(&self) -> impl Iterator<Item = Entity> {
        (0..)
            .zip(self.slots.iter())
            .filter_map(|(index, slot)| (slot.next == ALIVE).then_some(Entity::new(index, slot.generation)))
    }

    /// Ends every entity. Their handles stay dead; the lowest index is handed out next.
    ///
    /// This is not `*entities = Entities::default()`, which starts a new universe in which old handles
    /// come alive again.
    pub fn clear(&mut self) {
        self.guard.check_despawn();
        if self.alive == 0 {
            return;
        }
        // From the highest down, so that the lowest index ends up in front.
        for index in (0..self.slots.len() as u32).rev() {
            if let Some(&Slot { generation, next: ALIVE, .. }) = self.slots.get(index as usize) {
                self.despawn(Entity::new(index, generation));
            }
        }
    }

    /// No entities, in place of those that are elsewhere.
    pub(crate) fn withheld(guard: Guard) -> Self {
        Self { guard, ..Self::default() }
    }

    /// [`len`](Self::len), whoever asks.
    pub(crate) fn alive_count(&self) -> usize {
        self.alive as usize
    }

    /// Whether both are one allocation.
    pub(crate) fn same(&self, other: &Self) -> bool {
        self.slots.same(&other.slots) && self.free == other.free && self.alive == other.alive
    }

    /// Everything that decides who is alive and who will be handed out next.
    #[cfg(feature = "serde")]
    pub(crate) fn digest_into(&self, hash: &mut crate::digest::encoder::Hash) {
        use crate::digest::encoder::Sink;
        hash.put_word((self.slots.len() as u64).to_le_bytes());
        hash.put_word(u64::from(self.alive).to_le_bytes());
        hash.put_word(self.free.to_le_bytes());
        crate::digest::put_pages(&self.slots, hash, |slot, hash| {
            hash.put_word(slot.generation.get().to_le_bytes());
            hash.put_word(slot.next.to_le_bytes());
        });
    }

    /// The first slot in which both differ: the entity that has it in one of them, and what both say of it.
    #[cfg(feature = "serde")]
    pub(crate) fn first_slot_apart(&self, other: &Self) -> Option<(Option<Entity>, String, String)> {
        let say = |entities: &Self, index: u32| match entities.slots.get(index as usize) {
            Some(slot) if slot.next == ALIVE => {
                format!("{} is alive", Entity::new(index, slot.generation))
            }
            Some(slot) if slot.next == RETIRED => format!("index {index} is used up"),
            Some(slot) => format!("{} is free", Entity::new(index, slot.generation)),
            None => format!("index {index} was never used"),
        };
        let count = self.slots.len().max(other.slots.len());
        if self == other {
            return None;
        }
        let apart = (0..count as u32).find(|&index| say(self, index) != say(other, index));
        let Some(index) = apart else {
            let list =
                |entities: &Self| format!("the free list is {:?}", entities.free_list().collect::<Vec<_>>());
            return Some((None, list(self), list(other)));
        };
        let slot = self.slots.get(index as usize).or(other.slots.get(index as usize));
        let entity = slot.map(|slot| Entity::new(index, slot.generation));
        Some((entity, say(self, index), say(other, index)))
    }

    /// How many bytes the slots hold, those shared with clones included.
    pub(crate) fn bytes(&self) -> usize {
        self.slots.bytes()
    }

    /// Shows each allocation: where it is, and how many bytes it has.
    pub(crate) fn allocations(&self, each: &mut dyn FnMut(usize, usize)) {
        self.slots.allocations(each);
    }

    /// The free indices, in the order in which they will be handed out.
    pub(crate) fn free_list(&self) -> impl Iterator<Item = u32> {
        std::iter::successors(Some(self.free), |&at| self.slots.get(at as usize).map(|slot| slot.next))
            .take_while(|&at| at < LIMIT)
    }
}

impl fmt::Debug for Entities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entities")
            .field("alive", &self.living().collect::<Vec<_>>())
            .field("free", &self.free_list().collect::<Vec<_>>())
            .finish()
    }
}

impl PartialEq for Entities {
    /// Whether both hold the same entities and will hand out the same handles in the same order.
    fn eq(&self, other: &Self) -> bool {
        self.alive == other.alive && self.free == other.free && self.slots == other.slots
    }
}

#[cfg(feature = "serde")]
mod serial {
    use serde::de::{Deserialize, Deserializer, Error, Unexpected};
    use serde::ser::{Serialize, SerializeStruct, Serializer};

    use super::{ALIVE, END, Entities, Entity, LIMIT, NonZeroU32, RETIRED, Slot};
    use crate::pages::Pages;

    impl Entity {
        /// The name of the newtype struct, around the bits, that an entity is to serde. A format that knows
        /// the name can write something else in its place; a scene file writes the entity's own name.
        ///
        /// The dot keeps it apart from every type of a program. It is a raw identifier of RON, which
        /// refuses to write names that are none.
        pub const SERDE_NAME: &'static str = "std_ecs.Entity";
    }

    impl Serialize for Entity {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_newtype_struct(Self::SERDE_NAME, &self.to_bits())
        }
    }

    impl<'de> Deserialize<'de> for Entity {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Bits;
            impl<'de> serde::de::Visitor<'de> for Bits {
                type Value = Entity;

                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str("the 64 bits of an entity")
                }

                fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Entity, D::Error> {
                    self.visit_u64(u64::deserialize(inner)?)
                }

                fn visit_u64<E: Error>(self, bits: u64) -> Result<Entity, E> {
                    Entity::from_bits(bits).ok_or_else(|| {
                        E::invalid_value(
                            Unexpected::Unsigned(bits),
                            &"an entity whose generation is not zero",
                        )
                    })
                }
            }
            deserializer.deserialize_newtype_struct(Self::SERDE_NAME, Bits)
        }
    }

    impl Serialize for Entities {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut out = serializer.serialize_struct("Entities", 4)?;
            let generations: Vec<NonZeroU32> = self.slots.iter().map(|slot| slot.generation).collect();
            let retired: Vec<u32> = (0..)
                .zip(self.slots.iter())
                .filter_map(|(index, slot)| (slot.next == RETIRED).then_some(index))
                .collect();
            out.serialize_field("alive", &self.alive)?;
            out.serialize_field("generations", &generations)?;
            out.serialize_field("free", &self.free_list().collect::<Vec<_>>())?;
            out.serialize_field("retired", &retired)?;
            out.end()
        }
    }

    impl<'de> Deserialize<'de> for Entities {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            #[derive(serde::Deserialize)]
            #[serde(rename = "Entities", deny_unknown_fields)]
            struct Form {
                alive: u32,
                generations: Vec<NonZeroU32>,
                free: Vec<u32>,
                retired: Vec<u32>,
            }
            let form = Form::deserialize(deserializer)?;
            if form.generations.len() > LIMIT as usize {
                return Err(D::Error::custom(format_args!("more than {LIMIT} entity slots")));
            }
            let mut slots: Vec<Slot> = form
                .generations
                .iter()
                .map(|&generation| Slot { generation, next: ALIVE, previous: END })
                .collect();
            let mut take = |index: u32, next: u32, previous: u32| match slots.get_mut(index as usize) {
                Some(slot) if slot.next != ALIVE => {
                    Err(D::Error::custom(format_args!("entity slot {index} is listed as dead twice")))
                }
                Some(slot) if next == RETIRED && slot.generation != NonZeroU32::MAX => Err(D::Error::custom(
                    format_args!("entity slot {index} is retired, but has generations left"),
                )),
                Some(slot) => {
                    (slot.next, slot.previous) = (next, previous);
                    Ok(())
                }
                None => Err(D::Error::custom(format_args!("there is no entity slot {index}"))),
            };
            for (at, &index) in form.free.iter().enumerate() {
                let next = form.free.get(at + 1).copied().unwrap_or(END);
                let previous = at.checked_sub(1).map_or(END, |at| form.free[at]);
                take(index, next, previous)?;
            }
            for &index in &form.retired {
                take(index, RETIRED, END)?;
            }
            let alive = slots.iter().filter(|slot| slot.next == ALIVE).count();
            if alive != form.alive as usize {
                return Err(D::Error::custom(format_args!(
                    "{} entities should be alive, but {alive} slots are on no list of the dead",
                    form.alive
                )));
            }
            let free = form.free.first().copied().unwrap_or(END);
            let slots = slots.into_iter().collect::<Pages<_>>();
            Ok(Self { slots, free, alive: form.alive, ..Self::default() })
        }
    }
}
