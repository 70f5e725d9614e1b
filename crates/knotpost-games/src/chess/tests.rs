//! Perft, spellings, endings.

use super::*;
use knotpost_rules::{Game, Seed};

crate::tests::game_tests!(super::Chess, "chess");

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Positions of the Chess Programming Wiki with their numbers of move paths of 1, 2, 3 … moves.
const PERFT: [(&str, &[u64]); 6] = [
    (START, &[20, 400, 8_902, 197_281, 4_865_609]),
    (
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        &[48, 2_039, 97_862, 4_085_603, 193_690_690],
    ),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", &[14, 191, 2_812, 43_238, 674_624]),
    (
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        &[6, 264, 9_467, 422_333, 15_833_292],
    ),
    (
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        &[44, 1_486, 62_379, 2_103_487, 89_941_194],
    ),
    (
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        &[46, 2_079, 89_890, 3_894_594, 164_075_551],
    ),
];

fn game(position: &str) -> Chess {
    Chess::parse_position(&GameOptions::defaults(META.options), 2, &Seed::default(), position)
        .unwrap_or_else(|error| panic!("{position}: {error}"))
}

fn play(position: &str, moves: &str) -> Result<Chess, String> {
    let mut game = game(position);
    for word in moves.split_whitespace() {
        let mv = game.read(word).map_err(|error| error.to_string())?;
        game.play(&mv).map_err(|error| error.to_string())?;
    }
    Ok(game)
}

fn end(position: &str, moves: &str) -> Option<&'static str> {
    play(position, moves).unwrap().board.two.end.map(|end| end.reason)
}

fn count_paths(table: &Table, side: Seat, depth: usize) -> u64 {
    let moves = table.legal(side);
    if depth == 1 {
        return moves.len() as u64;
    }
    let after = moves.into_iter().map(|ply| {
        let mut after = *table;
        after.make(ply, side);
        count_paths(&after, other(side), depth - 1)
    });
    after.sum()
}

/// Paths of a count, at most; `./test --all` asks for more, and all of them take minutes.
fn read_most() -> u64 {
    #[expect(clippy::disallowed_methods, reason = "the runner asks for more by environment")]
    std::env::var("KNOTPOST_TEST_PATHS").map_or(50_000, |number| number.parse().unwrap())
}

#[test]
fn paths_are_as_many_as_published() {
    let most = read_most();
    for (position, expected) in PERFT {
        let game = game(position);
        for (depth, paths) in (1..).zip(expected).filter(|(_, paths)| **paths <= most) {
            let found = count_paths(&game.rules.table, game.board.two.next, depth);
            assert_eq!(found, *paths, "{depth} moves from {position}");
        }
    }
}

#[test]
fn refusals_name_the_rule() {
    let promotion = "8/4P1k1/8/8/8/8/8/4K3 w - - 0 1";
    let pinned = "4r1k1/8/8/8/8/8/4N3/4K3 w - - 0 1";
    let cases = [
        (START, "e2-e5", "the pawn on e2 cannot go to e5"),
        (START, "Nf6", "the knight on b1 cannot go to f6"),
        (START, "e7-e5", "there is no man of yours on e7"),
        (START, "O-O", "you cannot castle on this side now"),
        (START, "e2-e4=q", "only a pawn that reaches the last row becomes another man"),
        (promotion, "e7-e8", "say what the pawn becomes: e7-e8=q, e7-e8=r, e7-e8=b or e7-e8=n"),
        (promotion, "e8", "say what the pawn becomes: e7-e8=q, e7-e8=r, e7-e8=b or e7-e8=n"),
        (pinned, "Nc3", "after e2-c3 your king would be in check"),
        ("4r1k1/8/8/8/8/8/8/N3K3 w - - 0 1", "Nc2", "after a1-c2 your king would still be in check"),
        (
            "8/8/6k1/8/8/2N5/8/2N1K3 w - - 0 1",
            "Ne2",
            "`Ne2` is not a move: a move is from square to square, such as e2-e4, or Nf3, with the file or row of the piece where two can go there",
        ),
    ];
    for (position, mv, refusal) in cases {
        assert_eq!(play(position, mv).map(|game| game.to_string()), Err(refusal.to_owned()), "{mv}");
    }
}

#[test]
fn moves_are_read_in_every_spelling() {
    let castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let bishop = "8/8/8/7k/8/8/1P6/1B2K1B1 w - - 0 1";
    let two = "8/8/6k1/8/8/2N5/8/2N1K3 w - - 0 1";
    let promotion = "3r4/4P1k1/8/8/8/8/8/4K3 w - - 0 1";
    let cases = [
        (START, "e4 e2-e4 e2e4 E2E4 e2-e4! e4?!", "e2-e4"),
        (START, "Nf3 nf3 Ng1f3 Ng1-f3 g1f3 N1f3 Ngf3", "g1-f3"),
        (castling, "O-O 0-0 o-o e1g1 e1-g1 O-O+", "e1-g1"),
        (castling, "O-O-O 0-0-0 e1c1", "e1-c1"),
        (castling, "Rxa8+ Raxa8 a1xa8 a1a8", "a1-a8"),
        (bishop, "b2-b4 b4 b2b4", "b2-b4"),
        (bishop, "Bd4 bd4 Bg1d4", "g1-d4"),
        (bishop, "Bc2 bc2 B1c2", "b1-c2"),
        (two, "N3e2 Nc3e2 c3e2", "c3-e2"),
        (promotion, "e8=Q e8Q e7e8q e7-e8=q e7-e8q", "e7-e8=q"),
        (promotion, "exd8=N e7xd8=n e7d8n exd8N+", "e7-d8=n"),
    ];
    for (position, spellings, canonical) in cases {
        let game = game(position);
        for spelling in spellings.split_whitespace() {
            let read = game.read(spelling).unwrap_or_else(|error| panic!("{spelling}: {error}"));
            assert_eq!(read.to_string(), canonical, "{spelling}");
            assert!(Chess::is_move(spelling), "{spelling}");
        }
    }
    for word in ["hello", "bad", "e9", "i4", "Nf9", "O", "x", "e", "4", "N", "=q", "\u{e9}4", "Nf3 e5"] {
        assert!(!Chess::is_move(word), "{word}");
    }
}

