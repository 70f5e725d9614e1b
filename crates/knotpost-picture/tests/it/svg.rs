//! The SVG document: well-formed, self-contained, and without anything unexpected.

use crate::boards;
use knotpost_picture::{Faces, PictureOptions, Theme, describe, svg};
use knotpost_rules::{
    Seat, View,
    view::{Fate, Piece, ScoreLine},
};
use std::collections::BTreeSet;

fn draw(view: &View) -> String {
    svg(view, &PictureOptions::default())
}

/// Colours of the strokes and fills.
fn colours(text: &str) -> BTreeSet<String> {
    let document = roxmltree::Document::parse(text).unwrap();
    let paths = document.descendants().filter(|node| node.has_tag_name("path"));
    paths
        .filter_map(|path| path.attribute("stroke").or_else(|| path.attribute("fill")))
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_board_is_well_formed_and_refers_to_nothing() {
    for (name, view) in boards::many() {
        let text = draw(&view);
        let document = roxmltree::Document::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(document.root_element().attribute("width"), Some("360"), "{name}");
        for node in document.descendants().filter(roxmltree::Node::is_element) {
            let tag = node.tag_name().name();
            assert!(["svg", "title", "desc", "g", "path"].contains(&tag), "{name}: <{tag}>");
            assert!(node.attributes().all(|attribute| !attribute.name().contains("href")), "{name}");
        }
    }
}

#[test]
fn title_and_description_tell_what_is_seen() {
    let view = boards::capture();
    let options = PictureOptions { title: "Osbox board 101".to_owned(), ..PictureOptions::default() };
    let text = svg(&view, &options);
    let document = roxmltree::Document::parse(&text).unwrap();
    let told = |tag: &str| document.descendants().find(|node| node.has_tag_name(tag)).unwrap().text();
    assert_eq!(told("title"), Some("Osbox board 101"));
    assert_eq!(told("desc"), Some(describe(&view).as_str()));
}

#[test]
fn hostile_words_stay_words() {
    let evil = "</title><script>alert('x')</script>&\"\u{0}\u{1b}\u{ffff}]]>";
    let mut view = boards::capture();
    for panel in &mut view.panels {
        panel.title = evil.to_owned();
        for margin in &mut panel.margins {
            margin.labels.fill(evil.to_owned());
        }
    }
    let score = |seat| ScoreLine { seat, name: "A", role: evil.to_owned(), score: evil.to_owned() };
    view.scores = vec![score(Seat::FIRST)];
    let text = svg(&view, &PictureOptions { title: evil.to_owned(), ..PictureOptions::default() });
    let document = roxmltree::Document::parse(&text).expect("still XML");
    assert!(document.descendants().all(|node| !node.has_tag_name("script")));
    let title = document.descendants().find(|node| node.has_tag_name("title")).unwrap();
    assert_eq!(title.text(), Some("</title><script>alert('x')</script>&\"???]]>"));
}

#[test]
fn each_closed_path_wears_a_colour_of_its_own() {
    let loose = boards::view("osbox", 2, "..a./be../..nb/..c. 1 0-0", "");
    let plain = colours(&draw(&loose));
    let ribbons = colours(&draw(&boards::knots()));
    let paths = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#f0e442"];
    assert!(paths.iter().all(|colour| ribbons.contains(*colour)), "{ribbons:?}");
    let sides: Vec<_> = paths.iter().filter(|colour| plain.contains(**colour)).collect();
    assert_eq!(sides, [&"#0072b2", &"#d55e00"], "the bands of the two sides");
}

/// The number of filled or stroked shapes.
fn count_shapes(view: &View) -> usize {
    let text = draw(view);
    roxmltree::Document::parse(&text).unwrap().descendants().filter(|node| node.has_tag_name("path")).count()
}

#[test]
fn stones_that_the_last_move_took_have_a_sign_and_not_only_a_colour() {
    let view = boards::view("boxilies", 2, ".,14j0,./12c1,.,21a0/.,.,. 2a,3b,5n|2a,3b,5n,5a 2", "3b:b2:3");
    let mut plain = view.clone();
    let mut taken = 0;
    for piece in plain.panels.iter_mut().flat_map(|panel| &mut panel.cells) {
        if let Piece::Stone { fate, .. } = piece
            && *fate == Fate::Captured
        {
            *fate = Fate::Stays;
            taken += 1;
        }
    }
    assert_eq!(taken, 1);
    assert!(count_shapes(&view) > count_shapes(&plain));
}

#[test]
fn faces_are_explained_where_that_is_asked_for_and_the_game_goes_on() {
    let height = |view: &View, faces| {
        let text = svg(view, &PictureOptions { faces, ..PictureOptions::default() });
        let document = roxmltree::Document::parse(&text).unwrap();
        document.root_element().attribute("height").unwrap().parse::<u32>().unwrap()
    };
    let grows = |view: &View| height(view, Faces::Explained) > height(view, Faces::Omitted);
    assert!(grows(&boards::capture()));
    assert!(!grows(&boards::view("osbo -size=3", 2, "b3:jg/ih;b3:jg/nl/ih - 1", "")));
    assert!(!grows(&boards::view("obsidio -size=5", 2, "", "")));
}

#[test]
fn themes_differ_in_colours_only() {
    let shape_of = |theme| {
        let text = svg(&boards::knots(), &PictureOptions { theme, ..PictureOptions::default() });
        let document = roxmltree::Document::parse(&text).unwrap();
        let paths = document.descendants().filter_map(|node| node.attribute("d")).collect::<String>();
        paths.split('M').filter(|part| !part.is_empty()).map(str::to_owned).collect::<BTreeSet<_>>()
    };
    assert_eq!(shape_of(Theme::Light), shape_of(Theme::Dark));
    assert_eq!("dark".parse(), Ok(Theme::Dark));
    assert_eq!(Theme::Dark.to_string(), "dark");
    assert!("Dark".parse::<Theme>().is_err());
}

#[test]
fn small_boards_are_drawn_like_this() {
    insta::assert_snapshot!("osbox_knot", draw(&boards::view("osbox -size=2", 2, "jg/ih 1 6-0", "")));
    insta::assert_snapshot!("obsidio_start", draw(&boards::view("obsidio -size=5", 2, "", "")));
}
