//! The requesting user. Other users are not visible.

use ledge_core::store::account::user::{self, username_key};
use rusqlite::Connection;

use crate::browsing::folders;
use crate::envelope::{Outcome, reply};
use crate::failure::Failure;
use crate::node::{Node, Value};
use crate::params::Call;

/// Roles of every user. They decide which functions an app shows.
const ROLES: [(&str, bool); 13] = [
    ("scrobblingEnabled", true),
    ("adminRole", false),
    ("settingsRole", false),
    ("downloadRole", true),
    ("uploadRole", false),
    ("playlistRole", true),
    ("coverArtRole", false),
    ("commentRole", false),
    ("podcastRole", false),
    ("streamRole", true),
    ("jukeboxRole", false),
    ("shareRole", false),
    ("videoConversionRole", false),
];

/// Handles `getUser`.
pub(crate) async fn user(call: Call) -> Outcome {
    let wanted = call.required("username")?;
    let (name, folders) = read(&call).await?;
    if username_key(wanted) != username_key(&name) {
        return Err(Failure::not_allowed());
    }
    reply("user", node(&name, folders))
}

/// Handles `getUsers`.
pub(crate) async fn users(call: Call) -> Outcome {
    let (name, folders) = read(&call).await?;
    reply(
        "users",
        Node::new().with("user", vec![node(&name, folders)]),
    )
}

/// Handles `tokenInfo`.
pub(crate) async fn token_info(call: Call) -> Outcome {
    let (name, _) = read(&call).await?;
    reply("tokenInfo", Node::new().with("username", name))
}

/// Returns the name and the music folders of the user.
async fn read(call: &Call) -> Result<(String, Vec<i64>), Failure> {
    let (id, visible) = (call.user.id, call.visible);
    let read = move |conn: &Connection| {
        let user = user::get(conn, id)?;
        let libraries = folders::libraries(conn, visible)?;
        let folders = libraries.iter().map(|library| library.id.0).collect();
        Ok(user.map(|user| (user.username, folders)))
    };
    let found = call.app.db.read(read).await?;
    found.ok_or_else(Failure::not_found)
}

fn node(name: &str, folders: Vec<i64>) -> Node {
    let named = Node::new().with("username", name);
    let roles = ROLES.iter();
    let node = roles.fold(named, |node, (role, value)| node.with(role, *value));
    node.with("folder", Value::Integers(folders))
}
