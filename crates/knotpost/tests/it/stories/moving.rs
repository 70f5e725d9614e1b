//! An entire server moves to another database: nothing is lost, nothing is changed, and half a file is nothing.

use super::tell;

tell! {
    a_server_moves_there_and_back,
    every_kind_of_row_moves_unchanged,
    an_interrupted_import_goes_on,
    an_interrupted_import_can_be_forgotten,
    damaged_files_are_refused_whole,
    files_of_other_programs_are_refused_by_name,
    a_server_in_use_takes_none_in,
    a_file_of_another_key_is_taken_on_request;
    on_postgres: a_file_of_another_key_is_taken_on_request,
}

mod stories {
    use std::io::{self, BufRead, Cursor, Read, Seek, SeekFrom};

    use knotpost_core::boards::{Replayed, replay_next};
    use knotpost_core::transfer::{
        Began, ForeignKey, MoveError, Moved, check_export, discard_import, export_server, import_server,
        is_export, unfinished_import,
    };
    use knotpost_program::server;
    use knotpost_storage::{Cell, SCHEMA, Table, Transfer};

    use crate::harness::{HOUR, Place, TestApp};
    use crate::postgres;
    use crate::store::made_up;

    /// The other kind of database, where there is one.
    async fn elsewhere(place: &Place) -> Place {
        match place {
            Place::Postgres(_) | Place::Deployed(Some(_)) => Place::Sqlite,
            Place::Sqlite | Place::Deployed(None) => match postgres::database().await {
                Some(database) => Place::Postgres(Box::new(database)),
                None => Place::Sqlite,
            },
        }
    }

    async fn empty(place: Place) -> TestApp {
        let app = TestApp::start_with(place, |_| {}).await;
        // Chance repeats in tests; elsewhere it would be another one.
        app.app.entropy.fill(&mut vec![0; 1 << 20]).unwrap();
        app
    }

    async fn export(app: &TestApp) -> Vec<u8> {
        let mut file = Vec::new();
        let written = export_server(&app.app.store, app.app.games.registry, &mut file, &mut |_, _, _| {})
            .await
            .unwrap();
        assert_eq!(written.bytes, file.len() as u64);
        assert!(is_export(&file));
        file
    }

    async fn take(app: &TestApp, file: &[u8], foreign_key: ForeignKey) -> Result<Moved, MoveError> {
        take_from(app, &mut Cursor::new(file), foreign_key).await
    }

    async fn take_from(
        app: &TestApp,
        input: &mut (impl BufRead + Seek + Send),
        foreign_key: ForeignKey,
    ) -> Result<Moved, MoveError> {
        let schema = app.app.store.read().await.unwrap().schema_version().await.unwrap();
        let file = check_export(input, app.app.games.registry, schema, &mut |_, _, _| {})?;
        import_server(&app.app, input, &file, foreign_key, &mut |_, _, _| {}).await
    }

    async fn refusal(app: &TestApp, file: &[u8]) -> String {
        let refused = take(app, file, ForeignKey::Refuse).await.unwrap_err();
        assert!(matches!(refused, MoveError::Damaged { .. } | MoveError::Refused(_)), "{refused:?}");
        refused.to_string()
    }

    /// Boards of all games, finished, running and talked about, people with wishes, mail on both ways.
    async fn rich(place: Place) -> TestApp {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        for line in [
            "set ann ann-secret moves=mine",
            "vacation cyd cyd-secret 3",
            "osbox seek cyd cyd-secret 2 -size=5",
            "osbox limit bob bob-secret 9",
            "osbox challenge ann bob",
            "osbo challenge ann bob cyd",
            "obsidio challenge -size=5 ann bob",
            "boxilies challenge ann bob",
        ] {
            let page = app.post(line, "Good luck: it's \"ä\" \\ 🎲\nand a second line").await;
            assert_eq!(page.outcome(), "200 ok", "{line}: {}", page.text);
        }
        for game in ["osbox", "osbo", "obsidio", "boxilies"] {
            app.play_on(game, 101, 3).await;
        }
        for line in [
            "obsidio resign 101 bob bob-secret",
            "osbox chat 101 bob bob-secret",
            "osbox move 101 bob bob-secret propose",
            "osbox subscribe cyd cyd-secret 101",
        ] {
            let page = app.post(line, "What a game!").await;
            assert_eq!(page.outcome(), "200 ok", "{line}: {}", page.text);
        }
        app.clock.advance(HOUR);
        // Nobody works on these: a mail that came, and answers that have not left.
        app.receive(
            Some("ann@ann.example"),
            b"From: ann@ann.example\r\nTo: games@knotpost.example\r\n\
            Message-ID: <waiting@ann.example>\r\nSubject: osbox show 101\r\n\r\n",
        )
        .await;
        app
    }

