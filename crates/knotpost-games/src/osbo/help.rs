//! The help page of Osbo: our words, figures drawn by the view.

use super::{Osbo, rules::META};
use knotpost_rules::{
    HelpPage, draw_moves,
    view::{View, draw_faces},
};

/// The whole page.
pub(super) fn write() -> HelpPage {
    HelpPage::open(&META)
        .section("Introduction", INTRODUCTION)
        .section("The dice", describe_dice())
        .section("A turn", TURN)
        .section("What fits", FITS)
        .section("As many as possible", QUOTA)
        .section("End of the game", END)
        .section("How to type a move", NOTATION)
        .section("Example", describe_example())
        .section("Fair dice", FAIRNESS)
        .section("More players", PLAYERS)
        .section("Who is favoured", BALANCE)
        .section("Hints", HINTS)
        .section("History and credit", CREDIT)
        .figures(draw_example().into_iter().flatten())
}

const INTRODUCTION: &str = "
Every player owns a design: a growing patch of knot dice. All designs
begin with a single crossing. In each turn dice are rolled, and the
player whose turn it is lays them wherever they fit, on any designs.
In the end the design with the longest closed string wins for its
owner, so you help your own string to grow and cut the others short.";

fn describe_dice() -> String {
    format!("{DICE_BEFORE}\n\n{}\n{DICE_AFTER}", draw_faces())
}

const DICE_BEFORE: &str = "
A die has six faces: a tip, a straight, a branch, a crossing, and two
corners. These are all the ways they can lie, with their letters. Tips
are a to d, straights e and f, corners g to j, branches k to n, and the
crossing is o:";

const DICE_AFTER: &str = "
At an open side two strings leave the face. Where two dice are open to
each other the four string ends meet and cross.";

const TURN: &str = "
The server rolls as many dice as the board has seats, and everybody
sees them. Lay them one after the other. You choose for each die how to
turn it, on which design it goes, and on which cell. A die may lean on
one that you have laid just before.";

const FITS: &str = "
The cell must be empty, and at least one die next to it must be open
towards it. At every side where a die lies next to the cell, both must
be open or both must be closed.

A design must fit a window of 5 x 5 cells (or what -size says). The
cells its open sides point to count as if dice lay there already, for
some day they will. The window is not fixed: it lies wherever it can
hold all of that.";

const QUOTA: &str = "
You must lay as many of the dice as can be laid, and among the ways to
do that you must choose one that reaches as many different designs as
possible. The board mail tells both numbers. A die that fits nowhere is
lost, and if no die fits anywhere the turn is passed for you.";

const END: &str = "
The game ends when no design has an open side left. Then the closed
strings of each design are measured: the length of a string is the
number of crossings it passes, a crossing passed twice counting twice.
The longest string decides. Between equals the second longest decides,
and so on; a string more beats none. Complete equality is a tie.

The window limits the length: no string is longer than 42 on 4 x 4, 72
on 5 x 5 and 110 on 6 x 6.

With -auto_tips, a cell that could never take anything but a tip gets
its tip at the end of the turn, without a die.";

const NOTATION: &str = "
For each die type the letter of the face, the number of the design and
the cell, and join the dice with commas: k2e4,a1e6 lays a branch on
design 2 at e4 and then a tip on design 1 at e6. Capitals and a colon
after the face (K:2e4) are fine as well.

Columns are letters from the left, rows are numbers from the bottom.
The first die lies in the middle, at e5 for -size=5, and cells never
change their names. Dice of the last turn have a star at their corner.";

fn describe_example() -> String {
    let Some([before, after]) = draw_example() else { return String::new() };
    format!("{EXAMPLE_BEFORE}\n\n{before}\n{EXAMPLE_AFTER}\n\n{after}")
}

const EXAMPLE_BEFORE: &str = "
Two designs at their start. The roll is a corner and a tip, and First
is to move:";

const EXAMPLE_AFTER: &str = "
First moves g1f5,c2e4. The corner continues the string of design 1 to
the right of its first die, and turns it down. The tip closes design 2
below. Both dice could be laid, and on two designs, so both had to be.";

/// The example's boards before and after the move.
fn draw_example() -> Option<[View; 2]> {
    let views = draw_moves::<Osbo>(Some("e5:o;e5:o ct 1"), &["g1f5,c2e4"])?;
    views.try_into().ok()
}

const FAIRNESS: &str = "
All rolls of a board come from a secret number that is chosen before
the first turn. The first mail contains a fingerprint of that number,
and the last one the number itself, so that everybody can check that no
roll was changed on the way. Undo brings the same roll back, and no
preview shows a roll before its time.";

const PLAYERS: &str = "
Two to four can play. A player who resigns is skipped from then on; the
design stays on the board, may still be played on, and may even win,
but loses a tie against those who stayed. The number of dice stays the
same. If only one of three or four players is left, that player may go
on to the end, or resign to end the game as it stands. With two players
resigning loses.";

const BALANCE: &str = "
No seat by much: of two programs that take what they can get, the first
wins 11 games of 20. On 3 x 3 every third turn is a pass; the larger
the window, the more there is to choose.";

const HINTS: &str = "
A string grows with every die it can run through, and a tip turns it
back. Lay your tips and awkward corners on the others, and your
branches and crossings at home, where the window has room for them.

The rule of many designs often forces you to give something away:
choose what does the least harm.

One long string beats many short ones, however many. Watch where two
strings of a design could be joined to one, or a single one split.";

const CREDIT: &str = "
Osbo and the knot dice were made by Cameron Browne in 2008. The option
-auto_tips is our addition; this page and the program are our own work.";
