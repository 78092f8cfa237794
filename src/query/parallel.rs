//! Walks on several threads.

use rayon::prelude::*;

use super::filter::Filters;
use super::sides::Sides;
use super::walk::Query;
use crate::entity::Entity;

/// How many rows are worth handing to another thread.
const PIECE: usize = 64;

impl<'a, S: Sides<'a>, F: Filters> Query<'a, S, F>
where
    S::Chunks: Send,
    S::Item: Send,
{
    /// Calls `f` with each item, on the threads of the current rayon pool.
    ///
    /// The rows are split into pieces of 64, so by the data and never by the number of threads. `f` writes
    /// its own row and nothing else; there is no parallel sum, because the order of its additions would
    /// reach the result. Write what is to be summed into a column, and sum that in order.
    ///
    /// ```
    /// # use std_ecs::{Column, Entities, query};
    /// # let mut entities = Entities::default();
    /// # let mut values = Column::default();
    /// # values.extend(entities.spawn_many(5_000).into_iter().map(|entity| (entity, 2.0)));
    /// query(&mut values).par_for_each(|(_, value): (_, &mut f64)| *value = value.sqrt());
    /// assert!(values.iter().all(|(_, value)| *value == 2.0_f64.sqrt()));
    /// ```
    pub fn par_for_each(mut self, f: impl Fn(S::Item) + Sync + Send) {
        let mut pieces = Vec::new();
        let mut single = Vec::new();
        while let Some((mut owners, mut chunks)) = self.next_run() {
            if let [_] = owners {
                single.extend(S::hot(owners, chunks).map(S::item));
                continue;
            }
            while owners.len() > PIECE {
                let (piece, rest) = S::split(chunks, PIECE);
                pieces.push((&owners[..PIECE], piece));
                (owners, chunks) = (&owners[PIECE..], rest);
            }
            pieces.push((owners, chunks));
        }
        pieces.into_par_iter().for_each(|(owners, chunks): (&'a [Entity], S::Chunks)| {
            S::fold(owners, chunks, (), &mut |(), item| f(item));
        });
        single.into_par_iter().with_min_len(PIECE).for_each(&f);
    }
}
