//! Puzzles of the day, on their pages and for programs.

use super::tell;

tell! {
    a_puzzle_says_right_or_wrong_and_shows_its_answer_when_asked,
    a_program_asks_for_a_puzzle_and_has_a_move_judged,
}

mod stories {
    use super::super::browser::Browser;
    use crate::harness::{Place, TestApp};
    use knotpost_platform::clock::Clock as _;
    use knotpost_rules::{Puzzle, Registry};

    const GAMES: [&str; 3] = ["osbox", "obsidio", "boxilies"];

    /// The puzzle of a day, and a move that does not win.
    fn puzzle(game: &str, day: u16) -> (Puzzle, String) {
        let registry = Registry::standard();
        let game = registry.find(game).unwrap();
        let puzzle = Puzzle::of_day(game.meta(), day).unwrap();
        let (_, position) = puzzle.open(game).unwrap();
        let wrong = position.legal_moves().into_iter().find(|play| play != puzzle.solution()).unwrap();
        (puzzle, wrong)
    }

    pub(super) async fn a_puzzle_says_right_or_wrong_and_shows_its_answer_when_asked(place: Place) {
        let app = TestApp::with_players(place, &[]).await;
        let mut visitor = Browser::new(&app);
        let list = visitor.get("/puzzles").await;
        for game in GAMES {
            assert!(list.text.contains(&format!("href=\"/puzzles/{game}\"")), "{game}: {}", list.text);
            let today = app.clock.now().day_of_year();
            let page = visitor.get(&format!("/puzzles/{game}")).await;
            assert!(page.text.contains(&format!("of the day, number {today}")), "{}", page.text);
            let (puzzle, wrong) = puzzle(game, 60);
            let open = format!("/puzzles/{game}?day=60");
            let page = visitor.get(&open).await;
            let solution = puzzle.solution();
            assert!(page.text.contains("which?") && page.text.contains("choose="), "{}", page.text);
            assert!(
                !page.text.contains(&format!("moves={solution}")),
                "the answer is not in the page: {}",
                page.text
            );
            let page = visitor.get(&format!("{open}&moves={wrong}")).await;
            assert!(
                page.text.contains("it does not win") && page.text.contains("Try again"),
                "{}",
                page.text
            );
            let page = visitor.get(&format!("{open}&moves={solution}")).await;
            assert!(page.text.contains(&format!("Right: {solution} is the only move")), "{}", page.text);
            assert!(page.text.contains("Next move"), "{}", page.text);
            let answer = visitor.get(&format!("{open}&answer=yes")).await;
            assert_eq!(answer.status, 303);
            let page = visitor.get(answer.header("location")).await;
            assert!(page.text.contains(&format!("{solution} wins.</strong>")), "{}", page.text);
            assert!(page.text.contains(" wins.</p>"), "the game is over: {}", page.text);
            assert!(!page.text.contains("cannot be played"), "{}", page.text);
        }
        assert_eq!(visitor.get("/puzzles/osbo").await.status, 404);
        assert_eq!(visitor.get("/puzzles/osbox?day=367").await.status, 422);
        assert_eq!(visitor.get("/puzzles/osbox?day=x").await.status, 422);
        assert!(visitor.cookie.is_none(), "nothing is stored");
        assert!(visitor.get("/try/osbox").await.text.contains("href=\"/puzzles/osbox\""));
    }

    pub(super) async fn a_program_asks_for_a_puzzle_and_has_a_move_judged(place: Place) {
        let app = TestApp::with_players(place, &[]).await;
        for game in GAMES {
            let (puzzle, wrong) = puzzle(game, 7);
            let address = format!("/api/v1/puzzles/{game}?day=7");
            let asked = app.get(&address).await.json();
            assert_eq!(asked["position"], puzzle.position);
            assert_eq!(asked["day"], 7);
            assert!(asked["solution"].is_null() && asked["right"].is_null(), "{asked}");
            assert_eq!(app.get(&format!("{address}&move={wrong}")).await.json()["right"], false);
            let solution = puzzle.solution();
            assert_eq!(app.get(&format!("{address}&move={solution}")).await.json()["right"], true);
            let told = app.get(&format!("{address}&solution=true")).await.json();
            assert_eq!(told["solution"][0], solution);
            assert_eq!(told["solution"].as_array().unwrap().len(), puzzle.turns());
        }
        let today = app.get("/api/v1/puzzles/osbox").await.json();
        assert_eq!(today["day"], app.clock.now().day_of_year());
        for (address, status, code) in [
            ("/api/v1/puzzles/osbo", 404, "unknown_game"),
            ("/api/v1/puzzles/chess", 404, "unknown_game"),
            ("/api/v1/puzzles/osbox?day=0", 422, "bad_value"),
            ("/api/v1/puzzles/osbox?day=367", 422, "bad_value"),
            ("/api/v1/puzzles/osbox?day=-1", 422, "bad_value"),
            ("/api/v1/puzzles/osbox?move=zzz", 422, "illegal_move"),
        ] {
            let answer = app.get(address).await;
            assert_eq!(
                (answer.status.as_u16(), answer.json()["code"].as_str()),
                (status, Some(code)),
                "{address}"
            );
        }
    }
}
