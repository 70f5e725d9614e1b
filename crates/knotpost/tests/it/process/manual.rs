//! What the program carries with it: the pages of its manual, and SQLite as it is compiled for it.

use super::running::Place;

/// SQLite with the flags of `.cargo/config.toml`, in the program itself.
#[test]
fn sqlite_is_compiled_with_the_flags_of_the_project() {
    let program = std::fs::read(env!("CARGO_BIN_EXE_knotpost")).unwrap();
    // As SQLite lists its compile options; the flags themselves are in the program too.
    let has = |option: &str| {
        let listed = format!("\0{option}\0").into_bytes();
        program.windows(listed.len()).any(|window| window == listed)
    };
    assert!(has("DEFAULT_LOOKASIDE=1200,500") && has("DEFAULT_MEMSTATUS=0") && has("OMIT_LOAD_EXTENSION"));
    assert!(!has("ENABLE_MEMORY_MANAGEMENT") && !has("ENABLE_FTS5") && !has("ENABLE_RTREE"));
}

/// The commands below one, as its help lists them.
async fn commands_below(place: &Place, words: &[&str]) -> Vec<String> {
    let help = place.run(&[words, &["--help"]].concat()).await.succeed();
    let Some((_, list)) = help.split_once("Commands:\n") else { return Vec::new() };
    let list = list.split("\n\n").next().unwrap().lines();
    let names = list.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next().map(str::to_owned));
    names.filter(|name| name != "help").collect()
}

#[tokio::test]
async fn every_command_and_every_setting_is_in_the_manual() {
    let place = Place::new();
    place.run(&["man", "manual"]).await.succeed();
    let page = |name: &str| std::fs::read_to_string(place.root().join("manual").join(name)).unwrap();
    let mut waiting: Vec<Vec<String>> = vec![Vec::new()];
    let mut count = 0;
    while let Some(words) = waiting.pop() {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let name = [&["knotpost"], words.as_slice()].concat().join("-");
        let text = page(&format!("{name}.1"));
        assert!(
            text.contains(".SH NAME") && text.contains(".SH SYNOPSIS") && text.contains("SEE ALSO"),
            "{name}"
        );
        count += 1;
        for below in commands_below(&place, &words).await {
            waiting.push(words.iter().map(|word| (*word).to_owned()).chain([below]).collect());
        }
    }
    assert!(count > 50, "{count}");
    assert_eq!(std::fs::read_dir(place.root().join("manual")).unwrap().count(), count + 1);
    assert_eq!(place.run(&["man"]).await.succeed(), page("knotpost.1"));

    let settings = page("knotpost.toml.5").replace("\\-", "-");
    let mut section = String::new();
    for line in place.run(&["config", "show"]).await.succeed().lines() {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            name.clone_into(&mut section);
        } else if let Some((key, _)) = line.split_once(" = ") {
            let full = format!("\\fB{section}.{key}\\fR");
            let short = format!("\\fB{key}\\fR");
            assert!(settings.contains(&full) || settings.contains(&short), "{full} is not in the manual");
        }
    }
    let ended = place.run(&["man", "/dev/null/manual"]).await;
    assert!(ended.code() == 1 && ended.stderr.contains("/dev/null/manual"), "{ended:?}");
}
