//! The help page of Boxilies: our words, figures drawn by the view.

use super::{Boxilies, rules::META, view::list_stones};
use knotpost_rules::{HelpPage, draw_moves, view::View};

/// The whole page.
pub(super) fn write() -> HelpPage {
    HelpPage::open(&META)
        .section("Introduction", INTRODUCTION)
        .section("The stones", format!("{STONES_BEFORE}\n\n{}\n{STONES_AFTER}", list_stones()))
        .section("The deal", DEAL)
        .section("A turn", TURN)
        .section("Example", describe_example())
        .section("Changing sides", SWAP)
        .section("End of the game", END)
        .section("How to type a move", NOTATION)
        .section("Who is favoured", BALANCE)
        .section("Hints", HINTS)
        .section("Credit", CREDIT)
        .figures(draw_example().into_iter().flatten())
}

const INTRODUCTION: &str = "
Boxilies is a short duel on a board of three by three cells. Two
players, First and Second, place stones with arrows in turn. Where two
stones touch, the arrows on the common side are compared, and a stronger
newcomer takes the other stone over. Whoever owns more stones in the end
wins. First begins.";

const STONES_BEFORE: &str = "
A stone carries one to five arrows, spread over its four sides. There
are 33 different stones. The digit in a name is the number of arrows;
the letter tells stones with equally many apart. Here they are with
their arrows at the top, right, bottom and left side:";

const STONES_AFTER: &str = "
Turning a stone gives no new stone: 3b shows 2100 as it is dealt, 0210
after one quarter turn, 0021 after two and 1002 after three.";

const DEAL: &str = "
Everybody has five stones, and everybody can see both hands. By default
one stone of each number of arrows is drawn, and both players get the
same five. With -deal=own each player has a separate draw, still with
one stone of each number of arrows. With -deal=open ten stones are drawn
out of all 33, so that hands may be strong or weak and may hold a stone
twice. With -hand=... you choose five stones yourselves.";

const TURN: &str = "
Place one stone of your hand on any empty cell, turned as you like. It
is yours. Then look at each stone of your opponent beside it, in the
four directions but not diagonally: if your stone has more arrows on the
side where they touch, that stone becomes yours. Equally many are not
enough. A stone on the far side of a captured one is safe, for captured
stones do not capture others. In your turn your own stones are safe as
well; but the stone you have just placed, like any other, can be
captured by the next one beside it.

You cannot pass.";

fn describe_example() -> String {
    let Some([before, after]) = draw_example() else { return String::new() };
    format!("{EXAMPLE_BEFORE}\n\n{before}\n{EXAMPLE_AFTER}\n\n{after}")
}

const EXAMPLE_BEFORE: &str = "Second is to move on this board and still has stone 3b:";

const EXAMPLE_AFTER: &str = "
Second plays 3b:b2:3, that is 3b on b2 after three quarter turns: one
arrow points up, none to the right or down, two to the left. To the
left two arrows beat the single one of 2c, which is captured. Above,
one arrow meets one arrow: 4j stays with First.";

/// The example's boards before and after the move, without the hands.
fn draw_example() -> Option<[View; 2]> {
    let position = ".,14j0,./12c1,.,21a0/.,.,. 2a,3b,5n|2a,3b,5n 2";
    let mut views = draw_moves::<Boxilies>(Some(position), &["3b:b2:3"])?;
    for view in &mut views {
        view.panels.truncate(1);
    }
    views.try_into().ok()
}

const END: &str = "
The game ends with the ninth stone; First has then placed five, Second
four. Nine stones cannot be shared evenly, so there is always a winner.
Players may also agree on a draw or to take a move back.";

const SWAP: &str = "
With -swap the second player may answer the first stone with the word
swap instead of a stone. Stones and hands stay as they are; the players
change places: who placed that stone is now Second and is to move. So
whoever begins does well to place a stone after which neither side is
sure to win. Without -swap, which is how the game is published, nobody
can change sides.";

const NOTATION: &str = "
Type stone, cell and quarter turns with colons between them: 3b:c2:1 is
stone 3b on c2, turned clockwise once, so that the upper side now faces
right. Columns are a to c from the left, rows 1 to 3 from the bottom.
Without the last part the stone lies as it is drawn in the hand.
Capitals are fine. For example

    boxilies move 101 ann secret 3b:c2:1";

const BALANCE: &str = "
First, who places five stones of nine: two games of three among casual
players, nearly all among players who look far ahead. But not every
first stone is a good one, so -swap makes a single game fair. Or play
two games with the seats exchanged: whoever challenges chooses who is
First by the order of the userids, and -deal=open lets hands differ.";

const HINTS: &str = "
Only the newcomer attacks. A stone that is placed with its weak sides
towards the rim or towards your own stones is hard to take.

First has the last word on the board; Second keeps one stone back and
can leave out the least useful one.

The middle cell touches four others. It is a fine place late, when it
can take several stones, and a risky one early.";

const CREDIT: &str = "
The page on which the rules of Boxilies are published does not name
their author. Names of stones, the notation and the ways to deal were
added here. This page and the program are our own work.";
