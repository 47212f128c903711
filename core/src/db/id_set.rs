//! Sets of row ids as bitmaps, and the SQL aggregate `id_set(id)` that makes one: counting half a
//! million ids in a set is a matter of a millisecond, where a join takes a hundred.

pub mod kept;

use rusqlite::functions::{Aggregate, Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Params, Row};

use crate::id::ItemId;
use crate::store::StoreResult;

/// Words in a chunk, which stands for 65,536 ids.
pub(super) const WORDS: usize = 1 << 10;
const CHUNK_BITS: u32 = 16;
/// Ids beyond this many chunks, four thousand million, belong to no set.
const MAX_CHUNKS: usize = 1 << 16;

type Chunk = Box<[u64]>;

/// A set of item ids.
#[derive(Debug, Clone, Default)]
pub struct IdSet {
    chunks: Vec<Option<Chunk>>,
}

/// Where an id's bit stands: chunk, word, bit.
fn place(id: i64) -> Option<(usize, usize, u64)> {
    let chunk = usize::try_from(id >> CHUNK_BITS).ok()?;
    let low = usize::try_from(id & ((1 << CHUNK_BITS) - 1)).ok()?;
    (chunk < MAX_CHUNKS).then_some((chunk, low / 64, 1 << (low % 64)))
}

impl IdSet {
    /// Adds an id.
    pub fn insert(&mut self, id: ItemId) {
        let Some((chunk, word, bit)) = place(id.0) else {
            return;
        };
        if self.chunks.len() <= chunk {
            self.chunks.resize_with(chunk + 1, || None);
        }
        if let Some(slot) = self.chunks.get_mut(chunk) {
            let words = slot.get_or_insert_with(|| vec![0; WORDS].into());
            if let Some(word) = words.get_mut(word) {
                *word |= bit;
            }
        }
    }

    /// Takes an id out.
    pub fn remove(&mut self, id: ItemId) {
        let word = place(id.0).and_then(|(chunk, word, bit)| {
            let words = self.chunks.get_mut(chunk)?.as_mut()?;
            Some((words.get_mut(word)?, bit))
        });
        if let Some((word, bit)) = word {
            *word &= !bit;
        }
    }

    /// Whether the id belongs to the set.
    pub fn contains(&self, id: ItemId) -> bool {
        place(id.0).is_some_and(|(chunk, word, bit)| {
            let words = self.chunks.get(chunk).and_then(Option::as_deref);
            words.and_then(|words| words.get(word)).unwrap_or(&0) & bit != 0
        })
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.chunks.iter().flatten().count() * WORDS * size_of::<u64>()
    }

    /// Keeps what also belongs to `other`.
    pub fn intersect(&mut self, other: &Self) {
        self.combine(other, |own, theirs| own & theirs);
    }

    /// Takes out what belongs to `other`.
    pub fn subtract(&mut self, other: &Self) {
        self.combine(other, |own, theirs| own & !theirs);
    }

    /// Adds what belongs to `other`.
    pub fn unite(&mut self, other: &Self) {
        if self.chunks.len() < other.chunks.len() {
            self.chunks.resize_with(other.chunks.len(), || None);
        }
        for (slot, theirs) in self.chunks.iter_mut().zip(&other.chunks) {
            let Some(theirs) = theirs else { continue };
            match slot {
                Some(own) => own.iter_mut().zip(theirs).for_each(|(a, b)| *a |= b),
                None => *slot = Some(theirs.clone()),
            }
        }
    }

    fn combine(&mut self, other: &Self, with: impl Fn(u64, u64) -> u64) {
        for (chunk, slot) in self.chunks.iter_mut().enumerate() {
            let Some(own) = slot else { continue };
            let theirs = other.chunks.get(chunk).and_then(Option::as_deref);
            for (place, word) in own.iter_mut().enumerate() {
                let theirs = theirs.and_then(|words| words.get(place)).unwrap_or(&0);
                *word = with(*word, *theirs);
            }
        }
    }