    pub(super) async fn a_server_moves_there_and_back(place: Place) {
        let there = elsewhere(&place).await;
        let (here, there, back) = (rich(place).await, empty(there).await, empty(Place::Sqlite).await);
        // Started once before: its computer players are nobody who would be lost.
        there.enlist_bots().await;
        let file = export(&here).await;
        for table in ["addresses", "boards", "moves", "remarks", "ratings", "proposals", "inbox", "outbox"] {
            let start = format!("{{\"name\":\"{table}\",");
            let header = file.split(|byte| *byte == b'\n').next().unwrap();
            let header = std::str::from_utf8(header).unwrap();
            let (_, section) = header.split_once(&start).unwrap_or_else(|| panic!("no {table}: {header}"));
            assert!(!section.split('}').next().unwrap().ends_with("\"rows\":0"), "{table} has no rows");
        }
        for (app, from) in [(&there, &here), (&back, &there)] {
            let file = export(from).await;
            let moved = take(app, &file, ForeignKey::Refuse).await.unwrap();
            assert_eq!(moved.began, Began::Anew);
            assert!(export(app).await == file, "the same server is the same file");
            let mut replayed = Replayed::default();
            while replay_next(&app.app.store, &app.app.games, &mut replayed).await.unwrap() {}
            assert_eq!((replayed.boards, replayed.differences), (4, Vec::new()));
        }
        assert!(export(&back).await == file);

        // Life goes on where it was: what waited is done, passwords hold, new rows get keys of their own.
        for app in [&there, &back] {
            app.clock.advance(4 * 3 * HOUR + HOUR);
            app.work().await;
            let letters = app.letters();
            assert!(letters.iter().any(|letter| letter.subject.contains("Osbox Board 101")), "{letters:?}");
            app.post("osbox move 101 ann ann-secret accept", "").await;
            let page = app.post("osbox challenge cyd bob", "").await;
            assert_eq!(page.outcome(), "200 ok", "{}", page.text);
            assert_eq!(page.json()["boards"][0]["number"], 102);
            app.play_on("osbo", 101, 1).await;
            app.sign_up("dan").await;
            assert_eq!(
                refusal(app, &file).await,
                "this server has users already; only an empty one can import \
                 another server"
            );
        }
    }

    pub(super) async fn every_kind_of_row_moves_unchanged(place: Place) {
        let there = elsewhere(&place).await;
        let (here, there) = (empty(place).await, empty(there).await);
        let filled = here.app.store.write(async move |tx| {
            tx.empty_tables().await?;
            for table in Table::moving() {
                let rows: Vec<_> = (1..=3).map(|number| made_up(table, number)).collect();
                tx.insert_rows(table, &rows).await?;
            }
            Ok::<_, knotpost_storage::StoreError>(())
        });
        filled.await.unwrap();
        let file = export(&here).await;
        let lines = std::str::from_utf8(&file).unwrap().lines().count();
        assert_eq!(lines, 2 + 3 * Table::moving().count());
        assert!(take(&there, &file, ForeignKey::Adopt).await.is_ok());
        let mut tx = here.app.store.read().await.unwrap();
        for table in Table::moving() {
            let mut rows = Vec::new();
            let mut keep = |row: &[Cell]| {
                rows.push(row.to_vec());
                Ok::<(), knotpost_storage::StoreError>(())
            };
            tx.each_row(table, &mut keep).await.unwrap();
            for number in 1..=3 {
                assert!(rows.contains(&made_up(table, number)), "{}: {rows:?}", table.name);
            }
        }
        let stays = |table: &&Table| table.transfer != Transfer::Moves && table.name.starts_with("web");
        for table in SCHEMA.iter().filter(stays) {
            assert!(!tx.has_rows(table.name).await.unwrap(), "{:?}", table.transfer);
        }
    }

