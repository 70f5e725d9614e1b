//! Help that fits its reader, and that leaves nothing out.

use super::tell;

tell! {
    examples_are_such_that_they_work_for_the_reader,
    everything_there_is_has_its_help,
    every_page_of_help_that_a_text_names_is_there,
    a_verb_alone_is_answered_with_its_syntax_and_a_working_example,
}

mod stories {
    use std::collections::BTreeSet;

    use knotpost_commands::{ExampleContext, Scope, Verb, parse};
    use knotpost_core::boards::Code;
    use knotpost_core::commands::{TOPICS, execute, help_page};
    use knotpost_core::identity::Origin;
    use knotpost_core::replies::Reply;
    use knotpost_core::requests::Request;

    use crate::harness::{Letter, Place, TestApp, show_all};

    /// The line below `Example:`, or behind it.
    fn example(letter: &Letter) -> String {
        let mut lines = letter.text.lines().skip_while(|line| !line.starts_with("Example:"));
        let line = lines.next().unwrap_or_else(|| panic!("no example in {}", letter.text));
        let after = line.trim_start_matches("Example:").trim();
        if after.is_empty() { lines.next().unwrap().trim().to_owned() } else { after.to_owned() }
    }

    pub(super) async fn examples_are_such_that_they_work_for_the_reader(place: Place) {
        let app = TestApp::with_players(place, &["fred", "gina"]).await;
        app.post("osbox challenge -size=3 gina fred", "").await;
        app.post("obsidio challenge -size=5 fred gina", "").await;
        app.work().await;
        app.letters();
        let asked = [
            ("help move", "obsidio move 101 fred PASSWORD a1"),
            ("help osbox move", "osbox move 101 fred PASSWORD o1"),
            ("help challenge", "obsidio challenge fred gina"),
            ("help change password", "change password fred PASSWORD NEWPASSWORD"),
            ("obsidio move 101 fred fred-secret", "obsidio move 101 fred PASSWORD a1"),
            ("osbox move", "osbox move 101 fred PASSWORD o1"),
            ("obsidio showas fred", "obsidio showas fred PASSWORD 101"),
            ("limit", ""),
        ];
        for (subject, expected) in asked {
            app.mail("fred@fred.example", subject, "").await;
            let letters = app.letters();
            let letter = letters.last().unwrap();
            if expected.is_empty() {
                assert!(
                    letter.text.contains("nothing was changed")
                        || letter.text.contains("Nothing was changed")
                );
            } else {
                assert_eq!(example(letter), expected, "{subject}\n{}", letter.text);
            }
        }
        // What is said to work does.
        let line = "obsidio move 101 fred fred-secret a1";
        assert_eq!(app.post(line, "").await.outcome(), "200 ok");
        app.work().await;
        app.letters();
        // Of a stranger nothing is known, of an address with two users neither.
        app.post("signup hugo hugo-secret fred@fred.example", "").await;
        app.work().await;
        app.confirm().await;
        app.letters();
        for sender in ["someone@elsewhere.example", "fred@fred.example"] {
            app.mail(sender, "help move", "").await;
            assert_eq!(example(app.letters().last().unwrap()), "osbox move 101 ann PASSWORD f12");
        }
        app.mail("gina@gina.example", "help", "").await;
        app.mail("gina@gina.example", "help showas records errors", "").await;
        app.mail("gina@gina.example", "osbox queue 101 gina", "").await;
        insta::assert_snapshot!("help_pages", show_all(&app.letters()));
    }

    pub(super) async fn a_verb_alone_is_answered_with_its_syntax_and_a_working_example(place: Place) {
        let app = TestApp::with_players(place, &["fred", "gina"]).await;
        app.post("osbox challenge -size=3 fred gina", "").await;
        let mut told = 0;
        for verb in Verb::all() {
            let spec = verb.spec();
            let front = if spec.scope == Scope::Game { "osbox " } else { "" };
            let line = format!("{front}{}", spec.name());
            // Not by mail: answers to errors are counted there.
            let origin = Origin::mail(Some("fred@fred.example".parse().unwrap()), None, false);
            let request = Request::of_line(line.as_str(), "", origin, &app.app.vocabulary);
            let answer = execute(&app.app, request).await.unwrap();
            let Some(failure) = answer.failure.filter(|failure| failure.code == Code::WrongArguments) else {
                continue;
            };
            let Reply::Error(error) = &answer.reply else { panic!("{line}: {failure:?}") };
            let Some(example) = error.hints.iter().find_map(|hint| hint.strip_prefix("Example: ")) else {
                assert_eq!(*verb, Verb::Multiple, "{line}: {:?}", error.hints);
                continue;
            };
            for form in spec.syntax {
                let form = format!("Syntax: {}", form.replace("<game>", "osbox"));
                assert!(error.hints.contains(&form), "{line}: {form} is missing in {:?}", error.hints);
            }
            let command =
                parse(example, &app.app.vocabulary).unwrap_or_else(|error| panic!("{example}: {error}"));
            assert_eq!(command.verb(), *verb, "{example}");
            assert_eq!(example.contains("fred"), spec.template.contains("{userid}"), "{example}");
            told += 1;
        }
        assert!(told > 25, "{told}");
    }

