//! The tables of the standings.

use minijinja::{Value, context};

use super::table::table;
use knotpost_core::replies::{Column, PoolLine, SeekLine, StandingLine, StandingsTable};

/// The context of the standings template.
pub(super) fn standings_context(
    title: &str,
    game: &str,
    tables: &[StandingsTable],
    seeks: &[SeekLine],
    more_seeks: bool,
) -> Value {
    let shown = tables.iter().filter(|block| !block.lines.is_empty());
    let blocks: Vec<Value> = shown
        .map(|block| {
            context! { name => block.name.clone(), table => players_table(&block.lines), more => block.more }
        })
        .collect();
    context! {
        title,
        game_name => game,
        blocks,
        seeks => (!seeks.is_empty()).then(|| seeks_table(seeks)),
        more_seeks,
    }
}

fn players_table(lines: &[StandingLine]) -> String {
    let ties = lines.iter().any(|line| line.tied > 0);
    let mut columns = vec![
        Column::of_numbers("Rank", 4),
        Column::of_words("Name", 8),
        Column::of_numbers("Rating", 6),
        Column::of_numbers("Won", 4),
        Column::of_numbers("Lost", 4),
    ];
    columns.extend(ties.then(|| Column::of_numbers("Ties", 4)));
    columns.extend([
        Column::of_numbers("Active/Limit", 12),
        Column::of_numbers("Seeking", 7),
        Column::of_numbers("Glicko-2", 8),
    ]);
    let rows: Vec<Vec<String>> = lines.iter().map(|line| row(line, ties)).collect();
    table(&columns, &rows)
}

fn row(line: &StandingLine, ties: bool) -> Vec<String> {
    let limit = match line.limit {
        _ if !line.accepts => "no".to_owned(),
        Some(limit) => limit.to_string(),
        None => "-".to_owned(),
    };
    let mut row = vec![
        line.rank.to_string(),
        if line.is_bot { format!("{} (bot)", line.userid) } else { line.userid.clone() },
        line.rating.to_string(),
        line.won.to_string(),
        line.lost.to_string(),
    ];
    row.extend(ties.then(|| line.tied.to_string()));
    let seeking = if line.seeking == 0 { "-".to_owned() } else { line.seeking.to_string() };
    row.extend([format!("{}/{limit}", line.active), seeking, format!("{}/{}", line.glicko, line.deviation)]);
    row
}

/// Players of running tournaments, headed as on older servers.
pub(super) fn pools_table(lines: &[PoolLine]) -> String {
    let columns = [
        Column::of_words("Pool", 4),
        Column::of_words("Name", 8),
        Column::of_numbers("W", 2),
        Column::of_numbers("L", 2),
        Column::of_numbers("T", 2),
    ];
    let row = |line: &PoolLine| {
        let numbers = [line.won, line.lost, line.tied].map(|number| number.to_string());
        [line.pool.clone(), line.userid.clone()].into_iter().chain(numbers).collect()
    };
    table(&columns, &lines.iter().map(row).collect::<Vec<Vec<String>>>())
}

fn seeks_table(seeks: &[SeekLine]) -> String {
    let columns =
        [Column::of_words("Name", 8), Column::of_numbers("Boards", 6), Column::of_words("Options", 10)];
    let rows: Vec<Vec<String>> = seeks
        .iter()
        .map(|seek| vec![seek.userid.clone(), seek.wanted.to_string(), seek.terms.clone()])
        .collect();
    let resting = seeks.iter().filter_map(|seek| seek.rests.as_deref());
    let told: String = resting.flat_map(|why| ["\nThis search rests: ", why]).collect();
    format!("{}{told}", table(&columns, &rows))
}
