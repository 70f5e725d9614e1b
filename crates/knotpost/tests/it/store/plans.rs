//! How SQLite carries the statements of the store out: along an index wherever rows grow with time.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use knotpost_model::{
    BoardKey, BoardState, Millis, OutboxKey, Relation, TournamentAction, TournamentName, TournamentState,
    UserKey,
};
use knotpost_storage::{
    BoardFilter, BoardMail, Driver, NewOutbox, NewPlace, OutboxContent, OutboxRow, QueueBounds, ReadTx,
    RequestKey, Share, StandingsBlock, StoreError, TournamentFilter, WaitingOrder, WriteTx,
};
use sqlx::AssertSqlSafe;
use tracing::field::{Field, Visit};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};

use super::Ground;

/// Collects the statements that the driver reports.
#[derive(Clone, Default)]
struct Statements(Arc<Mutex<BTreeSet<String>>>);

impl<S: tracing::Subscriber> Layer<S> for Statements {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        if event.metadata().target() == "sqlx::query" {
            event.record(&mut Statement(self));
        }
    }
}

struct Statement<'a>(&'a Statements);

impl Visit for Statement<'_> {
    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "db.statement" && !value.trim().is_empty() {
            let words: Vec<&str> = value.split_whitespace().collect();
            self.0.0.lock().unwrap().insert(words.join(" "));
        }
    }
}

/// Everything that is asked about tournaments.
async fn ask_about_tournaments(tx: &mut ReadTx, ann: UserKey, board: BoardKey) {
    let name = TournamentName(1);
    tx.tournament(name).await.unwrap();
    for user in [None, Some(ann)] {
        for game in [None, Some("osbox".to_owned())] {
            let filter = TournamentFilter {
                game,
                states: vec![TournamentState::Open, TournamentState::Running],
                user,
                before: Some(name),
            };
            tx.list_tournaments(&filter, 9).await.unwrap();
        }
    }
    tx.count_directed(ann).await.unwrap();
    tx.count_announced(ann, Millis(1)).await.unwrap();
    tx.tournament_players(name).await.unwrap();
    tx.player_state(name, ann).await.unwrap();
    tx.entries_of(ann).await.unwrap();
    tx.shares_address(name, ann, true).await.unwrap();
    tx.plays_in(name, ann, (1, "a")).await.unwrap();
    tx.time_outs(ann).await.unwrap();
    tx.paired_seats(name, 1).await.unwrap();
    tx.waiting_seats(name, 9).await.unwrap();
    tx.vacations_in(name, Millis(1)).await.unwrap();
    tx.place_of_pairing(1).await.unwrap();
    tx.has_open_seats(name).await.unwrap();
    tx.open_boards(name, Some(1), 9).await.unwrap();
    tx.losses_on_time(1, ann).await.unwrap();
    tx.latest_seats(name, (1, "a"), 9).await.unwrap();
    tx.ladder_seats(board).await.unwrap();
    tx.open_challenges(name).await.unwrap();
    tx.last_meetings(name, ann, Millis(1)).await.unwrap();
    tx.players_away(name, Millis(1)).await.unwrap();
    tx.ladder_place(name, 9).await.unwrap();
    tx.ladder_players(name, (1, "a"), 9).await.unwrap();
    tx.open_challenge(name, (1, 2)).await.unwrap();
    tx.ladder_stays(name, Millis(1)).await.unwrap();
    tx.ladder_climbs(name, Millis(1)).await.unwrap();
    tx.ladder_tallies(name).await.unwrap();
    tx.ladder_changes(name, 9).await.unwrap();
    tx.tournament_log(name, Some(9), 9).await.unwrap();
    tx.entry_to_tell(name).await.unwrap();
    tx.last_action(name, TournamentAction::Say).await.unwrap();
    tx.last_word_on(name, ann).await.unwrap();
    tx.went_since(name, ann, Millis(1)).await.unwrap();
    tx.tournaments_to_work(Millis(1)).await.unwrap();
    tx.count_due_tournaments(Millis(1)).await.unwrap();
    tx.board(board).await.unwrap();
}

