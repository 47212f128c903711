//! Playability of item cards in a client's engines.

use std::collections::HashMap;

use rusqlite::{Connection, named_params};

use super::card::ItemCard;
use crate::access::Visible;
use crate::error::StoreResult;
use crate::id::ItemId;
use crate::playback::{Candidate, Codecs, Offer};

/// Sets on each card if an engine plays the file to continue with, and the reason if not. Cards of
/// kinds without codecs stay unchanged.
pub fn judge<'a>(
    conn: &Connection,
    visible: Visible,
    offer: &Offer,
    cards: impl IntoIterator<Item = &'a mut ItemCard>,
) -> StoreResult<()> {
    let mut cards: Vec<&mut ItemCard> = cards
        .into_iter()
        .filter(|card| offer.kinds().contains(&card.kind.as_str()))
        .collect();
    let ids: Vec<ItemId> = cards.iter().map(|card| card.id).collect();
    let codecs = codecs(conn, visible, &ids)?;
    let unknown = Codecs::default();
    for card in &mut cards {
        let answer = offer.resolve(Candidate {
            kind: &card.kind,
            missing: card.missing,
            codecs: codecs.get(&card.id).unwrap_or(&unknown),
        });
        card.plays = Some(answer.is_ok());
        card.plays_reason = answer.err().map(|obstacle| obstacle.to_string());
    }
    Ok(())
}

/// Reads the codecs of the file to continue with, if it is present, otherwise of the first file.
fn codecs(
    conn: &Connection,
    visible: Visible,
    ids: &[ItemId],
) -> StoreResult<HashMap<ItemId, Codecs>> {
    let list = serde_json::to_string(ids).expect("integers are JSON");
    let mut statement = conn.prepare_cached(
        "SELECT item.id,
                iif(next.id IS NULL, profile.container, next.container),
                iif(next.id IS NULL, profile.vcodec, next.vcodec),
                iif(next.id IS NULL, profile.acodec, next.acodec)
           FROM json_each(:ids) AS wanted
          CROSS JOIN item ON item.id = wanted.value
           LEFT JOIN media_profile AS profile ON profile.id = item.profile_id
           LEFT JOIN item_progress AS p ON p.user_id = :viewer AND p.item_id = item.id
           LEFT JOIN file AS next
             ON next.id = p.continue_file_id AND next.item_id = item.id AND next.missing = 0",
    )?;
    let rows = statement.query_map(
        named_params! { ":viewer": visible.user(), ":ids": list },
        |row| {
            Ok((
                row.get(0)?,
                Codecs {
                    container: row.get(1)?,
                    vcodec: row.get(2)?,
                    acodec: row.get(3)?,
                },
            ))
        },
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}