#[test]
fn moves_are_listed_as_in_books() {
    let queens = "8/8/k7/8/4Q2Q/2K5/8/7Q w - - 0 1";
    let castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let promotion = "3r4/4P1k1/8/8/8/8/8/4K3 w - - 0 1";
    let cases = [
        (START, "e2-e4", "e4"),
        (START, "g1-f3", "Nf3"),
        (queens, "e4-e1", "Qee1"),
        (queens, "h1-e1", "Q1e1"),
        (queens, "h4-e1", "Qh4e1"),
        (castling, "e1-g1", "O-O"),
        (castling, "e1-c1", "O-O-O"),
        (castling, "a1-a8", "Rxa8+"),
        (promotion, "e7-e8=q", "e8=Q"),
        (promotion, "e7-d8=n", "exd8=N"),
        ("6k1/5ppp/8/8/8/8/8/K6R w - - 0 1", "h1-h7", "Rxh7"),
        ("6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1", "e1-e8", "Re8#"),
    ];
    for (position, mv, listed) in cases {
        assert_eq!(game(position).list(&mv.parse().unwrap()), listed);
    }
}

#[test]
fn games_end_as_the_laws_say() {
    assert_eq!(end(START, "f3 e5 g4 Qh4#"), Some("checkmate"));
    assert_eq!(end("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", "Qf7"), Some("stalemate"));
    assert_eq!(end(START, "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1"), None);
    assert_eq!(end(START, "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8"), Some("repetition"));
    assert_eq!(end("4k3/8/8/8/8/8/8/R3K3 w Q - 98 80", "Ra2"), None);
    assert_eq!(end("4k3/8/8/8/8/8/8/R3K3 w Q - 99 80", "Ra2"), Some("fifty"));
    assert_eq!(end("7k/8/5KQ1/8/8/8/8/8 w - - 99 80", "Qg7#"), Some("checkmate"), "mate counts first");
    assert_eq!(end("4k3/8/8/8/8/8/3p4/4K3 w - - 0 1", "Kxd2"), Some("material"));
    assert_eq!(end("4k3/8/8/8/8/8/3p4/3NK3 w - - 0 1", "Kxd2"), Some("material"));
    assert_eq!(end("4k1b1/8/8/8/8/8/3p4/3BK3 w - - 0 1", "Kxd2"), Some("material"), "bishops of one colour");
    assert_eq!(end("4kb2/8/8/8/8/8/3p4/3BK3 w - - 0 1", "Kxd2"), None);
    assert_eq!(end("4k3/8/8/8/8/8/3p4/2NNK3 w - - 0 1", "Kxd2"), None, "two knights");
}

#[test]
fn the_passed_square_is_written_where_a_pawn_stands_ready() {
    let after = |moves| play(START, moves).unwrap().to_string();
    assert_eq!(after("e4"), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    assert_eq!(after("e4 a6 e5 d5"), "rnbqkbnr/1pp1pppp/p7/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3");
    assert_eq!(after("e4 a6 e5 d5 exd6"), "rnbqkbnr/1pp1pppp/p2P4/8/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 3");
    let other = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1";
    assert_eq!(game(other).to_string(), other, "as other programs write it");
}

#[test]
fn positions_that_cannot_be_played_on_are_refused() {
    let cases = [
        ("8/8/8/8/8/8/8/K7 w - - 0 1", "each side has one king"),
        ("k6P/8/8/8/8/8/8/K7 w - - 0 1", "no pawn stands in the first or the last row"),
        ("k7/8/8/8/8/8/8/K7 w K - 0 1", "castling needs king and rook where they begin"),
        ("k7/8/8/8/8/8/8/K7 w - e6 0 1", "no pawn has just passed the square of the fourth part"),
        ("k7/8/8/8/8/8/8/KR6 b - - 0 0", "moves are numbered from 1"),
        ("kR6/8/8/8/8/8/8/K7 w - - 0 1", "the side that is not to move stands in check"),
        ("k7/44/8/8/8/8/8/K7 w - - 0 1", "this is not how the position is written"),
        ("k7/8/8/8/8/8/8/K7 x - - 0 1", "the seat to move is w or b"),
        ("k7/8/8/8/8/8/8/K8 w - - 0 1", "row 8 from the top has 9 cells instead of 8"),
    ];
    for (position, refusal) in cases {
        let read = Chess::parse_position(&GameOptions::defaults(META.options), 2, &Seed::default(), position);
        assert_eq!(
            read.map(|game| game.to_string()).map_err(|error| error.to_string()),
            Err(refusal.to_owned())
        );
    }
}