/// Everything that is asked for while people play, look and mail.
#[expect(clippy::too_many_lines, reason = "one list of questions")]
async fn ask_everything(ground: &Ground) {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let board = ground.board("osbox", [ann, bob]).await;
    let mut tx = ground.store.read().await.unwrap();
    tx.find_user("ann").await.unwrap();
    tx.mover(ann, "osbox", Some(1)).await.unwrap();
    tx.session("digest").await.unwrap();
    tx.sessions_of(ann).await.unwrap();
    tx.magic_link_at(ann).await.unwrap();
    tx.board_pulse("osbox", 101).await.unwrap();
    tx.chat_lines(board, 9).await.unwrap();
    tx.rating_curve("osbox", ann, 9).await.unwrap();
    tx.addresses(ann).await.unwrap();
    tx.find_board("osbox", 101).await.unwrap();
    tx.moves(board).await.unwrap();
    tx.seats(board).await.unwrap();
    tx.shared_boards(ann, bob, 9).await.unwrap();
    tx.latest_results(ann, 9).await.unwrap();
    tx.answer_times(ann, 9, 9).await.unwrap();
    tx.about(ann).await.unwrap();
    tx.list_active_users("an", "", 9).await.unwrap();
    tx.relation(ann, bob).await.unwrap();
    tx.related(ann, Relation::Block).await.unwrap();
    tx.shuns(ann, bob).await.unwrap();
    tx.is_shunned_on(board, ann).await.unwrap();
    tx.watchers_who_shun(board, ann).await.unwrap();
    tx.followed_boards(ann, 9).await.unwrap();
    tx.count_related(ann).await.unwrap();
    tx.broadcast_readers(1, 1, 9).await.unwrap();
    ask_about_tournaments(&mut tx, ann, board).await;
    tx.subscribers(board).await.unwrap();
    tx.notified_users(board).await.unwrap();
    tx.users_waiting_for(board).await.unwrap();
    tx.watches_all("osbox", ann).await.unwrap();
    tx.watched_boards("osbox", ann, 9).await.unwrap();
    tx.notified_boards("osbox", ann, 9).await.unwrap();
    tx.queued_moves(board, 1).await.unwrap();
    tx.submission(board, 1).await.unwrap();
    tx.proposal(board).await.unwrap();
    tx.users_at("ann@ann.example").await.unwrap();
    tx.comments(board).await.unwrap();
    tx.imported_tags(board).await.unwrap();
    tx.find_import("digest").await.unwrap();
    tx.boards_ended_in("osbox", Millis(1000), &[7; 32], 3).await.unwrap();
    tx.comment(board, 1).await.unwrap();
    tx.games_with_board(101, ann).await.unwrap();
    tx.count_boards("osbox").await.unwrap();
    for user in [None, Some(ann)] {
        for game in [None, Some("osbox".to_owned())] {
            for state in [None, Some(BoardState::Active), Some(BoardState::Over)] {
                for next in [false, true] {
                    for in_tournament in [None, Some(true)] {
                        let filter = BoardFilter {
                            game: game.clone(),
                            user,
                            state,
                            next,
                            in_tournament,
                            tournament: None,
                            after: Some(BoardKey(1)),
                        };
                        tx.list_boards(&filter, 10).await.unwrap();
                        let filter = BoardFilter { tournament: Some(TournamentName(1)), ..filter };
                        tx.list_boards(&filter, 10).await.unwrap();
                    }
                }
            }
        }
        tx.list_finished("osbox", user, 10).await.unwrap();
    }
    tx.accepts("osbox", ann).await.unwrap();
    tx.unrated_among("osbox", &[ann, bob]).await.unwrap();
    tx.count_active_boards("osbox", ann).await.unwrap();
    tx.rating("osbox", ann).await.unwrap();
    tx.lapsed_players("osbox", Millis(1)).await.unwrap();
    tx.rating_changes(board).await.unwrap();
    for block in [StandingsBlock::Established, StandingsBlock::Provisional, StandingsBlock::Inactive] {
        tx.standings("osbox", block, Millis(1), 10).await.unwrap();
    }
    tx.list_seeks("osbox", 10).await.unwrap();
    tx.seek("osbox", ann).await.unwrap();
    tx.next_inbox_due().await.unwrap();
    tx.next_outbox_due().await.unwrap();
    tx.count_waiting_inbox().await.unwrap();
    tx.count_waiting_outbox().await.unwrap();
    tx.saved_response(&RequestKey { digest: "k".to_owned(), since: Millis(1) }).await.unwrap();
    ask_about_time(&mut tx, board, ann).await;
    ask_for_feeds(&mut tx, ann).await;
    tx.address_trouble("a@b.example").await.unwrap();
    tx.count_bounce_days("a@b.example", Millis(1), Millis(1)).await.unwrap();
    tx.stopped_addresses_of(ann).await.unwrap();
    tx.stopped_addresses("a@b.example", 9).await.unwrap();
    tx.board_reader_facts(board, "osbox").await.unwrap();
    tx.reader_facts(&[ann], "osbox").await.unwrap();
    tx.find_seated_board("osbox", 101).await.unwrap();
    tx.seated_board(board).await.unwrap();
    tx.administrators(9).await.unwrap();
    let (filter, window) =
        (knotpost_storage::MailFilter::default(), knotpost_storage::Window { low: 1, high: 9 });
    tx.list_inbox(&filter, window, 9).await.unwrap();
    tx.list_outbox(&filter, window, 9).await.unwrap();
    ask_as_administrator(&mut tx, ann).await;
    drop(tx);
    let write = ground.store.write(async move |tx| {
        tx.prune_audit(Millis(1)).await?;
        tx.prune_tokens(Millis(1)).await?;
        tx.lease_inbox(Millis(1), Millis(2)).await?;
        let place = NewPlace { flow: "x".into(), from_domain: "x".into(), share: Share::Unproven };
        let bounds = QueueBounds { per_flow: 9, per_domain: 9, total: 9 };
        assert_eq!(tx.bound_met(&place, &bounds).await?, None);
        tx.insert_waiting(&super::mails::received(1, None), &place).await?;
        ask_as_sender(tx).await?;
        tx.drop_board_mails(board, Millis(1)).await?;
        tx.set_due(board, Some(Millis(1)), None).await?;
        tx.put_off(board, Millis(1)).await?;
        tx.make_due(ann, Millis(1)).await?;
        tx.make_all_due(Millis(1)).await?;
        tx.trim_outages(Millis(1)).await?;
        tx.prune_inbox(Millis(1), Millis(1), 1).await?;
        tx.prune_outbox(Millis(1)).await?;
        tx.prune_responses(Millis(1)).await?;
        tx.prune_bounces(Millis(1)).await?;
        tx.start_address("a@b.example").await?;
        tx.prune_confirmations(Millis(1)).await
    });
    write.await.unwrap();
    ask_about_webhooks(ground, ann).await;
}

