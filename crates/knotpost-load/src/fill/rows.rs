//! Every table of a planned server, row by row in the order of its key.

use std::collections::BTreeMap;
use std::io::Write;

use super::plan::{NOW, Plan, Planned, Ratings};
use super::sheet::{Cell, Header, Sheet};

/// `fill-secret` under Argon2id with the server's parameters. One hash for all: a hundred thousand of their own would
/// take an hour.
const HASH: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$tYxhO0dzFKGwdnnLxoldyA$TWLZTA83eDcqOvjs1ET5l7RYPlfsHPquHF78WT2ENuM";
/// How long after the export the clock checks running boards, in milliseconds.
const DUE_IN: i64 = 30 * 24 * 3_600_000;
/// The units per rating point in which the server adds ratings up.
const UNIT: f64 = (1_u64 << 30) as f64;

/// The number of rows of each table, and totals over all boards.
struct Totals {
    rows: BTreeMap<&'static str, u64>,
    numbers: BTreeMap<&'static str, i64>,
    ratings: Ratings,
}

/// Writes the file and returns its number of lines.
pub(super) fn write(plan: &Plan, header: Header, out: &mut dyn Write) -> anyhow::Result<u64> {
    let totals = count(plan, &header)?;
    let (names, key) = (header.names(), header.key());
    let mut sheet = Sheet::begin(header, out, |table| totals.rows.get(table).copied().unwrap_or(0))?;
    for name in names {
        match name.as_str() {
            "server_facts" => write_key(&mut sheet, key.as_deref())?,
            "users" => write_users(&mut sheet, plan)?,
            "addresses" => write_addresses(&mut sheet, plan)?,
            "board_numbers" => write_numbers(&mut sheet, &totals)?,
            "boards" => write_boards(&mut sheet, plan)?,
            "seats" => write_seats(&mut sheet, plan)?,
            "moves" => write_moves(&mut sheet, plan)?,
            "remarks" => write_remarks(&mut sheet, plan)?,
            "ratings" => write_ratings(&mut sheet, &totals)?,
            "rating_changes" => write_changes(&mut sheet, plan)?,
            "rating_orders" => write_orders(&mut sheet, &totals)?,
            _ => {}
        }
    }
    sheet.end()
}

fn count(plan: &Plan, header: &Header) -> anyhow::Result<Totals> {
    let (mut moves, mut remarks, mut changes, mut ratings) = (0, 0, 0, Ratings::default());
    let numbers = plan.each_board(|board| {
        moves += board.sample.turns.len() as u64;
        remarks += u64::from(board.is_talkative);
        changes += ratings.end(board).len() as u64;
        Ok(())
    })?;
    let rows = BTreeMap::from([
        ("server_facts", u64::from(header.key().is_some())),
        ("users", plan.size.users),
        ("addresses", plan.size.users),
        ("board_numbers", numbers.len() as u64),
        ("boards", plan.size.boards),
        ("seats", 2 * plan.size.boards),
        ("moves", moves),
        ("remarks", remarks),
        ("ratings", ratings.standings.len() as u64),
        ("rating_changes", changes),
        ("rating_orders", ratings.places.len() as u64),
    ]);
    Ok(Totals { rows, numbers, ratings })
}

fn text(value: &str) -> Cell<'_> {
    Cell::Text(value)
}

fn int(value: i64) -> Cell<'static> {
    Cell::Int(value)
}

fn flag(value: bool) -> Cell<'static> {
    Cell::Flag(value)
}

fn real(value: f64) -> Cell<'static> {
    Cell::Real(value)
}

fn write_key(sheet: &mut Sheet<'_>, key: Option<&str>) -> anyhow::Result<()> {
    sheet.table("server_facts", &["name", "value"])?;
    key.map_or(Ok(()), |key| sheet.row(&[text("key"), text(key)]))
}

fn write_users(sheet: &mut Sheet<'_>, plan: &Plan) -> anyhow::Result<()> {
    sheet.table("users", &["id", "userid", "userid_key", "password_hash", "role", "state", "created_at"])?;
    for id in 1..=plan.size.users as i64 {
        let name = format!("u{id}");
        let (role, state) = (text("player"), text("active"));
        sheet.row(&[int(id), text(&name), text(&name), text(HASH), role, state, int(NOW - id)])?;
    }
    Ok(())
}

