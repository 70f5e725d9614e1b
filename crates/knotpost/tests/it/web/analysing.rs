//! The page of a finished game as a computer player sees it.

use super::tell;

tell! {
    a_page_shows_the_curves_and_the_mistakes,
}

mod stories {
    use super::super::browser::Browser;
    use crate::harness::{Place, TestApp};

    pub(super) async fn a_page_shows_the_curves_and_the_mistakes(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.post("boxilies challenge ann bob", "").await;
        let mut ann = Browser::of(&app, "ann").await;
        assert_eq!(ann.post("/boards/boxilies/101", &[("act", "analyse")]).await.status, 409, "not over yet");
        app.play_on("boxilies", 101, 9).await;
        let (board, path) = ("/boards/boxilies/101", "/boards/boxilies/101/analysis");
        assert!(ann.get(board).await.text.contains("href=\"/boards/boxilies/101/analysis\""));
        let page = Browser::new(&app).get(path).await;
        assert!(page.text.contains("Log in") && !page.text.contains("<polyline"), "{}", page.text);
        assert!(ann.get(path).await.text.contains(">Analyse the game</button>"));
        let over_api = format!("/api/v1{path}");
        assert_eq!(app.get(&over_api).await.status, 401, "a visitor has no game analysed");
        let page = ann.post(board, &[("act", "analyse")]).await;
        assert_eq!((page.status.as_u16(), page.header("location")), (303, path));
        let page = ann.get(path).await;
        assert_eq!(page.text.matches("<polyline").count(), 2, "{}", page.text);
        assert_eq!(page.text.matches("the move that lost most").count(), 1, "{}", page.text);
        assert!(Browser::new(&app).get(path).await.text.contains("<polyline"), "it is kept for everybody");
        let kept = app.get(&over_api).await;
        assert!(kept.status == 200 && kept.text.contains("\"mistakes\":["), "{}", kept.text);
    }
}