    /// A file that cannot be read beyond a number of bytes.
    struct Vanishing {
        file: Cursor<Vec<u8>>,
        after: u64,
    }

    impl Read for Vanishing {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let read = self.fill_buf()?.read(buffer)?;
            self.consume(read);
            Ok(read)
        }
    }

    impl BufRead for Vanishing {
        fn fill_buf(&mut self) -> io::Result<&[u8]> {
            if self.file.position() >= self.after {
                return Err(io::Error::other("the cable was pulled"));
            }
            let room = usize::try_from(self.after - self.file.position()).unwrap();
            let rest = self.file.fill_buf()?;
            Ok(&rest[..rest.len().min(room)])
        }

        fn consume(&mut self, amount: usize) {
            self.file.consume(amount);
        }
    }

    impl Seek for Vanishing {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.file.seek(to)
        }
    }

    /// Takes in as much of the file as can be read.
    async fn take_until(app: &TestApp, file: &[u8], after: u64) {
        let schema = app.app.store.read().await.unwrap().schema_version().await.unwrap();
        let checked =
            check_export(&mut Cursor::new(file), app.app.games.registry, schema, &mut |_, _, _| {}).unwrap();
        let mut input = Vanishing { file: Cursor::new(file.to_vec()), after };
        let broken =
            import_server(&app.app, &mut input, &checked, ForeignKey::Refuse, &mut |_, _, _| {}).await;
        assert!(matches!(broken, Err(MoveError::File(_))), "{broken:?}");
    }

    pub(super) async fn an_interrupted_import_goes_on(place: Place) {
        let file = export(&rich(Place::Sqlite).await).await;
        let app = empty(place).await;
        let mut stored = 0;
        for part in 1..8 {
            take_until(&app, &file, file.len() as u64 * part / 8).await;
            let now = unfinished_import(&app.app.store).await.unwrap().unwrap();
            assert!(now >= stored, "what is stored stays");
            stored = now;
        }
        assert!(stored > 0);
        // Nobody serves half a server.
        let (config, registry) = (app.app.config.clone(), app.app.games.registry);
        let entropy = std::sync::Arc::clone(&app.app.entropy);
        let clock = std::sync::Arc::clone(&app.app.clock);
        let refused =
            server::open(config, registry, knotpost_games::find_bot, clock, entropy, server::Opening::Serve)
                .await
                .err()
                .unwrap()
                .to_string();
        assert!(refused.contains("was interrupted here") && refused.contains("knotpost import"), "{refused}");
        let other = export(&TestApp::with_players(Place::Sqlite, &["eve"]).await).await;
        assert!(
            refusal(&app, &other).await.contains("another file was interrupted"),
            "the place is the file's"
        );

        let moved = take(&app, &file, ForeignKey::Refuse).await.unwrap();
        assert_eq!(moved.began, Began::After(stored));
        assert!(export(&app).await == file);
        assert_eq!(unfinished_import(&app.app.store).await.unwrap(), None);
    }

    pub(super) async fn an_interrupted_import_can_be_forgotten(place: Place) {
        let file = export(&rich(Place::Sqlite).await).await;
        let app = empty(place).await;
        take_until(&app, &file, file.len() as u64 / 2).await;
        assert!(discard_import(&app.app.store).await.unwrap());
        assert_eq!(unfinished_import(&app.app.store).await.unwrap(), None);
        assert!(!discard_import(&app.app.store).await.unwrap());
        let moved = take(&app, &file, ForeignKey::Refuse).await.unwrap();
        assert_eq!(moved.began, Began::Anew);
        assert!(!discard_import(&app.app.store).await.unwrap(), "a finished one stays");
        assert!(export(&app).await == file);
    }

    pub(super) async fn damaged_files_are_refused_whole(place: Place) {
        let file = export(&TestApp::with_players(Place::Sqlite, &["ann"]).await).await;
        let app = empty(place).await;
        let before = app.tables().await;
        for length in (0..file.len()).step_by(97).chain([file.len() - 1]) {
            refusal(&app, &file[..length]).await;
        }
        for place in (0..file.len()).step_by(53) {
            let mut changed = file.clone();
            changed[place] ^= 1;
            refusal(&app, &changed).await;
        }
        let twice = [file.as_slice(), file.as_slice()].concat();
        assert!(refusal(&app, &twice).await.contains("something follows behind the end"));
        let cut = refusal(&app, &file[..file.len() / 2]).await;
        assert!(cut.starts_with("line ") && cut.contains("breaks off here"), "{cut}");
        let last = file.len() - 1 - file.iter().rev().skip(1).position(|byte| *byte == b'\n').unwrap();
        let whole_lines = refusal(&app, &file[..last]).await;
        assert!(whole_lines.contains("breaks off after this"), "{whole_lines}");
        assert_eq!(before.differing(&app.tables().await), Vec::<&str>::new());
        take(&app, &file, ForeignKey::Refuse).await.unwrap();
    }

    pub(super) async fn files_of_other_programs_are_refused_by_name(place: Place) {
        let app = empty(place).await;
        let file = String::from_utf8(export(&app).await).unwrap();
        let schema = app.app.store.read().await.unwrap().schema_version().await.unwrap();
        let said = |from: &str, to: &str| {
            let changed = file.replacen(from, to, 1);
            assert_ne!(changed, file, "{from} is there");
            changed.into_bytes()
        };
        let now = format!("\"schema\":{schema}");
        for (from, to, expected) in [
            ("knotpost-server", "knotpost-board", "the file is a `knotpost-board`"),
            ("\"version\":1", "\"version\":2", "version 2 of the format"),
            (now.as_str(), "\"schema\":9999", "written by a newer knotpost"),
            (now.as_str(), "\"schema\":0", "written by an older knotpost"),
            ("\"osbox\":1", "\"osbox\":7", "osbox by version 7 of its rules"),
            ("\"osbox\":1", "\"hex\":1", "the game `hex`"),
            ("\"password_hash\"", "\"password\"", "the tables are not those of this schema"),
            ("{\"format\"", "{\"from\"", "not how a file with an exported server begins"),
        ] {
            let refused = refusal(&app, &said(from, to)).await;
            assert!(refused.contains(expected), "{refused}");
        }
    }

    pub(super) async fn a_server_in_use_takes_none_in(place: Place) {
        let app = empty(place).await;
        let file = export(&app).await;
        app.stay_alive().await;
        assert!(refusal(&app, &file).await.contains("a server is running on this database"));
        app.clock.advance(HOUR);
        app.receive(None, b"From: x@y.example\r\nTo: games@knotpost.example\r\nSubject: help\r\n\r\n").await;
        assert!(refusal(&app, &file).await.contains("received mail already"));
        let used = TestApp::with_players(Place::Sqlite, &["ann"]).await;
        assert!(refusal(&used, &file).await.contains("users already"));
    }

    pub(super) async fn a_file_of_another_key_is_taken_on_request(place: Place) {
        let file = export(&TestApp::with_players(Place::Sqlite, &["ann"]).await).await;
        let app = TestApp::start_with(place, |config| config.secrets.key = "ab".repeat(32).into()).await;
        assert!(refusal(&app, &file).await.contains("another secret key"));
        take(&app, &file, ForeignKey::Adopt).await.unwrap();
        let known = app.app.store.read().await.unwrap().server_metadata("key").await.unwrap();
        assert_eq!(known, Some(app.app.secret.fingerprint()));
        assert_eq!(app.post("osbox challenge ann ann", "").await.outcome(), "200 ok");
    }
}
