//! Subjects that leave out parts of a command: all of it, or the userid.

use crate::clean::{clean, is_blank, is_state};
use crate::verbs::Command;
use crate::vocabulary::Vocabulary;

/// True if a Subject leaves the command to the text below it: it is empty, or a game's name alone.
pub fn says_nothing(subject: &str, vocabulary: &Vocabulary) -> bool {
    let cleaned = clean(subject);
    is_blank(subject) || vocabulary.game(cleaned.trim_end_matches(['.', '!', ':', ','])).is_some()
}

/// True for a move read from a Subject such as `Osbox Board 101 Error PASSWORD o1`, to which password and
/// move were added. The word in place of the userid is the server's, unless a user has that name.
pub fn takes_state_for_userid(command: &Command) -> bool {
    matches!(command, Command::Move { who, .. } if is_state(&who.userid))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_subject_says_nothing_in_any_language() {
        let vocabulary = Vocabulary::default();
        for subject in [
            "",
            "  ",
            "Re:",
            "AW: Re:",
            "(no subject)",
            "Re: (kein Betreff)",
            "<sans objet>",
            "[x]",
            "無題",
            "**",
        ] {
            assert!(says_nothing(subject, &vocabulary), "{subject}");
        }
        for subject in ["hello", "help", "my move", "no"] {
            assert!(!says_nothing(subject, &vocabulary), "{subject}");
        }
    }

    #[test]
    fn the_state_of_a_board_in_a_subject_gives_way_to_a_userid() {
        for (subject, line) in [
            ("Re: Osbox Board 101 Error ann secret o1", "Osbox Board 101 ann secret o1"),
            ("Osbox Board 101 Queue ann secret o1 more", "Osbox Board 101 ann secret o1 more"),
            ("Osbox Board 101 Error Error ann secret o1", "Osbox Board 101 ann secret o1"),
            ("Osbox Board 101 Error secret o1", "Osbox Board 101 Error secret o1"),
            ("Osbox Board 101 Error", "Osbox Board 101 Error"),
            ("osbox chat 101 error ann secret o1", "osbox chat 101 error ann secret o1"),
        ] {
            assert_eq!(clean(subject), line);
            assert_eq!(clean(line), line);
        }
    }
}
