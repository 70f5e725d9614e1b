//! Animations: what is seen of them, step by step, is what is drawn of each board alone.

use knotpost_picture::{MOST_ANIMATED, PictureOptions, Theme, animation, most_frames, png};
use knotpost_rules::{Position, Seed, Turn, View, Viewer};

/// Games whose largest boards have the most to draw, and their option.
const LARGEST: [(&str, &str, &str); 4] =
    [("obsidio", "size", "11"), ("osbo", "size", "8"), ("osbox", "size", "12"), ("twixt", "size", "24")];

/// A game by its first legal moves, as anybody sees it.
fn game(name: &str, option: (&str, &str), moves: usize) -> Vec<View> {
    let registry = knotpost_games::registry();
    let game = registry.find(name).expect("a game");
    let given = knotpost_rules::GivenOption { name: option.0.to_owned(), value: Some(option.1.to_owned()) };
    let given = if option.0.is_empty() { Vec::new() } else { vec![given] };
    let options = game.parse_options(&given, *game.meta().players.start()).expect("options");
    let mut position = game.setup(&options, *game.meta().players.start(), &Seed::default());
    let mut views = vec![position.view(Viewer::Spectator)];
    for number in 0..moves {
        let Some(play) = some_move(&*position, number) else { break };
        position.play(Turn::Move(&play)).expect("a legal move");
        views.push(position.view(Viewer::Spectator));
    }
    views
}

fn some_move(position: &dyn Position, number: usize) -> Option<String> {
    let legal = position.legal_moves();
    (!legal.is_empty()).then(|| legal[number * 7 % legal.len()].clone())
}

struct Film {
    width: usize,
    stills: Vec<Vec<u8>>,
}

/// The default picture first, then what is seen after each frame, in three bytes a pixel.
fn decode(bytes: &[u8]) -> Film {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().expect("a PNG");
    let (width, height) = (reader.info().width as usize, reader.info().height as usize);
    let frames = reader.info().animation_control().expect("an animation").num_frames;
    let mut stills = Vec::new();
    let mut canvas = vec![0; width * height * 3];
    for number in 0..=frames {
        let mut part = vec![0; reader.output_buffer_size().expect("a size")];
        reader.next_frame(&mut part).expect("a frame");
        if number == 0 {
            stills.push(part);
            continue;
        }
        let control = *reader.info().frame_control().expect("its place");
        let row = control.width as usize * 3;
        for line in 0..control.height as usize {
            let at = ((control.y_offset as usize + line) * width + control.x_offset as usize) * 3;
            canvas[at..at + row].copy_from_slice(&part[line * row..(line + 1) * row]);
        }
        stills.push(canvas.clone());
    }
    Film { width, stills }
}

#[test]
fn each_frame_is_the_board_of_its_move_and_the_still_one_is_the_last() {
    let views = game("osbox", ("size", "4"), 6);
    let film = decode(&animation(&views, Theme::Light, 360).expect("a film"));
    assert_eq!((film.width, film.stills.len()), (360, views.len() + 1));
    assert_eq!(film.stills.first(), film.stills.last(), "the still picture is the last one");
    for (view, seen) in views.iter().zip(&film.stills[1..]) {
        let alone = png(view, &PictureOptions::default()).expect("a picture");
        let mut decoder = png::Decoder::new(std::io::Cursor::new(&alone));
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().expect("a PNG");
        let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
        reader.next_frame(&mut pixels).expect("a picture");
        let far = pixels.iter().zip(seen).filter(|(one, other)| one.abs_diff(**other) > 60).count();
        assert!(far * 200 < pixels.len(), "{far} of {} differ", pixels.len());
    }
}

#[test]
fn the_longest_films_of_the_largest_boards_keep_to_their_bytes() {
    for (name, option, value) in LARGEST {
        let mut views = game(name, (option, value), most_frames(360) - 1);
        let last = views.last().expect("a view").clone();
        views.resize(most_frames(360), last);
        for width in [360, 720] {
            // The later the position, the more is on the board.
            let views = &views[views.len() - most_frames(width)..];
            let bytes = animation(views, Theme::Dark, width).expect("a film").len();
            println!("{name} {width}: {bytes} bytes");
            assert!(bytes <= MOST_ANIMATED, "{name} {width}: {bytes}");
        }
    }
}

#[test]
fn there_is_an_end_to_what_is_drawn() {
    let views = game("osbox", ("size", "3"), 1);
    assert!(animation(&[], Theme::Light, 360).is_err());
    assert!(animation(&views, Theme::Light, 0).is_err());
    assert!(animation(&vec![views[0].clone(); most_frames(360) + 1], Theme::Light, 360).is_err());
}
