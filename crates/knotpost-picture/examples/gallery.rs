//! Writes pictures of many boards into a folder, for inspection: `cargo run --example gallery -- FOLDER`.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use knotpost_picture::{Faces, MAIL_WIDTH, PictureOptions, Theme, png, shown_width, svg};
use knotpost_rules::{Cast, GivenOption, Seed, Turn, View, Viewer};
use std::{fs, path::Path};

/// Name, game, options, players, position, moves; `*` stands for any legal move.
type Case = (&'static str, &'static str, &'static str, usize, &'static str, &'static str);

const CASES: &[Case] = &[
    ("osbox-start", "osbox", "", 2, "", ""),
    ("osbox-before", "osbox", "", 2, "..a./be../..nb/..c. 1 0-0", ""),
    ("osbox-after", "osbox", "", 2, "..a./be../..nb/..c. 1 0-0", "d2"),
    ("osbox-faces", "osbox", "", 4, "abcd/efgh/ijkl/mno. 3 3-14-0-7", "o8"),
    ("osbox-plait", "osbox", "-size=5 -no_capture", 2, "jkkkg/noool/noool/noool/immm. 1 0-0", "h10"),
    ("osbox-many", "osbox", "-size=5 -no_capture", 2, "jgada/ihjgc/jkgeb/nolc./imhdb 2 12-30", "a15"),
    (
        "osbox-wide",
        "osbox",
        "-size=12 -no_capture",
        3,
        "jkgjkkgadaad/nolnoolcjgcc/imhimmh.ihaa/jgjgjgdfbece/nhihnldfbecc/l.....dbdbdb/nfgdb...jkg./ejhjg.ad\
         nol./ihdmhdhbimh./jgadb.jg..../nlcjgdhih.../imfmh..a.a.c 2 120-7-33",
        "*",
    ),
    ("osbo-start", "osbo", "", 2, "", ""),
    ("osbo-mid", "osbo", "", 2, "e6:e/o/e/m;d6:jkg/nol/.e. bt 1", "* * *"),
    ("osbo-four", "osbo", "-size=4", 4, "c4:jg/nl/ih;d4:o;c4:jkg/imh;d5:a/o cstx 1", ""),
    ("osbo-eight", "osbo", "-size=8", 2, "e9:jkkkkg/noooon/nooo../noool./.ooooo/.immmh;h8:o bx 1", ""),
    ("obsidio-start", "obsidio", "-size=5", 2, "", ""),
    ("obsidio-mid", "obsidio", "", 2, "", "c3 c7 c5"),
    (
        "obsidio-late",
        "obsidio",
        "-size=11",
        2,
        ".xx..x.ox.x/.O.*.OxO.*./o.x.o.o..x./.*.OxOoO.O./.......o.o./.OxXxOx*.*./xoo.o.xxx.o/o*oX.*.OoO./..........x/x*.XxXx*.X./..xx....x.. 1 f5",
        "",
    ),
    ("boxilies-start", "boxilies", "", 2, "", ""),
    ("boxilies-mid", "boxilies", "", 2, ".,14j0,./12c1,.,21a0/.,.,. 2a,3b,5n|2a,3b,5n,5a 2", "3b:b2:3"),
    ("boxilies-end", "boxilies", "", 2, "15a0,14j0,25e1/12c1,23b3,21a0/13d2,24c0,15n0 -|2a 2", ""),
];

fn view(case: &Case) -> View {
    let (_, game, options, players, position, moves) = *case;
    let registry = knotpost_games::registry();
    let game = registry.find(game).expect("a game");
    let given: Vec<_> = options.split_whitespace().filter_map(GivenOption::from_word).collect();
    let options = game.parse_options(&given, players).expect("options");
    let mut board = if position.is_empty() {
        game.setup(&options, players, &Seed::default())
    } else {
        game.parse_position(&options, players, &Seed::default(), position).expect("a position")
    };
    for word in moves.split_whitespace() {
        let example = board.example_move().unwrap_or_default();
        let mv = if word == "*" { &example } else { word };
        if let Err(error) = board.play(Turn::Move(mv)) {
            println!("{}: {error:?}", case.0);
        }
    }
    let view = board.view(Viewer::Spectator);
    let players = ["ann", "bob", "carol", "bartholomew"].map(str::to_owned).to_vec();
    let cast = Cast { players, ..view.cast.clone() };
    view.with_cast(cast)
}

fn main() {
    let folder = std::env::args().nth(1).expect("a folder");
    for case in CASES {
        let view = view(case);
        for theme in [Theme::Light, Theme::Dark] {
            let options = PictureOptions { theme, ..PictureOptions::default() };
            let file = |kind: &str| Path::new(&folder).join(format!("{}-{theme}.{kind}", case.0));
            let bytes = png(&view, &options).expect("pixels");
            println!(
                "{} {theme}: {} bytes of PNG, {} of SVG",
                case.0,
                bytes.len(),
                svg(&view, &options).len()
            );
            fs::write(file("png"), bytes).expect("a file");
            fs::write(file("svg"), svg(&view, &options)).expect("a file");
            let mail = PictureOptions { width_px: MAIL_WIDTH, faces: Faces::Explained, ..options };
            let bytes = png(&view, &mail).expect("pixels");
            println!("  in a mail: {} bytes, shown {} pixels wide", bytes.len(), shown_width(&view));
            fs::write(file("mail.png"), bytes).expect("a file");
        }
    }
}
