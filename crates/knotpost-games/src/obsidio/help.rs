//! The help page of Obsidio: our words, figures drawn by the view.

use super::{Obsidio, rules::META};
use knotpost_rules::{HelpPage, draw_moves, view::View};

/// The whole page.
pub(super) fn write() -> HelpPage {
    HelpPage::open(&META)
        .section("Introduction", INTRODUCTION)
        .section("The board", describe_board())
        .section("A turn", TURN)
        .section("Sight", describe_sight())
        .section("Claims", CLAIMS)
        .section("Swap and pass", SWAP)
        .section("End of the game", END)
        .section("How to type a move", NOTATION)
        .section("Who is favoured", BALANCE)
        .section("Hints", HINTS)
        .section("History and credit", CREDIT)
        .figures([&[][..], SIGHT].into_iter().filter_map(draw_board))
}

const INTRODUCTION: &str = "
In Obsidio two players lay siege to the same strongholds. Each puts
influence tokens around them, and whoever has four around one may claim
it. Where a turn may start is decided by the turn before: the first
token must be in sight of the token that was placed last.

X moves first, O second. Both have as many tokens as they need.";

fn describe_board() -> String {
    let board = draw_board(&[]).map_or_else(String::new, |board| board.to_string());
    format!("{BOARD_BEFORE}\n\n{board}\n{BOARD_AFTER}")
}

const BOARD_BEFORE: &str = "
Columns have letters from the left, rows numbers from the bottom. This
is the board at the start:";

const BOARD_AFTER: &str = "
The stars are the targets. Each of them has eight neighbours: four dark
cells (.) at its corners and four light cells (,) at its sides. A token
on a dark cell inside the board counts for four targets at once, one on
a light cell for two.";

const TURN: &str = "
Do one of three things:

- place one token on an empty dark cell;
- place two tokens on empty light cells, one after the other;
- claim targets, one or more.

The two light tokens may not be neighbours, not even by the corner, and
the second one must be in sight of the first. If the first one sees no
such cell, it remains the only token of the turn; otherwise the second
one is not optional.";

/// The moves of the board that shows sight.
const SIGHT: &[&str] = &["e5", "e6,e8"];

fn describe_sight() -> String {
    let board = draw_board(SIGHT).map_or_else(String::new, |board| board.to_string());
    format!("{SIGHT_BEFORE}\n\n{board}\n{SIGHT_AFTER}")
}

const SIGHT_BEFORE: &str = "
A token sees along its row, its column and both diagonals. It sees the
empty cells up to the first thing in the way: a token of either colour
or a target, claimed or not.

The first token you place must stand on a cell that is seen from the
last token on the board. That token may be anybody's; after a pair it
is the second one, after claims it is the target claimed last. If the
last token sees no empty cell at all, and at the very start, you may
begin anywhere. Claims need no sight.

The board marks the last token with arrows at all four sides, and the
cells it sees with +. Here X began on e5, and O answered e6,e8:";

const SIGHT_AFTER: &str = "
X may now place one token on one of the marked dark cells, or start a
pair on one of the marked light ones.";

const CLAIMS: &str = "
You may claim a target that nobody owns if at least four of its eight
neighbours hold tokens of yours. One turn can claim several; you decide
in which order, and you may leave some for later. A claimed target is
yours for good. Tokens stay where they are.";

const SWAP: &str = "
To make the first move fair, O may answer it with the word swap instead
of a move. The players then change places, the tokens stay as they are,
and whoever made the first move goes on as O.

If you can neither place a token nor claim a target, the server passes
for you. The last token remains the last one. You cannot pass of your
own will.";

const END: &str = "
Whoever owns more than half of the targets wins at once: 3 of 4, 5 of
9, 9 of 16 or 13 of 25. If all targets are claimed and both own as
many, the player who claimed last wins. There are no ties.

Players may agree to take a move back, but not on a draw.";

const NOTATION: &str = "
Type the squares in the order in which you play them, with commas and
without blanks:

    c3          one token on the dark cell c3
    c2,e4       two tokens on light cells, c2 first
    b2          claim b2
    b2,d4,f6    claim three targets; the next turn looks from f6

For example

    obsidio move 101 ann secret c2,e4";

const BALANCE: &str = "
Without the swap, whoever begins: three games of four on 5 x 5, three of
five on 9 x 9, about half on 11 x 11. So begin with a move that you
would not mind having played against you, and swap when you are given
one that is too good.";

const HINTS: &str = "
Your last token is the place where your opponent must start. Before
you look at what a token does for you, look at what it sees.

A claim moves the origin, too. It can be worth waiting with one until
it leads your opponent into a corner.

Once five of a target's neighbours belong to one player, the other one
can never claim it.";

const CREDIT: &str = "
Obsidio was made by Phil Leduc in 2025, who asks everybody who programs
the game or sells it to get in touch first. The board of 5 x 5 is our
addition; this page and the program are our own work.";

/// The board of usual size after these moves.
fn draw_board(moves: &[&str]) -> Option<View> {
    draw_moves::<Obsidio>(None, moves)?.pop()
}
