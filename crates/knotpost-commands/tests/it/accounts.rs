//! Verbs that speak to the server.

use knotpost_commands::{
    Command, ErrorCode, Leaving, Relating, Remarks, Selector, Setting, Vacation, command_lines,
};

use super::{code, fred, read, who, words};

#[test]
fn addresses_follow_userid_and_password() {
    let addresses = words(&["a@x.org", "b@y.org"]);
    let tail = "fred secret <a@x.org>, b@y.org";
    assert_eq!(read(&format!("add {tail}")), Command::Add { who: fred(), addresses: addresses.clone() });
    assert_eq!(
        read(&format!("change address {tail}")),
        Command::ChangeAddress { who: fred(), addresses: addresses.clone() }
    );
    assert_eq!(read(&format!("signoff {tail}")), Command::Signoff { who: fred(), addresses });
    assert_eq!(read("add fred secret"), Command::Add { who: fred(), addresses: Vec::new() });
    assert_eq!(code("add fred secret nowhere"), ErrorCode::BadValue);
    assert_eq!(code("add fred"), ErrorCode::WrongArguments);
}

#[test]
fn a_new_userid_and_a_new_password_are_judged() {
    for line in [
        "signup fred short",
        "signup f chocolate",
        "signup next chocolate",
        "signup 123 chocolate",
        "signup fred ********",
        "signup fred chocolate nowhere",
        "change password fred secret short",
        "change password fred secret ********",
    ] {
        assert_eq!(code(line), ErrorCode::BadValue, "{line}");
    }
    for line in
        ["signup", "signup fred", "change password fred secret", "change password fred a b c", "change"]
    {
        assert_eq!(code(line), ErrorCode::WrongArguments, "{line}");
    }
    let Command::ChangePassword { who, new } = read("chan pass fred x newsecret") else {
        panic!("no change")
    };
    assert_eq!((who.password.as_ref().unwrap().expose(), new.expose()), ("x", "newsecret"));
}

#[test]
fn a_signup_has_no_credentials_to_verify() {
    assert_eq!(read("signup fred secret").credentials(), None);
    assert_eq!(read("delete fred secret").credentials(), Some(&fred()));
}

#[test]
fn plain_account_verbs_take_their_words() {
    let delete = |leaving, remarks| Command::Delete { who: fred(), leaving, remarks };
    assert_eq!(read("delete fred secret"), delete(Leaving::Asked, Remarks::Stay));
    assert_eq!(read("delete fred secret Really"), delete(Leaving::Sure, Remarks::Stay));
    assert_eq!(read("delete fred secret with-remarks"), delete(Leaving::Asked, Remarks::Removed));
    for both in ["delete fred secret really with-remarks", "delete fred secret With-Remarks really"] {
        assert_eq!(read(both), delete(Leaving::Sure, Remarks::Removed));
    }
    assert_eq!(read("export me fred secret"), Command::ExportMe { who: fred() });
    assert_eq!(read("broadcast fred secret"), Command::Broadcast { who: fred() });
    assert_eq!(
        read("message fred secret ann bob"),
        Command::Message { who: fred(), to: words(&["ann", "bob"]) }
    );
    for (word, change) in [
        ("block", Relating::Block),
        ("unblock", Relating::Unblock),
        ("follow", Relating::Follow),
        ("unfollow", Relating::Unfollow),
    ] {
        let relate = |users: &[&str]| Command::Relate { who: fred(), users: words(users), change };
        assert_eq!(read(&format!("{word} fred secret")), relate(&[]));
        assert_eq!(read(&format!("{word} fred secret ann ANN bob")), relate(&["ann", "bob"]));
        assert_eq!(code(&format!("{word} fred secret 7")), ErrorCode::WrongArguments);
        assert_eq!(code(&format!("{word} fred")), ErrorCode::WrongArguments);
    }
    let about = |is_removed| Command::About { who: fred(), is_removed };
    assert_eq!(read("about fred secret"), about(false));
    assert_eq!(read("about fred secret None"), about(true));
    assert_eq!(code("about fred secret nice"), ErrorCode::BadValue);
    let profile =
        |other: Option<&str>| Command::Profile { userid: "ann".to_owned(), other: other.map(str::to_owned) };
    assert_eq!(read("profile ann"), profile(None));
    assert_eq!(read("profile ann bob"), profile(Some("bob")));
    assert_eq!(code("profile"), ErrorCode::WrongArguments);
    assert_eq!(read("players"), Command::Players { begin: None });
    assert_eq!(read("players An"), Command::Players { begin: Some("an".to_owned()) });
    assert_eq!(read("password fred"), Command::PasswordReset { userid: "fred".to_owned() });
    assert_eq!(read("test display"), Command::TestDisplay { userid: None });
    assert_eq!(read("test display fred"), Command::TestDisplay { userid: Some("fred".to_owned()) });
    assert_eq!(read("Multiple"), Command::Multiple);
    assert_eq!(read("help"), Command::Help { subjects: Vec::new() });
    assert_eq!(read("list"), Command::List { games: Vec::new() });
    for line in
        ["delete fred", "delete fred secret now", "message fred secret", "password", "multiple x", "test"]
    {
        assert_eq!(code(line), ErrorCode::WrongArguments, "{line}");
    }
    assert_eq!(code("list chess"), ErrorCode::UnknownGame);
    assert_eq!(code("delete fred secret -force"), ErrorCode::BadOption);
}

