//! Programs in the wild read our mails by patterns: what they look for is found in every mail of a long story.

use std::collections::BTreeMap;

use crate::harness::{Letter, Place, TestApp};

const TITLES: [&str; 4] = ["Osbox", "Osbo", "Obsidio", "Boxilies"];

/// What stands in place of `*` in the pattern, each one word; `None` when the text is not of this form.
fn capture<'a>(pattern: &str, text: &'a str) -> Option<Vec<&'a str>> {
    let mut parts = pattern.split('*');
    let mut rest = text.strip_prefix(parts.next()?)?;
    let mut found = Vec::new();
    for part in parts {
        let end = if part.is_empty() { rest.len() } else { rest.find(part)? };
        let (word, after) = rest.split_at(end);
        if word.is_empty() || word.contains(' ') {
            return None;
        }
        found.push(word);
        rest = after.strip_prefix(part)?;
    }
    rest.is_empty().then_some(found)
}

/// Forms of Subjects of mails about boards, and whether somebody is to move after them.
const SUBJECTS: [(&str, bool); 6] = [
    ("New * Board * *", true),
    ("* Board * * **", true),
    ("* Board * *", true),
    ("* Board * **", false),
    ("* Board *", false),
    ("* chat * *", true),
];

/// `**` is a mark in Subjects, not two words to be captured.
fn form_of(subject: &str) -> Option<(usize, Vec<&str>, bool)> {
    let (plain, marked) = subject.strip_suffix(" **").map_or((subject, false), |plain| (plain, true));
    let (index, words) =
        [0, 2, 4, 5].into_iter().find_map(|index| Some((index, capture(SUBJECTS[index].0, plain)?)))?;
    Some((if marked { index - 1 } else { index }, words, marked))
}

/// What a client that plays along reads out of a board mail.
fn read_board_mail(letter: &Letter) -> Result<usize, String> {
    let (form, words, marked) = form_of(&letter.subject).ok_or("its Subject has no known form")?;
    let (title, number) = (words[0], words[1]);
    if !TITLES.contains(&title) || number.parse::<u32>().is_err() {
        return Err("its Subject names no board".to_owned());
    }
    let lines: Vec<&str> = letter.text.lines().collect();
    // What was said comes first in the mail of a chat, and the board below it.
    let is_row = |line: &&str| line.len() == 60 && line.bytes().all(|byte| byte == b'*');
    let top = match form {
        5 => lines.iter().position(is_row).map_or(0, |row| row + 2),
        _ => 0,
    };
    let head = capture("* of * Board *", lines[top]).ok_or("the first line is no heading")?;
    if head[1..] != [title, number] {
        return Err("heading and Subject name different boards".to_owned());
    }
    let turns: Vec<&str> =
        lines.iter().filter_map(|line| Some(capture("It is *'s turn.", line)?[0])).collect();
    let ends = lines
        .iter()
        .filter(|line| line.starts_with("Game won by ") || line.starts_with("The game was a tie."));
    match (turns.as_slice(), ends.count()) {
        ([mover], 0) if form == 5 || words.get(2) == Some(mover) => {}
        ([], 1) if form == 5 || words.len() == 2 => {}
        _ => return Err(format!("turn {turns:?} and Subject do not agree")),
    }
    let stars = lines.iter().copied().filter(|line| is_row(line)).count();
    let says = lines.iter().filter(|line| capture("* writes:", line).is_some()).count();
    if (marked || form == 5) && (says != 1 || stars == 0) {
        return Err("a comment is announced and not there".to_owned());
    }
    Ok(form)
}