/// What who sends mail asks for.
async fn ask_as_sender(tx: &mut WriteTx) -> Result<(), StoreError> {
    let mail = OutboxKey(1);
    tx.lease_outbox(Millis(1), Millis(2), 1).await?;
    tx.lease_newer_outbox(&[mail], Millis(1), Millis(2)).await?;
    tx.boards_waiting_beside(&[mail]).await?;
    let row = OutboxRow {
        id: mail,
        kind: "board".to_owned(),
        recipient: "a@b.example".to_owned(),
        user_id: None,
        board_id: None,
        ply: None,
        facts: None,
        message_id: "1@here".to_owned(),
        date: Millis(1),
        attempts: 1,
        unsure_attempts: 1,
    };
    tx.delivery_status(&row, Millis(1)).await?;
    tx.seated_boards(&[BoardKey(1)]).await?;
    tx.moves_of(&[BoardKey(1)]).await?;
    tx.coalesce_outbox(mail, "{}", &[mail], Millis(2)).await?;
    tx.note_sent_outbox(&[mail], Millis(2)).await?;
    tx.give_back_outbox(&[mail], Millis(1), Millis(2)).await
}

/// What webhooks ask for.
async fn ask_about_webhooks(ground: &Ground, ann: UserKey) {
    let mut tx = ground.store.read().await.unwrap();
    tx.webhooks_of(ann).await.unwrap();
    tx.webhook(1).await.unwrap();
    tx.hooks_of_readers(&[ann], 9).await.unwrap();
    tx.next_hook_due().await.unwrap();
    tx.count_waiting_hook_events().await.unwrap();
    drop(tx);
    let write = ground.store.write(async move |tx| {
        tx.lease_hook_event(Millis(1), Millis(2)).await?;
        tx.put_hook_off(1, Millis(2), Millis(1)).await?;
        tx.hurry_hook(1, Millis(1)).await?;
        tx.drop_stale_hook_events(Millis(1), "stale", Millis(2)).await?;
        tx.drop_hook_events(1, "gone", Millis(1)).await
    });
    write.await.unwrap();
}

