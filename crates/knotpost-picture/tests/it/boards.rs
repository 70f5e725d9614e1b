//! Views for the tests.

use knotpost_rules::{GivenOption, Seed, Turn, View, Viewer};

/// The view of a board after these moves from a position, or from the start if that is empty.
pub(crate) fn view(line: &str, players: usize, position: &str, moves: &str) -> View {
    let registry = knotpost_games::registry();
    let (name, options) = line.split_once(' ').unwrap_or((line, ""));
    let game = registry.find(name).unwrap();
    let given: Vec<_> = options.split_whitespace().filter_map(GivenOption::from_word).collect();
    let options = game.parse_options(&given, players).unwrap();
    let seed = Seed::default();
    let mut board = match position {
        "" => game.setup(&options, players, &seed),
        _ => game.parse_position(&options, players, &seed, position).unwrap(),
    };
    for mv in moves.split_whitespace() {
        board.play(Turn::Move(mv)).unwrap();
    }
    board.view(Viewer::Spectator)
}

/// A board of 5 x 5 dice with seven closed paths.
pub(crate) fn knots() -> View {
    view("osbox -size=5 -no_capture", 2, "jgada/ihjgc/jkgeb/nolc./imhdb 2 12-30", "a15")
}

/// The published capture, with a thin knot that stays.
pub(crate) fn capture() -> View {
    view("osbox", 2, "..a./be../..nb/..c. 1 0-0", "d2")
}

/// Boards of every game: starts, middles and ends, small and large.
pub(crate) fn many() -> Vec<(&'static str, View)> {
    let wide = "jkgjkkgadaad/nolnoolcjgcc/imhimmh.ihaa/jgjgjgdfbece/nhihnldfbecc/l.....dbdbdb/nfgdb...jkg./ejhjg.ad\
                nol./ihdmhdhbimh./jgadb.jg..../nlcjgdhih.../imfmh..a.a.c 2 120-7-33";
    let late = ".xx..x.ox.x/.O.*.OxO.*./o.x.o.o..x./.*.OxOoO.O./.......o.o./.OxXxOx*.*./xoo.o.xx\
                x.o/o*oX.*.OoO./..........x/x*.XxXx*.X./..xx....x.. 1 f5";
    vec![
        ("osbox start", view("osbox", 2, "", "")),
        ("osbox capture", capture()),
        ("osbox knots", knots()),
        ("osbox largest", view("osbox -size=12 -no_capture", 3, wide, "")),
        ("osbo start", view("osbo", 2, "", "")),
        ("osbo of four", view("osbo -size=4", 4, "c4:jg/nl/ih;d4:o;c4:jkg/imh;d5:a/o cstx 1", "")),
        ("osbo over", view("osbo -size=3", 2, "b3:jg/ih;b3:jg/nl/ih - 1", "")),
        ("obsidio start", view("obsidio -size=5", 2, "", "")),
        ("obsidio middle", view("obsidio", 2, "", "c3 c7 c5")),
        ("obsidio late", view("obsidio -size=11", 2, late, "")),
        ("boxilies start", view("boxilies", 2, "", "")),
        (
            "boxilies middle",
            view("boxilies", 2, ".,14j0,./12c1,.,21a0/.,.,. 2a,3b,5n|2a,3b,5n,5a 2", "3b:b2:3"),
        ),
        ("boxilies over", view("boxilies", 2, "15a0,14j0,25e1/12c1,23b3,21a0/13d2,24c0,15n0 -|2a 2", "")),
    ]
}