async fn tell_story(app: &TestApp) -> Vec<Letter> {
    let story = [
        ("ann", "osbox challenge -size=2 ann bob", "Hello"),
        ("ann", "osbo challenge -size=3 ann bob cyd", ""),
        ("ann", "obsidio challenge -size=5 ann bob", ""),
        ("ann", "boxilies challenge ann bob", ""),
        ("cyd", "osbox subscribe 101 cyd cyd-secret", ""),
        ("cyd", "obsidio notify cyd cyd-secret", ""),
        ("ann", "osbox move 101 ann ann-secret f1", "It is not bob's turn.\n****\nGame over?"),
        ("bob", "osbox chat 101 bob bob-secret", "Really"),
        ("bob", "osbox move 101 bob bob-secret o7", ""),
        ("ann", "obsidio move 101 ann ann-secret c3", "take it"),
        ("bob", "obsidio swap 101 bob bob-secret", ""),
        ("ann", "obsidio resign 101 ann ann-secret", "bye"),
        ("ann", "osbox chat 101 ann ann-secret", "now"),
        ("ann", "osbox move 101 ann ann-secret o2", ""),
        ("bob", "osbox move 101 bob bob-secret o8", "last"),
        ("eve", "osbox preview 101#2 f2", ""),
        ("eve", "osbox show 101#1", ""),
        ("eve", "osbox show 101", ""),
        ("eve", "boxilies show 101", ""),
    ];
    let mut letters = Vec::new();
    for (name, line, body) in story {
        app.clock.advance(60_000);
        app.mail(&format!("{name}@{name}.example"), line, body).await;
        letters.extend(app.letters());
    }
    letters
}

#[tokio::test]
async fn every_board_mail_can_be_read_by_patterns() {
    let app = TestApp::with_players(Place::Sqlite, &["ann", "bob", "cyd"]).await;
    let letters = tell_story(&app).await;
    let (mut seen, mut wrong) = (BTreeMap::new(), Vec::new());
    for letter in &letters {
        if letter.subject.contains("summary") {
            continue;
        }
        match read_board_mail(letter) {
            Ok(form) => *seen.entry(form).or_insert(0) += 1,
            Err(reason) => wrong.push(format!("{reason}:\n{letter}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (index, (form, _)) in SUBJECTS.iter().enumerate() {
        assert!(seen.contains_key(&index), "no mail of the form {form}: {seen:?}");
    }
}

#[tokio::test]
async fn the_table_of_games_can_be_read_by_columns() {
    let app = TestApp::with_players(Place::Sqlite, &["ann", "bob", "cyd"]).await;
    tell_story(&app).await;
    app.mail("ann@ann.example", "osbox challenge -size=3 bob ann", "").await;
    app.letters();
    app.mail("eve@eve.example", "osbox games ann all", "").await;
    let letter = app.letters().remove(0);
    assert_eq!(letter.subject, "List of Osbox games");
    let lines: Vec<&str> = letter.text.lines().collect();
    let head = lines.iter().position(|line| line.starts_with("Board Move Horz")).unwrap();
    let widths: Vec<usize> = lines[head + 1].split(' ').map(str::len).collect();
    let mut rows = Vec::new();
    for line in lines[head + 2..].iter().take_while(|line| !line.is_empty()) {
        let (mut cells, mut rest) = (Vec::new(), *line);
        for width in &widths {
            let (cell, after) = rest.split_at((*width).min(rest.len()));
            cells.push(cell.trim());
            rest = after.strip_prefix(' ').unwrap_or(after);
        }
        assert_eq!(rest, "", "{line}");
        rows.push(cells);
    }
    assert_eq!(widths[..4], [5, 4, 10, 10]);
    assert_eq!(rows.iter().map(|row| row[0]).collect::<Vec<_>>(), ["101", "102"]);
    assert_eq!(rows[1], ["102", "0", "bob", "ann", "bob's turn"]);
}

#[test]
fn patterns_are_read_word_by_word() {
    assert_eq!(capture("It is *'s turn.", "It is ann's turn."), Some(vec!["ann"]));
    assert_eq!(capture("It is *'s turn.", "It is not bob's turn."), None);
    assert_eq!(form_of("Osbox Board 101 ann **").map(|form| form.0), Some(1));
    assert_eq!(form_of("Osbox Board 101 **").map(|form| form.0), Some(3));
    assert_eq!(form_of("Osbox Board 101").map(|form| form.0), Some(4));
    assert_eq!(form_of("New Osbox Board 101 ann").map(|form| form.0), Some(0));
    assert_eq!(form_of("Osbox chat 101 ann").map(|form| form.0), Some(5));
    assert_eq!(form_of("Osbox Standings"), None);
}
