//! What mail programs do to a subject is undone.

use knotpost_commands::clean;
use proptest::prelude::*;

#[test]
fn reply_marks_of_many_languages_go() {
    for mark in [
        "Re:",
        "RE:",
        "re :",
        "RE[2]:",
        "Re(3):",
        "Re^4:",
        "Re2:",
        "Aw:",
        "AW :",
        "Antw:",
        "Antwort:",
        "SV:",
        "VS:",
        "Fwd:",
        "FW:",
        "Fw[5]:",
        "WG:",
        "TR:",
        "Tr :",
        "RV:",
        "Odp:",
        "Pd:",
        "Rif:",
        "R:",
        "I:",
        "YNT:",
        "İLT:",
        "Ynt :",
        "VÁ:",
        "Továbbítás:",
        "Vl:",
        "VB:",
        "Doorst:",
        "BLS:",
        "ATB:",
        "Σχετ:",
        "ΑΠ:",
        "ΠΡΘ:",
        "На:",
        "Ответ:",
        "Отв:",
        "答复:",
        "答复：",
        "回复：",
        "回覆:",
        "转发:",
        "轉寄:",
        "返信:",
        "转发：",
        "회신:",
        "전달:",
        "השב:",
        "תגובה:",
        "Réf:",
        "RES:",
        "ENC:",
        "[knotpost]",
        "[knotpost] Re:",
        "Re: [Games] AW: Fwd:",
        "Nag:",
    ] {
        assert_eq!(clean(&format!("{mark} osbox show 101")), "osbox show 101", "{mark}");
    }
}

#[test]
fn words_that_only_look_like_marks_stay() {
    for line in
        ["rematch: x", "boxilies move 101 ann secret1 3b:c2:1", "osbox queue 1 a b if:f9 g4", "re osbox"]
    {
        assert_eq!(clean(line), line);
    }
}

#[test]
fn every_kind_of_blank_is_one_space() {
    let line = "\u{feff} osbox\u{a0}\tshow\u{3000}\r\n 101\u{2003}\u{200b} ";
    assert_eq!(clean(line), "osbox show 101");
}

#[test]
fn lone_comment_marks_go_but_masks_stay() {
    assert_eq!(clean("** Re: Osbox Board 123 fred ** secret f12 **"), "Osbox Board 123 fred secret f12");
    assert_eq!(clean("fred ******** **x"), "fred ******** **x");
}

#[test]
fn typographic_quotes_and_dashes_are_typed_ones() {
    assert_eq!(clean("–size=5 —unrated ‘a’ “b” „c‟ −1"), "-size=5 --unrated 'a' \"b\" \"c\" -1");
    assert_eq!(clean("osbox move 101 fred secret —"), "osbox move 101 fred secret --");
}

#[test]
fn marks_laid_bare_by_other_marks_go_too() {
    assert_eq!(clean("Re:** [a]** Re:Re:help"), "help");
    assert_eq!(clean(&format!("{}help", "Re:** ".repeat(20_000))), "help");
    assert_eq!(clean("Re:**"), "");
    assert_eq!(clean("[x]**bold"), "**bold");
}

proptest! {
    #[test]
    fn cleaning_twice_is_cleaning_once(line in r"(\[?(Re|AW|x|\*\*|答复)[\]:：]{0,2}[ \u{a0}]?){0,6}\PC{0,40}") {
        let once = clean(&line);
        prop_assert_eq!(clean(&once), once.clone());
        prop_assert!(!once.contains("  ") && once.trim() == once);
    }
}

#[test]
fn a_reply_to_a_new_board_is_a_reply_to_that_board() {
    assert_eq!(clean("Re: New Osbox Board 101 ann ** secret f12"), "Osbox Board 101 ann secret f12");
    assert_eq!(clean("new osbox board"), "new osbox board");
    assert_eq!(clean("New friends 101"), "New friends 101");
}