    /// Words that stand in mails and are looked for under that word; most are no command.
    const EXPLAINED: &[&str] = &[
        "propose",
        "undo",
        "draw",
        "draws",
        "pass",
        "passing",
        "offer",
        "nag",
        "forfeit",
        "reminder",
        "limits",
        "nagtime",
        "rating",
        "glicko",
        "unrated",
        "size",
        "option",
        "timezone",
        "digest",
        "narrow",
        "wide",
        "preference",
        "subject",
        "comment",
        "record",
        "error",
        "rule",
        "game",
        "swap",
        "resign",
        "queue",
        "chat",
    ];

    fn page(app: &TestApp, subject: &str) -> Option<String> {
        match help_page(&app.app, subject, &ExampleContext::default()) {
            Some(Reply::Help { text, .. }) => Some(text),
            _ => None,
        }
    }

    /// The subjects of `help` in texts for players, and in the sources of this program.
    fn named_pages(folder: &std::path::Path, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("a file").path();
            if path.is_dir() {
                named_pages(&path, found);
            } else if path
                .extension()
                .is_some_and(|ending| ["rs", "md", "txt", "html"].iter().any(|one| ending == *one))
            {
                let text = std::fs::read_to_string(&path).expect("a text");
                for rest in text.split("`help ").skip(1) {
                    let Some((subject, _)) = rest.split_once('`') else { continue };
                    let is_word = |c: char| c.is_ascii_lowercase() || c == ' ';
                    if !subject.is_empty() && subject.chars().all(is_word) {
                        found.insert(subject.to_owned());
                    }
                }
            }
        }
    }

    pub(super) async fn every_page_of_help_that_a_text_names_is_there(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut found = BTreeSet::new();
        for folder in ["templates", "docs", "crates"] {
            let folder = root.join(folder);
            if folder.ends_with("crates") {
                for entry in std::fs::read_dir(&folder).expect("a folder") {
                    named_pages(&entry.expect("a crate").path().join("src"), &mut found);
                }
            } else {
                named_pages(&folder, &mut found);
            }
        }
        assert!(found.len() > 10, "{found:?}");
        let mut missing = Vec::new();
        for subject in &found {
            if app.post(&format!("help {subject}"), "").await.outcome() != "200 ok" {
                missing.push(subject);
            }
        }
        assert!(missing.is_empty(), "{missing:?}");
    }

    pub(super) async fn everything_there_is_has_its_help(place: Place) {
        let app = TestApp::start_with(place, |_| {}).await;
        let mut missing = Vec::new();
        let mut expect = |subject: &str, words: &[String]| match page(&app, subject) {
            None => missing.push(format!("no page about {subject}")),
            Some(text) => {
                let flat = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
                let gone = words.iter().filter(|word| !flat.contains(&word.to_lowercase()));
                missing.extend(gone.map(|word| format!("`{word}` is not on the page about {subject}")));
            }
        };
        for verb in Verb::all() {
            let spec = verb.spec();
            let mut words: Vec<String> = spec.syntax.iter().map(ToString::to_string).collect();
            words.push(spec.example(&ExampleContext::default()));
            words.extend(spec.synonyms.iter().map(ToString::to_string));
            expect(&spec.name(), &words);
            if spec.words.len() == 1 {
                spec.synonyms.iter().for_each(|synonym| expect(synonym, &words));
            }
            expect("commands", &spec.syntax.iter().map(ToString::to_string).collect::<Vec<_>>());
        }
        let options = ["nagtime", "forfeittime", "totaltime", "unrated"].map(|name| format!("--{name}"));
        expect("options", &options);
        let preferences = [
            "mail=both",
            "board=list",
            "moves=digest",
            "digest=",
            "broadcasts=off",
            "confirm=on",
            "timezone=",
            "messages=off",
        ];
        expect("preferences", &preferences.map(str::to_owned));
        let codes: Vec<String> = Code::all().iter().map(|code| code.as_str().to_owned()).collect();
        expect("errors", &codes);
        let topics: Vec<String> = TOPICS
            .iter()
            .filter(|(name, ..)| *name != "overview")
            .map(|(name, ..)| format!("help {name}"))
            .collect();
        expect("overview", &topics);
        for topic in ["commands", "tutorial", "options", "mail", "web", "rules"] {
            expect(topic, &[]);
        }
        for word in EXPLAINED {
            expect(word, &[(*word).to_owned()]);
        }
        for game in app.app.games.offered() {
            let meta = game.meta();
            let words: Vec<String> = meta
                .options
                .iter()
                .flat_map(knotpost_rules::OptionSpec::words)
                .map(|word| format!("-{word}"))
                .collect();
            expect(meta.name, &words);
        }
        assert!(missing.is_empty(), "{}", missing.join("\n"));
        let wide: Vec<String> = TOPICS
            .iter()
            .map(|(name, ..)| (*name).to_owned())
            .chain(Verb::all().iter().map(|verb| verb.spec().name()))
            .filter_map(|subject| page(&app, &subject))
            .flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>())
            .filter(|line| line.chars().count() > 72 && !line.contains("http://"))
            .collect();
        assert!(wide.is_empty(), "too wide:\n{}", wide.join("\n"));
        assert!(Verb::all().iter().any(|verb| verb.spec().scope == Scope::Server));
    }
}
