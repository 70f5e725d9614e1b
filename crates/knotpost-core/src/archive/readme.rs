//! The first file of the archive: what the others are.

use crate::config::Config;
use knotpost_platform::clock::Clock;
use std::fmt::Write as _;

use knotpost_storage::{Table, UserRow};

pub(super) fn readme(clock: &dyn Clock, config: &Config, user: &UserRow) -> String {
    let server = &config.server;
    let mut text = format!(
        "What {} holds about {}\n\nMade {} by {}, knotpost {}.\n\n\
         Each .json file is a list of objects, in UTF-8; an empty list says that nothing is held.\n\
         Times are in UTC.\n\n",
        server.name,
        user.userid,
        clock.now().to_rfc3339(),
        server.public_url,
        env!("CARGO_PKG_VERSION"),
    );
    for (_, personal) in Table::personal() {
        let _ = writeln!(text, "{}.json\n    {}", personal.file, personal.about);
    }
    text.push_str(
        "boards/GAME-NUMBER.txt\n    the record of each board, with the words said with moves; of a game that is being\n    \
         played it holds what everybody may see\n\n\
         Not in here: hashes of passwords, keys and links, which nobody can read back; secrets of webhooks;\n\
         messages that are stored encrypted while they wait; what was said with a challenge, which is stored\n\
         without its author; and what other players said and did apart from the records. Passwords in mails,\n\
         and links and reply addresses that would act, are masked.\n",
    );
    text
}