    /// How many ids there are.
    pub fn len(&self) -> u64 {
        let words = self.chunks.iter().flatten().flat_map(|words| words.iter());
        words.map(|word| u64::from(word.count_ones())).sum()
    }

    /// How many ids also belong to `other`.
    pub fn common(&self, other: &Self) -> u64 {
        let pairs = self.chunks.iter().zip(&other.chunks);
        let both = pairs.filter_map(|(own, theirs)| Some((own.as_deref()?, theirs.as_deref()?)));
        let words = both.flat_map(|(own, theirs)| own.iter().zip(theirs));
        words
            .map(|(own, theirs)| u64::from((own & theirs).count_ones()))
            .sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.chunks
            .iter()
            .flatten()
            .flat_map(|words| words.iter())
            .all(|word| *word == 0)
    }

    /// Keeps what passes.
    pub fn retain(&mut self, passes: impl Fn(ItemId) -> bool) {
        for (chunk, words) in self.chunks.iter_mut().enumerate() {
            let words = words.as_deref_mut().unwrap_or_default();
            for (place, word) in words.iter_mut().enumerate().filter(|(_, word)| **word != 0) {
                *word = Bits(*word)
                    .filter(|bit| passes(id_at(chunk * WORDS + place, *bit)))
                    .fold(0, |kept, bit| kept | 1 << bit);
            }
        }
    }

    /// The ids, highest first.
    pub fn descending(&self) -> impl Iterator<Item = ItemId> + '_ {
        self.chunks_descending().flat_map(|(chunk, words)| {
            let words = words.iter().enumerate().rev();
            words.flat_map(move |(word, bits)| {
                Bits(*bits).map(move |bit| id_at(chunk * WORDS + word, bit))
            })
        })
    }

    /// The chunks that may have ids, the last one first: the number of each and its bits.
    pub(super) fn chunks_descending(&self) -> impl Iterator<Item = (usize, &[u64])> {
        let chunks = self.chunks.iter().enumerate().rev();
        chunks.filter_map(|(number, words)| Some((number, words.as_deref()?)))
    }
}

/// The id of a bit of a word, where words are counted over all chunks.
pub(super) fn id_at(place: usize, bit: u32) -> ItemId {
    // Chunks are bounded, so that this fits.
    ItemId(i64::try_from(place * 64).unwrap_or(i64::MAX) + i64::from(bit))
}

/// The bits of a word that are set, highest first.
pub(super) struct Bits(pub(super) u64);

impl Iterator for Bits {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let bit = self.0.checked_ilog2()?;
        self.0 &= !(1 << bit);
        Some(bit)
    }
}

/// Registers `id_set(id)`, which answers all ids as one blob for [`query`].
pub(crate) fn register(connection: &Connection) -> rusqlite::Result<()> {
    connection.create_aggregate_function(
        "id_set",
        1,
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DIRECTONLY,
        Collect,
    )
}

struct Collect;

impl Aggregate<IdSet, Option<Vec<u8>>> for Collect {
    fn init(&self, _: &mut Context<'_>) -> rusqlite::Result<IdSet> {
        Ok(IdSet::default())
    }

    fn step(&self, ctx: &mut Context<'_>, set: &mut IdSet) -> rusqlite::Result<()> {
        if let ValueRef::Integer(id) = ctx.get_raw(0) {
            set.insert(ItemId(id));
        }
        Ok(())
    }

    fn finalize(
        &self,
        _: &mut Context<'_>,
        set: Option<IdSet>,
    ) -> rusqlite::Result<Option<Vec<u8>>> {
        Ok(set.map(|set| set.to_bytes()))
    }
}