fn write_addresses(sheet: &mut Sheet<'_>, plan: &Plan) -> anyhow::Result<()> {
    let columns = ["id", "user_id", "address", "address_key", "verified_at", "leaving", "created_at"];
    sheet.table("addresses", &columns)?;
    for id in 1..=plan.size.users as i64 {
        let at = format!("u{id}@example.org");
        let (address, key, time) = (text(&at), text(&at), int(NOW - id));
        sheet.row(&[int(id), int(id), address, key, time.clone(), flag(false), time])?;
    }
    Ok(())
}

fn write_numbers(sheet: &mut Sheet<'_>, totals: &Totals) -> anyhow::Result<()> {
    sheet.table("board_numbers", &["game", "next"])?;
    for (game, next) in &totals.numbers {
        sheet.row(&[text(game), int(*next)])?;
    }
    Ok(())
}

fn write_boards(sheet: &mut Sheet<'_>, plan: &Plan) -> anyhow::Result<()> {
    let columns = [
        "id",
        "game",
        "number",
        "options",
        "rules_version",
        "seed",
        "state",
        "rated",
        "ply",
        "position",
        "scores",
        "winners",
        "reason",
        "started_at",
        "last_move_at",
        "ended_at",
        "due_at",
    ];
    sheet.table("boards", &columns)?;
    plan.each_board(|board| {
        let Planned { sample, .. } = board;
        let over = sample.result.as_ref();
        sheet.row(&[
            int(board.id),
            text(sample.game),
            int(board.number),
            text(&sample.options),
            int(sample.rules),
            Cell::Bytes(&sample.seed.0),
            text(if over.is_some() { "over" } else { "active" }),
            flag(true),
            int(sample.turns.len() as i64),
            text(&sample.position),
            text(&sample.scores),
            over.map_or(Cell::Null, |(winners, _)| Cell::Text(winners)),
            over.map_or(Cell::Null, |(_, reason)| Cell::Text(reason)),
            int(board.started),
            if sample.turns.is_empty() { Cell::Null } else { Cell::Int(board.last()) },
            over.map_or(Cell::Null, |_| Cell::Int(board.last())),
            if over.is_some() { Cell::Null } else { Cell::Int(NOW + DUE_IN) },
        ])
    })?;
    Ok(())
}

fn write_seats(sheet: &mut Sheet<'_>, plan: &Plan) -> anyhow::Result<()> {
    sheet.table("seats", &["board_id", "seat", "user_id", "state", "to_move", "resign_pending"])?;
    plan.each_board(|board| {
        for (seat, user) in (1..).zip(board.players) {
            let to_move = flag(board.sample.next == Some(seat));
            sheet.row(&[int(board.id), int(seat), int(user), text("playing"), to_move, flag(false)])?;
        }
        Ok(())
    })?;
    Ok(())
}

fn write_moves(sheet: &mut Sheet<'_>, plan: &Plan) -> anyhow::Result<()> {
    sheet.table("moves", &["board_id", "number", "seat", "kind", "text", "auto", "at"])?;
    plan.each_board(|board| {
        for (number, made) in (1..).zip(&board.sample.turns) {
            let (seat, kind, words) = (int(made.seat), text(made.kind), text(&made.text));
            sheet.row(&[
                int(board.id),
                int(number),
                seat,
                kind,
                words,
                flag(made.auto),
                int(board.at(number)),
            ])?;
        }
        Ok(())
    })?;
    Ok(())
}

fn write_remarks(sheet: &mut Sheet<'_>, plan: &Plan) -> anyhow::Result<()> {
    sheet.table("remarks", &["id", "board_id", "ply", "user_id", "kind", "text", "at"])?;
    let mut id = 0;
    plan.each_board(|board| {
        if !board.is_talkative {
            return Ok(());
        }
        id += 1;
        let said = format!("Good luck on board {}!", board.number);
        let (user, kind) = (board.players.first().copied().map_or(Cell::Null, Cell::Int), text("comment"));
        sheet.row(&[int(id), int(board.id), int(0), user, kind, text(&said), int(board.started)])
    })?;
    Ok(())
}

fn write_ratings(sheet: &mut Sheet<'_>, totals: &Totals) -> anyhow::Result<()> {
    let columns = [
        "user_id",
        "game",
        "rating",
        "value_sum",
        "games",
        "won",
        "lost",
        "tied",
        "glicko",
        "deviation",
        "volatility",
        "active",
        "ended_at",
    ];
    sheet.table("ratings", &columns)?;
    for ((user, game), standing) in &totals.ratings.standings {
        let games = standing.games();
        sheet.row(&[
            int(*user),
            text(game),
            real(standing.rating),
            real(standing.rating * games as f64),
            int(games),
            int(standing.won),
            int(standing.lost),
            int(standing.tied),
            real(1500.0 + (standing.rating - 1600.0)),
            real(350.0 / (games as f64 + 1.0).sqrt()),
            real(0.06),
            flag(standing.is_active()),
            int(standing.ended),
        ])?;
    }
    Ok(())
}

