//! The help page of Osbox: our words, figures drawn by the view.

use super::{Osbox, rules::META};
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
        .section("Knots and points", KNOTS)
        .section("Example", describe_example())
        .section("End of the game", END)
        .section("How to type a move", NOTATION)
        .section("Variants and more players", VARIANTS)
        .section("Who is favoured", BALANCE)
        .section("Hints", HINTS)
        .section("History and credit", CREDIT)
        .figures(draw_example().into_iter().flatten())
}

const INTRODUCTION: &str = "
Osbox is played with dice whose faces show pieces of string. Players
take turns pushing dice into a square box. Whoever makes strings join
into a closed knot scores, and the dice of that knot leave the box.

Horz pushes from the left and the right, Vert from the top and the
bottom. Horz moves first.";

fn describe_dice() -> String {
    format!("{DICE_BEFORE}\n\n{}\n{DICE_AFTER}", draw_faces())
}

const DICE_BEFORE: &str = "
A face is open on one to four of its sides. At an open side two strings
leave the face; at a closed side nothing does. These are all the ways a
die can lie, with their letters:";

const DICE_AFTER: &str = "
There are as many dice as anybody needs, and you may choose any face.
If two neighbours are both open where they touch, the four string ends
meet there and the strings cross. If just one of them is open, its
strings hang loose.";

const TURN: &str = "
The numbers around the box are its entries. Choose a face and an entry
on one of your sides. Your die takes the first cell behind that entry.
If a die lies there, it moves one cell further, and so do the dice it
touches in turn, up to the first empty cell; dice behind that gap stay
where they are. There must be an empty cell somewhere in the line.

You cannot pass.";

const KNOTS: &str = "
After the push every closed string that runs through a die you placed
or moved is looked at. It counts as a thick knot when its cells spread
over more than one row and more than one column. Each thick knot is
worth the number of crossings it passes; a crossing passed twice counts
twice. All of that goes to you, and then all dice of these knots are
taken out at once.

A knot that lies in a single row or column is thin. It scores nothing
and stays, and it may still become part of something larger.";

fn describe_example() -> String {
    let Some([before, after]) = draw_example() else { return String::new() };
    format!("{EXAMPLE_BEFORE}\n\n{before}\n{EXAMPLE_AFTER}\n\n{after}")
}

const EXAMPLE_BEFORE: &str = "Horz is to move on this board:";

const EXAMPLE_AFTER: &str = "
Horz pushes face d in at entry 2. In the second line the two dice b and
e move one cell to the right, and the new d joins b. The e that arrived
in the third column closes a thick knot with the dice above and below
it: eight crossings, eight points, five dice taken (shown as dots). The
pair d and b is closed too, but thin: it stays and scores nothing.";

/// The example's boards before and after the move.
fn draw_example() -> Option<[View; 2]> {
    let views = draw_moves::<Osbox>(Some("..a./be../..nb/..c. 1 0-0"), &["d2"])?;
    views.try_into().ok()
}

const END: &str = "
The game ends when a move leaves the box full, after any dice were
taken. The highest score wins; equal highest scores are a tie. Players
may also agree on a draw or to take a move back.";

const NOTATION: &str = "
Type the letter of the face and the number of the entry, without a
blank: f12 pushes the straight f in at entry 12. Capitals and a colon
(F:12) are fine as well. For example

    osbox move 101 ann secret f12";

const VARIANTS: &str = "
With three or four players everybody owns one side: left, top, right
and bottom in the order of the challenge. With three players the bottom
belongs to nobody: its entries are shut, unless -any_side opens them. A
player who resigns is skipped from then on and cannot win.

With -any_side the entries of all four sides are open to everybody.
With -no_capture knots stay and score again whenever a push moves one of
their dice. With -thin_knots thin knots score and leave like thick ones.
With -score=dice a move earns as many points as there are different dice
on its knots.";

const BALANCE: &str = "
On the usual 4 x 4 neither side is, and most games of beginners end 0-0,
as hardly ever a thick knot is within reach: between two players who
push at random or take what they see it is three games of four. Choose
-size=6 for a game with more knots, or -thin_knots, which leaves few
games without points.

Among players who look ahead whoever begins is favoured: on 6 x 6 Horz
won all of 200 games between two computer players that look ahead like
level 4 and never slip. Play two games with the seats exchanged.";

const HINTS: &str = "
Look at loose ends. A knot that needs just one more die goes to whoever
can push that die into place first, and often your opponent's lines
reach it and yours do not.

A push moves a whole run of dice. It can break a threat, or carry a
distant die to where it is needed.

Thin knots block lines and can be swallowed by a thick knot later. Near
the end, count the empty cells: somebody has to fill the last one.";

const CREDIT: &str = "
Osbox and its knot dice were made by Cameron Browne in 2008. The play
for three or four players, the dice count and the pushes from any side
follow suggestions of the author. This page and the program are our own
work.";