impl IdSet {
    /// Each chunk led by its number.
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (number, chunk) in self.chunks.iter().enumerate() {
            let Some(words) = chunk else { continue };
            bytes.extend((number as u64).to_le_bytes());
            bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        }
        bytes
    }

    fn of_bytes(bytes: &[u8]) -> Self {
        let mut set = Self::default();
        for part in bytes.chunks_exact(8 * (WORDS + 1)) {
            let (words, _) = part.as_chunks::<8>();
            let mut words = words.iter().map(|word| u64::from_le_bytes(*word));
            let number = words.next().and_then(|number| usize::try_from(number).ok());
            let Some(number) = number.filter(|number| *number < MAX_CHUNKS) else {
                continue;
            };
            if set.chunks.len() <= number {
                set.chunks.resize_with(number + 1, || None);
            }
            if let Some(slot) = set.chunks.get_mut(number) {
                *slot = Some(words.collect());
            }
        }
        set
    }
}

/// The answer of a statement that selects one `id_set`.
pub fn query(connection: &Connection, sql: &str, params: impl Params) -> StoreResult<IdSet> {
    let mut statement = connection.prepare_cached(sql)?;
    Ok(statement.query_row(params, of_row)?)
}

/// A row that is one `id_set`.
pub fn of_row(row: &Row<'_>) -> rusqlite::Result<IdSet> {
    match row.get_ref(0)? {
        ValueRef::Blob(bytes) => Ok(IdSet::of_bytes(bytes)),
        _ => Ok(IdSet::default()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn set(ids: &BTreeSet<i64>) -> IdSet {
        let mut set = IdSet::default();
        for id in ids {
            set.insert(ItemId(*id));
        }
        set
    }

    fn ids(set: &IdSet) -> Vec<i64> {
        set.descending().map(|id| id.0).collect()
    }

    proptest! {
        #[test]
        fn sets_are_sets(
            a in prop::collection::btree_set(0i64..300_000, 0..40),
            b in prop::collection::btree_set(0i64..300_000, 0..40),
        ) {
            let down = |set: &BTreeSet<i64>| -> Vec<i64> { set.iter().rev().copied().collect() };
            let (one, two) = (set(&a), set(&b));
            let with = |change: fn(&mut IdSet, &IdSet)| {
                let mut set = one.clone();
                change(&mut set, &two);
                ids(&set)
            };
            prop_assert_eq!(with(IdSet::intersect), down(&(&a & &b)));
            prop_assert_eq!(with(IdSet::subtract), down(&(&a - &b)));
            prop_assert_eq!(with(IdSet::unite), down(&(&a | &b)));
            prop_assert_eq!(one.common(&two), (&a & &b).len() as u64);
            for id in a.iter().chain(&b) {
                prop_assert_eq!(one.contains(ItemId(*id)), a.contains(id));
            }
            prop_assert_eq!(one.len(), a.len() as u64);
            prop_assert_eq!(one.is_empty(), a.is_empty());
            let odd = |id: ItemId| id.0 % 2 == 1;
            let mut some = one.clone();
            some.retain(odd);
            prop_assert_eq!(ids(&some), down(&a.iter().copied().filter(|id| odd(ItemId(*id))).collect()));
        }

        #[test]
        fn sql_collects_what_it_selects(a in prop::collection::btree_set(1i64..300_000, 0..40)) {
            let connection = Connection::open_in_memory().expect("a database");
            register(&connection).expect("the aggregate");
            let list = serde_json::to_string(&a).expect("JSON");
            let found = query(
                &connection,
                "SELECT id_set(value) FROM json_each(:ids)",
                rusqlite::named_params! { ":ids": list },
            ).expect("a set");
            prop_assert_eq!(ids(&found), ids(&set(&a)));
        }
    }

    #[test]
    fn impossible_ids_belong_to_no_set() {
        let mut set = IdSet::default();
        for id in [-1, i64::MIN, i64::MAX] {
            set.insert(ItemId(id));
            assert!(!set.contains(ItemId(id)));
            set.remove(ItemId(id));
        }
        assert_eq!(set.descending().count(), 0);
    }
}