fn write_changes(sheet: &mut Sheet<'_>, plan: &Plan) -> anyhow::Result<()> {
    sheet.table(
        "rating_changes",
        &["board_id", "user_id", "game", "place", "before", "after", "active", "at"],
    )?;
    let mut ratings = Ratings::default();
    plan.each_board(|board| {
        for change in ratings.end(board) {
            let (before, after) = (real(change.before), real(change.after));
            let (game, place, at) = (text(board.sample.game), int(change.place), int(board.last()));
            sheet.row(&[int(board.id), int(change.user), game, place, before, after, flag(true), at])?;
        }
        Ok(())
    })?;
    Ok(())
}

fn write_orders(sheet: &mut Sheet<'_>, totals: &Totals) -> anyhow::Result<()> {
    sheet.table("rating_orders", &["game", "next", "players", "sum"])?;
    for (game, next) in &totals.ratings.places {
        let of_game = totals.ratings.standings.iter().filter(|((_, other), _)| other == game);
        let established: Vec<f64> = of_game
            .filter(|(_, standing)| standing.is_established() && standing.is_active())
            .map(|(_, standing)| standing.rating)
            .collect();
        let sum: f64 = established.iter().map(|rating| rating * UNIT).sum();
        sheet.row(&[text(game), int(*next), int(established.len() as i64), int(sum as i64)])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::plan::Size;
    use super::*;

    /// The columns that this module fills, and one that it does not know.
    const HEADER: &str = r#"{"format":"knotpost-server","version":1,"program":"0","schema":1,"key":"ab","rules":{},"tables":[
        {"name":"server_facts","columns":["name","value"],"rows":1},
        {"name":"users","columns":["id","userid","userid_key","password_hash","role","state","created_at","later"],"rows":0},
        {"name":"addresses","columns":["id","user_id","address","address_key","verified_at","leaving","created_at"],"rows":0},
        {"name":"board_numbers","columns":["game","next"],"rows":0},
        {"name":"boards","columns":["id","game","number","options","rules_version","seed","state","rated","ply","position","scores","winners","reason","started_at","last_move_at","ended_at","due_at"],"rows":0},
        {"name":"seats","columns":["board_id","seat","user_id","state","to_move","resign_pending"],"rows":0},
        {"name":"moves","columns":["board_id","number","seat","kind","text","auto","at"],"rows":0},
        {"name":"remarks","columns":["id","board_id","ply","user_id","kind","text","at"],"rows":0},
        {"name":"ratings","columns":["user_id","game","rating","value_sum","games","won","lost","tied","glicko","deviation","volatility","active","ended_at"],"rows":0},
        {"name":"rating_changes","columns":["board_id","user_id","game","place","before","after","active","at"],"rows":0},
        {"name":"rating_orders","columns":["game","next","players","sum"],"rows":0}]}"#;

    fn file(seed: u64) -> String {
        let header = Header::read(&HEADER.replace('\n', "")).expect("a header");
        let plan = Plan::new(Size { users: 20, boards: 200, seed }).expect("a plan");
        let mut out = Vec::new();
        let lines = write(&plan, header, &mut out).expect("a file");
        let text = String::from_utf8(out).expect("UTF-8");
        assert_eq!(text.lines().count() as u64, lines + 1);
        text
    }

    #[test]
    fn the_same_seed_makes_the_same_server() {
        assert_eq!(file(7), file(7));
        assert_ne!(file(7), file(8));
    }

    #[test]
    fn the_header_announces_the_rows_that_follow() {
        let text = file(7);
        let header: serde_json::Value =
            serde_json::from_str(text.lines().next().expect("a line")).expect("JSON");
        let tables = header["tables"].as_array().expect("tables");
        let rows: u64 = tables.iter().filter_map(|table| table["rows"].as_u64()).sum();
        assert_eq!(rows + 2, text.lines().count() as u64);
        assert_eq!((&tables[1]["rows"], &tables[4]["rows"]), (&20.into(), &200.into()));
        let user = text.lines().nth(2).expect("a user");
        assert!(
            user.starts_with("[1,\"u1\",") && user.ends_with(",null]"),
            "an unknown column is empty: {user}"
        );
    }
}