#[test]
fn resend_may_name_a_game_and_a_board() {
    let resend =
        |game: Option<&str>, board| Command::Resend { who: fred(), game: game.map(str::to_owned), board };
    assert_eq!(read("resend fred secret"), resend(None, None));
    assert_eq!(read("resend fred secret osbo"), resend(Some("osbo"), None));
    assert_eq!(read("resend fred secret obsi #123"), resend(Some("obsidio"), Some(123)));
    assert_eq!(code("resend fred secret chess"), ErrorCode::UnknownGame);
    assert_eq!(code("resend fred secret osbo x"), ErrorCode::WrongArguments);
}

#[test]
fn vacations_are_days_dates_or_off() {
    let vacation = |until| Command::Vacation { who: fred(), until };
    assert_eq!(read("vacation fred secret"), vacation(Vacation::Show));
    assert_eq!(read("vacation fred secret 14"), vacation(Vacation::Days(14)));
    assert_eq!(read("vacation fred secret OFF"), vacation(Vacation::Off));
    let until = Vacation::Until { year: 2028, month: 2, day: 29 };
    assert_eq!(read("vacation fred secret 2028-02-29"), vacation(until));
    for bad in ["0", "31", "2027-02-29", "2027-13-01", "2027-00-10", "27-01-01", "2027-1-1-1", "soon", "+5"] {
        assert_eq!(code(&format!("vacation fred secret {bad}")), ErrorCode::BadValue, "{bad}");
    }
}

#[test]
fn preferences_are_checked() {
    let set = |game: Option<&str>, values: &[(&'static str, &str)]| Command::Set {
        who: fred(),
        game: game.map(str::to_owned),
        values: values.iter().map(|(name, value)| Setting { name, value: (*value).to_owned() }).collect(),
    };
    assert_eq!(read("set fred secret"), set(None, &[]));
    assert_eq!(
        read("set fred secret MAIL=Text digest=07 timezone=Europe/Vienna"),
        set(None, &[("mail", "text"), ("digest", "7"), ("timezone", "Europe/Vienna")])
    );
    assert_eq!(
        read("set fred secret board=DEFAULT messages=off"),
        set(None, &[("board", "default"), ("messages", "off")])
    );
    assert_eq!(read("osbox set fred secret -moves=mine"), set(Some("osbox"), &[("moves", "mine")]));
    for bad in ["mail=x", "mail", "digest=24", "confirm=maybe", "timezone=a:b", "board="] {
        assert_eq!(code(&format!("set fred secret {bad}")), ErrorCode::BadValue, "{bad}");
    }
    for bad in ["colour=red", "b=on", "=x"] {
        assert_eq!(code(&format!("set fred secret {bad}")), ErrorCode::BadOption, "{bad}");
    }
}

#[test]
fn all_show_and_all_games_need_somebody() {
    assert_eq!(
        read("all show fred next"),
        Command::AllShow { users: words(&["fred"]), selector: Some(Selector::Next) }
    );
    assert_eq!(
        read("all games fred ann"),
        Command::AllGames { users: words(&["fred", "ann"]), selector: None }
    );
    assert_eq!(code("all show next"), ErrorCode::WrongArguments);
    assert_eq!(code("all"), ErrorCode::WrongArguments);
    assert_eq!(code("all games fred standard"), ErrorCode::BadValue);
}

#[test]
fn a_body_of_commands_skips_what_is_none() {
    let body = "osbox show 101\r\n\n# note\n> quoted\n  help  \n-- \nfred\n";
    assert_eq!(command_lines(body).unwrap(), ["osbox show 101", "help"]);
    assert_eq!(command_lines("help\n--\nx").unwrap(), ["help"]);
    assert_eq!(command_lines(&"help\n".repeat(50)).unwrap().len(), 50);
    assert_eq!(command_lines(&"help\n".repeat(51)).unwrap_err().code, ErrorCode::TooLarge);
    let long_signature = format!("help\n-- \n{}", "x\n".repeat(100));
    assert_eq!(command_lines(&long_signature).unwrap(), ["help"]);
}

#[test]
fn a_given_password_is_taken_as_typed() {
    assert_eq!(
        read("delete fred x"),
        Command::Delete { who: who("fred", "x"), leaving: Leaving::Asked, remarks: Remarks::Stay }
    );
}

#[test]
fn a_favourite_stands_before_userid_and_password() {
    for (line, is_favourite) in [
        ("games favourite osbox fred secret", true),
        ("GAMES Favourite OSBOX fred secret off", false),
        ("games favo osbox fred secret", true),
    ] {
        let wanted = Command::Favourite { game: "osbox".to_owned(), who: fred(), is_favourite };
        assert_eq!(read(line), wanted, "{line}");
    }
    for (line, expected) in [
        ("games favourite osbox fred", ErrorCode::WrongArguments),
        ("games favourite fred secret", ErrorCode::WrongArguments),
        ("games favourite chess fred secret", ErrorCode::UnknownGame),
        ("games favourite osbox fred secret maybe", ErrorCode::BadValue),
        ("games favourite osbox fred secret off on", ErrorCode::WrongArguments),
        // Without `favourite` the table of boards was meant.
        ("games", ErrorCode::UnknownCommand),
        ("games osbox", ErrorCode::UnknownCommand),
    ] {
        assert_eq!(code(line), expected, "{line}");
    }
}
