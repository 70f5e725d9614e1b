//! Puzzles of the day, on their pages and for programs.

use super::tell;

tell! {
    a_puzzle_says_right_or_wrong_and_shows_its_answer_when_asked,
    a_puzzle_is_solved_by_tapping,
    a_program_asks_for_a_puzzle_and_has_a_move_judged,
}

mod stories {
    use super::super::browser::Browser;
    use crate::harness::{Place, TestApp};
    use knotpost_platform::clock::Clock as _;
    use knotpost_rules::Puzzle;

    const GAMES: [&str; 3] = ["osbox", "obsidio", "boxilies"];

    /// The puzzle of a day, and a move that does not win.
    fn puzzle(game: &str, day: u16) -> (Puzzle, String) {
        let registry = knotpost_games::registry_of(&["osbox", "osbo", "obsidio", "boxilies"]);
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
            assert!(page.text.contains(" won "), "the game is over: {}", page.text);
            assert!(!page.text.contains("cannot be played"), "{}", page.text);
        }
        assert_eq!(visitor.get("/puzzles/osbo").await.status, 404);
        assert_eq!(visitor.get("/puzzles/osbox?day=367").await.status, 422);
        assert_eq!(visitor.get("/puzzles/osbox?day=x").await.status, 422);
        assert!(visitor.cookie.is_none(), "nothing is stored");
        assert!(visitor.get("/try/osbox").await.text.contains("href=\"/puzzles/osbox\""));
    }

    /// The links of a page that choose something, as their `choose`, their `spot`, and the address.
    fn taps(page: &str) -> Vec<(String, String, String)> {
        let value = |address: &str, name: &str| {
            let pair = address.split(['?', '&']).find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
            pair.unwrap_or_default().replace("%3A", ":").replace("%2C", ",")
        };
        let addresses = page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
        let addresses = addresses.map(|address| address.replace("&amp;", "&"));
        let taps = addresses.map(|address| (value(&address, "choose"), value(&address, "spot"), address));
        taps.filter(|(choose, spot, address)| {
            address.starts_with("/puzzles/") && !(choose.is_empty() && spot.is_empty())
        })
        .collect()
    }

    pub(super) async fn a_puzzle_is_solved_by_tapping(place: Place) {
        let app = TestApp::start_with(place, |config| config.limits.http_per_minute = 1_000_000).await;
        let mut visitor = Browser::new(&app);
        for game in GAMES {
            for day in [1, 60, 100, 332, 366] {
                for by_place in [false, true] {
                    let (puzzle, _) = puzzle(game, day);
                    let solution = puzzle.solution();
                    let mut page = visitor.get(&format!("/puzzles/{game}?day={day}")).await;
                    let (mut begun, mut taken) = (String::new(), false);
                    while begun != solution {
                        let taps = taps(&page.text);
                        for (.., address) in &taps {
                            assert_eq!(visitor.get(address).await.status, 200, "{address}");
                        }
                        let leads = |choose: &str| solution.starts_with(choose) && choose.len() > begun.len();
                        let onwards =
                            taps.iter().filter(|(choose, spot, _)| spot.is_empty() && leads(choose));
                        let is_its = |spot: &str| !spot.is_empty() && solution.get(1..) == Some(spot);
                        let place = taps.iter().find(|(_, spot, _)| by_place && !taken && is_its(spot));
                        let next = place.or(onwards.min_by_key(|(choose, ..)| choose.len()));
                        let (choose, _, address) = next.unwrap_or_else(|| {
                            panic!("{game} {day}: {solution} from {begun}: {}", page.text)
                        });
                        taken |= place.is_some();
                        page = visitor.get(address).await;
                        begun.clone_from(choose);
                    }
                    let play = page.text.split("class=\"button\" href=\"").nth(1).unwrap_or_default();
                    let play = play.split('"').next().unwrap_or_default().replace("&amp;", "&");
                    let page = visitor.get(&play).await;
                    assert!(
                        page.text.contains(&format!("Right: {solution} is the only move")),
                        "{game} {day}: {play} {}",
                        page.text
                    );
                }
            }
        }
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