/// What the clock asks, and who shows how much time is left.
async fn ask_about_time(tx: &mut ReadTx, board: BoardKey, ann: UserKey) {
    tx.due_boards(Millis(1), 10).await.unwrap();
    tx.bot_turns(Millis(1), 10).await.unwrap();
    tx.bot_turn_on("osbox", 101, Millis(1)).await.unwrap();
    tx.program_boards(ann, 10).await.unwrap();
    tx.program_board(ann, "osbox", 101).await.unwrap();
    tx.ended_program_boards(ann, "osbox", Millis(1), 10).await.unwrap();
    tx.leader_lease("clock").await.unwrap();
    tx.is_mail_waiting(Millis(1)).await.unwrap();
    tx.outages(Millis(1)).await.unwrap();
    tx.board_pauses(board).await.unwrap();
    tx.vacations(ann, Millis(1)).await.unwrap();
    tx.vacations_on(board, Millis(1)).await.unwrap();
}

/// What programs that read feeds ask.
async fn ask_for_feeds(tx: &mut ReadTx, ann: UserKey) {
    tx.feed_key(ann).await.unwrap();
    for order in [WaitingOrder::Latest, WaitingOrder::Shortest { forfeit_ms: 9 }] {
        tx.boards_waiting_for(ann, order, 9).await.unwrap();
    }
}

/// What the pages of the administration ask for.
async fn ask_as_administrator(tx: &mut ReadTx, ann: UserKey) {
    for user in [None, Some("ann".to_owned())] {
        let filter = knotpost_storage::AuditFilter { user, ..Default::default() };
        tx.list_audit(&filter, 9).await.unwrap();
    }
    tx.token("digest").await.unwrap();
    tx.tokens_of(ann).await.unwrap();
    tx.user_with_token(ann, 1).await.unwrap();
    tx.search_users("an", "", 9).await.unwrap();
    tx.users_with_address("a@b.example", "", 9).await.unwrap();
    tx.next_deadlines(9).await.unwrap();
    tx.last_received_at().await.unwrap();
    tx.last_sent_at().await.unwrap();
    tx.waiting_broadcasts(9).await.unwrap();
}

fn plan(tx: &mut ReadTx, statement: &str) -> Vec<String> {
    let Driver::Sqlite(connection) = tx.driver_for_tests() else { panic!("plans are SQLite's") };
    let mut explain = connection.prepare(&format!("EXPLAIN QUERY PLAN {statement}")).unwrap();
    // The parameters may be NULL: a plan is the same for all arguments.
    explain.raw_query().mapped(|row| row.get("detail")).map(Result::unwrap).collect()
}

#[tokio::test]
async fn hot_statements_run_along_indexes() {
    let statements = Statements::default();
    let filter = tracing_subscriber::filter::Targets::new().with_target("sqlx::query", tracing::Level::DEBUG);
    let subscriber = tracing_subscriber::registry().with(statements.clone().with_filter(filter));
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let ground = Ground::sqlite().await;
    statements.0.lock().unwrap().clear();
    ask_everything(&ground).await;
    let heard: Vec<String> = statements.0.lock().unwrap().iter().cloned().collect();
    assert!(heard.len() > 25, "the driver told of {} statements only", heard.len());
    let mut tx = ground.store.read().await.unwrap();
    let mut report = String::new();
    for statement in heard.iter().filter(|s| !s.starts_with("INSERT INTO")) {
        let lines = plan(&mut tx, statement);
        let scans = lines.iter().filter(|line| line.starts_with("SCAN") && !may_be_scanned(line));
        assert_eq!(scans.count(), 0, "{statement}\n{lines:#?}");
        // What is sorted before the limit reads all that somebody has ever played.
        let is_limited = !statement.contains("FROM seats s CROSS JOIN boards b")
            || !lines.iter().any(|line| line.contains("TEMP B-TREE"));
        assert!(is_limited, "{statement}\n{lines:#?}");
        writeln!(report, "{statement}").unwrap();
        for line in lines {
            writeln!(report, "    {line}").unwrap();
        }
    }
    insta::assert_snapshot!(report);
}

