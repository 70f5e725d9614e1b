//! What the last move earned and took, as the view tells it.

use knotpost_rules::{
    AnyGame, GivenOption, Position, Scores, Seed, Turn, Viewer,
    view::{Fate, Piece, View},
};

fn after(line: &str, position: &str, moves: &str) -> View {
    let registry = knotpost_games::registry();
    let (name, options) = line.split_once(' ').unwrap_or((line, ""));
    let game = registry.find(name).unwrap();
    let given: Vec<_> = options.split_whitespace().filter_map(GivenOption::from_word).collect();
    let options = game.parse_options(&given, 2).unwrap();
    let mut board = game.parse_position(&options, 2, &Seed::default(), position).unwrap();
    for mv in moves.split_whitespace() {
        board.play(Turn::Move(mv)).unwrap();
    }
    board.view(Viewer::Spectator)
}

fn told(view: &View) -> Option<String> {
    view.news.as_ref().map(ToString::to_string)
}

#[test]
fn a_closed_knot_is_told_with_its_length_and_its_points() {
    let view = after("osbox", "..a./be../..nb/..c. 1 0-0", "d2");
    let news = view.news.clone().unwrap();
    assert!(news.gain > 0 && told(&view).unwrap().ends_with(&format!(": +{}.", news.gain)), "{news}");
    assert!(news.to_string().starts_with("Horz closes a knot of "), "{news}");
    assert_eq!(told(&after("osbox", "..../..../..../.... 1 0-0", "a1")), None);
}

#[test]
fn news_agree_with_scores_in_whole_games() {
    for game in knotpost_games::registry_of(&["osbox", "osbo", "obsidio", "boxilies"]).iter() {
        let mut found = 0;
        for round in 0..6 {
            found += play_and_compare(game, round);
        }
        assert!(found > 0, "{}: nothing was ever told", game.meta().name);
    }
}

/// Plays a game and counts the moves that are told of.
fn play_and_compare(game: &dyn AnyGame, round: usize) -> usize {
    let options = game.parse_options(&[], 2).unwrap();
    let mut board = game.setup(&options, 2, &Seed::default());
    let mut found = 0;
    for turn in 0..80 {
        let before = board.clone_box();
        let moves = board.legal_moves();
        let gains = |word: &&String| {
            let mut copy = board.clone_box();
            copy.play(Turn::Move(word)).is_ok_and(|played| played.gain > 0)
        };
        let chosen = moves.iter().find(gains);
        let Some(word) = chosen.or_else(|| moves.get((turn * 37 + round * 11 + 5) % moves.len().max(1)))
        else {
            if board.play(Turn::Pass).is_err() {
                break;
            }
            continue;
        };
        let played = board.play(Turn::Move(word)).unwrap();
        let view = board.view(Viewer::Spectator);
        let news = view.news.as_ref();
        found += usize::from(news.is_some());
        let what = format!("{} {word}: {news:?}", before.position());
        match game.meta().name {
            "boxilies" => assert_eq!(captured(&view), taken(before.as_ref(), board.as_ref()), "{what}"),
            "osbo" => assert_eq!(news.is_some(), has_new_path(before.as_ref(), board.as_ref()), "{what}"),
            _ => assert_eq!(news.map_or(0, |news| news.gain), played.gain, "{what}"),
        }
    }
    found
}

fn captured(view: &View) -> u32 {
    let cells = view.panels[0].cells.iter();
    let marked = cells.filter(|cell| matches!(cell, Piece::Stone { fate: Fate::Captured, .. })).count();
    assert_eq!(marked > 0, view.news.is_some());
    assert_eq!(marked, view.to_string().matches('!').count());
    marked as u32
}

/// What the mover has more than the stone that was placed.
fn taken(before: &dyn Position, after: &dyn Position) -> u32 {
    let seat = before.next_seat().index();
    let stones = |board: &dyn Position| match board.scores() {
        Scores::Points(points) => points[seat],
        _ => 0,
    };
    stones(after) - stones(before) - 1
}

fn has_new_path(before: &dyn Position, after: &dyn Position) -> bool {
    let (Scores::Paths(old), Scores::Paths(new)) = (before.scores(), after.scores()) else { return false };
    old.iter().zip(new).any(|(old, new)| {
        let mut known = old.clone();
        new.iter().any(|length| match known.iter().position(|other| other == length) {
            Some(at) => {
                known.swap_remove(at);
                false
            }
            None => true,
        })
    })
}
