//! The colours of inline pictures: variables of the style sheet of the pages.

use crate::boards;
use knotpost_picture::{Link, Target, Theme, inline_die, linked_svg, variables};
use knotpost_rules::knot::Face;

const STYLE: &str = include_str!("../../../../web/style.css");

#[test]
fn the_style_sheet_has_the_colours_of_both_themes() {
    for theme in [Theme::Light, Theme::Dark] {
        let wanted = variables(theme);
        assert!(STYLE.contains(&wanted), "web/style.css must have these lines:\n{wanted}");
    }
}

#[test]
fn inline_pictures_have_no_colour_but_variables() {
    let die = Face::ALL.first().copied().map(inline_die).unwrap();
    let pictures = boards::many().into_iter().map(|(_, view)| linked_svg(&view, "Board", &[]));
    for text in pictures.chain([die]) {
        assert!(text.contains("var(--p-"), "{text}");
        assert!(!text.contains("=\"#"), "{text}");
    }
}

#[test]
fn a_spot_can_be_touched_beyond_its_frame() {
    let (_, view) = boards::many().into_iter().find(|(name, _)| name.contains("osbox")).unwrap();
    let link = Link {
        spot: "1".to_owned(),
        href: Some("?spot=1".to_owned()),
        label: "1".to_owned(),
        target: Target::Place,
    };
    let text = linked_svg(&view, "Board", &[link]);
    let document = roxmltree::Document::parse(&text).unwrap();
    let width = |class: Option<&str>| {
        let frame = document
            .descendants()
            .find(|node| node.has_tag_name("rect") && node.attribute("class") == class)
            .unwrap();
        frame.attribute("width").unwrap().parse::<f32>().unwrap()
    };
    assert!(width(Some("reach")) >= 40.0 && width(Some("reach")) > width(None) + 20.0, "{text}");
}