/// All events of a webhook that was put off are due in the same moment; to sort them for each lease would take ever
/// longer the more there are.
#[tokio::test]
async fn leases_on_postgresql_are_sorted_by_an_index() {
    let Some(ground) = Ground::postgres().await else { return };
    let mut tx = ground.store.read().await.unwrap();
    let Driver::Postgres(connection) = tx.driver_for_tests() else { panic!("not PostgreSQL") };
    // All other plans are made too expensive, as tables are empty here.
    let settings = "SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off; \
                    SET LOCAL enable_incremental_sort = off";
    sqlx::raw_sql(settings).execute(connection).await.unwrap();
    for (table, waiting) in [
        ("inbox", "state = 'new' AND due_at <= 1 ORDER BY turn, id"),
        ("inbox", "state = 'new' AND flow = 'x' ORDER BY turn"),
        ("inbox", "state = 'new' AND share = 1 AND from_domain = 'x' ORDER BY share, from_domain"),
        ("outbox", "state = 'queued' AND webhook_id IS NULL AND due_at <= 1 ORDER BY due_at, id"),
        ("outbox", "state = 'queued' AND webhook_id IS NOT NULL AND due_at <= 1 ORDER BY due_at, id"),
    ] {
        let explain = format!("EXPLAIN SELECT id FROM {table} WHERE {waiting} LIMIT 1");
        let Driver::Postgres(connection) = tx.driver_for_tests() else { panic!("not PostgreSQL") };
        let plan = sqlx::query_scalar(AssertSqlSafe(explain)).fetch_all(connection);
        let plan: Vec<String> = plan.await.unwrap();
        assert!(plan.iter().any(|line| line.contains("Index")), "{table}: {plan:#?}");
        assert!(!plan.iter().any(|line| line.contains("Sort")), "{table}: {plan:#?}");
    }
}

/// PostgreSQL expects next to no waiting mails where none waited when it counted last.
#[tokio::test]
async fn newer_mails_on_postgresql_are_found_by_their_board() {
    let Some(ground) = Ground::postgres().await else { return };
    let players = [ground.user("ann").await, ground.user("bob").await];
    let boards = [ground.board("osbox", players).await, ground.board("osbox", players).await];
    let mail = move |board: BoardKey, ply: i64| NewOutbox {
        kind: "board",
        recipient: "a@b.example".to_owned(),
        user: None,
        on_reply: None,
        content: OutboxContent::Board(BoardMail { board, ply, facts: "{}".to_owned(), wait_ms: 0 }),
        message_id: format!("{}-{ply}@here", board.0),
        date: Millis(1),
    };
    let count = "SELECT CAST(seq_tup_read + idx_tup_fetch AS BIGINT) FROM pg_stat_xact_user_tables WHERE relname = 'outbox'";
    let read = ground.store.write(async move |tx| {
        tx.insert_outboxes(&(1..=400).map(|ply| mail(boards[0], ply)).collect::<Vec<_>>()).await?;
        let sent: Vec<OutboxKey> = (1..=400).map(OutboxKey).collect();
        tx.note_sent_outbox(&sent, Millis(2)).await?;
        let Driver::Postgres(connection) = tx.driver_for_tests() else { panic!("not PostgreSQL") };
        sqlx::raw_sql("ANALYZE outbox").execute(connection).await?;
        tx.insert_outboxes(
            &(1..=200).map(|ply| mail(boards[ply as usize % 2], 400 + ply)).collect::<Vec<_>>(),
        )
        .await?;
        let Driver::Postgres(connection) = tx.driver_for_tests() else { panic!("not PostgreSQL") };
        let before: i64 = sqlx::query_scalar(count).fetch_one(connection).await?;
        let leased: Vec<OutboxKey> = [401, 403].map(OutboxKey).to_vec();
        assert_eq!(tx.lease_newer_outbox(&leased, Millis(3), Millis(9)).await?.len(), 99);
        let Driver::Postgres(connection) = tx.driver_for_tests() else { panic!("not PostgreSQL") };
        let after: i64 = sqlx::query_scalar(count).fetch_one(connection).await?;
        Ok::<_, StoreError>(after - before)
    });
    let read = read.await.unwrap();
    assert!(read < 5_000, "{read} rows read");
}

/// Walks along an index, of one row a game, of what was found along one, or that stop at a `LIMIT`.
fn may_be_scanned(line: &str) -> bool {
    line.contains("INDEX")
        || line.starts_with("SCAN (subquery")
        || [
            "SCAN n",
            "SCAN due",
            "SCAN named",
            "SCAN watchers",
            "SCAN readers",
            "SCAN queued",
            "SCAN own",
            "SCAN shared",
            "SCAN oldest",
            "SCAN inbox",
            "SCAN outbox",
            "SCAN outages",
            "SCAN waiting",
            "SCAN audit",
            // Turns of computer players that are due: a few of each person.
            "SCAN d",
        ]
        .contains(&line)
}
