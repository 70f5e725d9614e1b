//! The contract of the store: every function, on SQLite and on PostgreSQL, with the same results.
//!
//! A contract is a function over a [`Ground`]; the list below runs each of them on both databases.

mod auditing;
mod boards;
mod clock;
mod feeds;
mod leaving;
mod mails;
mod people;
mod plans;
mod rating;
mod reconnecting;
mod replay;
mod requests_once;
mod returning;
mod schema;
mod submitting;
mod together;
mod transactions;
mod turns;
mod visiting;
mod waiting;
mod watching;
mod whole;
mod wishes;

use std::path::Path;

use knotpost_core::boards::{Code, Refusal, ServiceError};
use knotpost_model::{BoardKey, Millis, UserKey};
use knotpost_storage::{NewBoard, NewSeat, NewUser, Settings, Store, StoreError};

use crate::postgres;
pub(crate) use whole::made_up;

/// A migrated, empty database that disappears with this value.
struct Ground {
    settings: Settings,
    store: Store,
    folder: tempfile::TempDir,
    _database: Option<postgres::TestDatabase>,
}

impl Ground {
    async fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let settings = settings("sqlite:", folder.path());
        Self::open(settings, folder, None).await
    }

    /// `None` where no PostgreSQL was provided.
    async fn postgres() -> Option<Self> {
        let database = postgres::database().await?;
        let folder = tempfile::tempdir().unwrap();
        let settings = settings(database.url(), folder.path());
        Some(Self::open(settings, folder, Some(database)).await)
    }

    async fn open(
        settings: Settings,
        folder: tempfile::TempDir,
        database: Option<postgres::TestDatabase>,
    ) -> Self {
        Store::migrate(&settings).await.unwrap();
        let store = Store::open(&settings).await.unwrap();
        Self { settings, store, folder, _database: database }
    }

    /// A user of that name.
    async fn user(&self, userid: &'static str) -> UserKey {
        let new = NewUser { userid: userid.to_owned(), password_hash: "hash".to_owned(), at: Millis(1) };
        let key = self.store.write(async move |tx| tx.insert_user(&new).await);
        key.await.unwrap().unwrap()
    }

    /// A board of `game` between two users, the first to move.
    async fn board(&self, game: &'static str, players: [UserKey; 2]) -> BoardKey {
        let key = self.store.write(async move |tx| {
            let number = tx.take_board_number(game).await?;
            let key = tx.insert_board(number, &new_board(game)).await?;
            for (seat, user) in (1..).zip(players) {
                tx.insert_seat(key, NewSeat { seat, user, to_move: seat == 1 }).await?;
            }
            Ok::<_, StoreError>(key)
        });
        key.await.unwrap()
    }
}

fn settings(url: &str, data: &Path) -> Settings {
    Settings { url: url.to_owned(), data: data.to_owned(), max_connections: 8 }
}

fn new_board(game: &str) -> NewBoard {
    NewBoard {
        game: game.to_owned(),
        options: "-size=5".to_owned(),
        rules_version: 1,
        seed: [7; 32],
        rated: true,
        position: "start".to_owned(),
        scores: "0-0".to_owned(),
        at: Millis(10),
        nag_ms: None,
        forfeit_ms: Some(5),
        total_ms: None,
        pairing: None,
    }
}

/// A refusal for the test.
fn refusal() -> ServiceError {
    Refusal::new(Code::NotAllowed, "on purpose").into()
}

macro_rules! contracts {
    ($($room:ident::$name:ident),* $(,)?) => {
        mod on_sqlite {
            $(#[tokio::test]
            async fn $name() {
                super::$room::$name(&super::Ground::sqlite().await).await;
            })*
        }
        mod on_postgres {
            $(#[tokio::test]
            async fn $name() {
                let Some(ground) = super::Ground::postgres().await else { return };
                super::$room::$name(&ground).await;
            })*
        }
    };
}

contracts! {
    waiting::a_flood_from_one_host_delays_others_by_a_few_mails,
    waiting::a_leased_mail_does_not_hold_turns_back,
    waiting::each_share_of_the_queue_has_bounds_of_its_own,
    people::names_ignore_case_and_are_taken_once,
    people::what_is_known_of_a_user_can_be_changed,
    people::addresses_belong_to_their_user,
    turns::a_queue_replaces_the_one_before_and_is_used_up,
    turns::a_board_holds_one_proposal,
    turns::moves_taken_back_leave_what_was_said_as_chat,
    turns::moves_of_several_boards_are_read_together,
    wishes::a_wish_for_a_game_counts_before_the_one_for_all,
    wishes::a_wish_can_be_taken_back,
    wishes::readers_of_a_board_bring_their_wishes_and_addresses,
    wishes::a_digest_is_taken_once_with_its_boards,
    submitting::a_seat_submits_one_move_at_a_time,
    submitting::what_was_submitted_goes_with_moves_taken_back,
    leaving::a_code_is_tried_a_few_times_within_its_time,
    leaving::a_broadcast_is_passed_on_in_parts,
    leaving::who_leaves_is_forgotten_and_nobody_else,
    leaving::a_mail_by_reference_is_queued,
    whole::rows_of_a_user_go_or_stay_as_their_table_says,
    visiting::sessions_begin_are_used_and_end,
    visiting::a_link_is_taken_once_and_only_the_latest,
    visiting::a_board_has_a_pulse,
    people::a_stranger_is_asked_once_in_a_while,
    people::answers_to_requests_are_kept_for_a_while,
    boards::a_board_comes_back_as_it_was_stored,
    boards::a_move_number_is_given_once,
    boards::seats_and_watchers_are_kept_apart,
    boards::a_board_can_begin_again,
    boards::remarks_know_their_move_and_speaker,
    boards::lists_hold_what_the_filter_asks_for,
    boards::the_boards_of_a_user_are_paged_through_in_order,
    boards::counts_follow_the_boards,
    boards::a_number_without_a_game_finds_the_users_boards,
    clock::due_boards_come_longest_due_first,
    clock::a_duty_is_with_whoever_took_it_last,
    clock::outages_are_kept_and_cut_off,
    clock::vacations_are_kept_with_their_board,
    mails::a_received_mail_waits_until_its_outcome_is_known,
    mails::two_readers_never_get_the_same_mail,
    mails::a_mail_is_acted_on_once_in_its_window,
    mails::answers_are_counted_by_the_hour,
    mails::an_outgoing_mail_is_leased_deferred_and_ended,
    mails::mails_that_were_taken_can_be_given_back,
    mails::mails_that_have_left_are_noted_together,
    mails::what_speaks_against_sending_is_known_to_whoever_has_the_mail,
    mails::a_mail_is_looked_up_with_its_reader_and_boards_together,
    mails::two_senders_never_get_the_same_mail,
    mails::a_recipient_of_a_leased_mail_waits_and_no_other_does,
    mails::board_mails_are_dropped_when_their_board_begins_again,
    mails::newer_mails_about_a_board_are_leased_with_an_older_one,
    mails::what_is_sealed_is_found_by_how_it_begins,
    returning::bounces_are_counted_by_day,
    returning::two_reports_at_once_see_one_another,
    returning::a_mail_arrived_that_did_not_come_back,
    returning::an_address_is_stopped_told_of_and_started,
    returning::administrators_in_good_standing_are_found,
    returning::mails_are_listed_by_what_they_are,
    returning::only_mails_in_the_right_state_are_tried_again_or_dropped,
    mails::old_outcomes_are_pruned_and_waiting_mails_are_not,
    mails::mails_that_wait_keep_no_ended_ones_from_being_pruned,
    watching::watchers_are_those_of_the_board_and_of_its_game,
    watching::the_end_is_heard_by_those_who_asked,
    watching::imports_are_known_again_and_keep_their_numbers,
    watching::what_was_said_with_moves_is_kept_apart_from_chat,
    rating::who_plays_where_follows_boards_and_seats,
    rating::challenges_are_taken_without_limit_until_something_is_said,
    rating::seeks_find_their_equals_in_order,
    rating::ratings_come_back_as_they_were_stored,
    rating::history_holds_the_rated_boards_that_are_over,
    rating::standings_part_players_from_those_who_are_gone,
    together::moves_made_together_are_as_if_made_alone,
    together::a_move_that_fails_among_others_is_undone_alone,
    together::a_key_is_looked_at_with_the_move_that_shows_it,
    together::moves_on_one_board_follow_each_other,
    together::what_a_move_has_written_is_what_it_finds,
    together::what_is_written_beside_moves_does_not_mislead_them,
    together::closing_finishes_moves_that_wait,
    requests_once::answers_are_stored_with_the_moves_they_tell_of,
    requests_once::the_same_key_at_once_makes_one_move,
    requests_once::an_answer_that_is_too_old_is_replaced,
    requests_once::the_same_mail_at_once_is_acted_on_once,
    transactions::a_failed_write_leaves_nothing,
    transactions::a_savepoint_undoes_only_what_came_after_it,
    transactions::savepoints_lie_within_each_other,
    transactions::a_refused_write_leaves_nothing_but_its_refusal,
    transactions::a_refusal_is_not_tried_again,
    transactions::one_failing_write_of_many_is_undone_alone,
    transactions::a_write_is_told_of_only_when_everybody_can_see_it,
    transactions::a_panic_in_a_write_harms_no_other,
    transactions::a_caller_who_goes_away_leaves_nothing_open,
    transactions::a_read_sees_one_snapshot_and_writes_nothing,
    transactions::closing_finishes_what_waits,
    transactions::writes_that_meet_on_one_row_are_all_made,
    transactions::writes_that_keep_meeting_on_one_row_are_all_made,
    schema::migrations_run_twice_and_side_by_side,
    schema::a_newer_schema_is_refused_by_name,
    schema::a_schema_that_does_not_fit_is_noticed_without_migrating,
    schema::what_servers_agree_about_is_kept,
    auditing::the_log_is_read_by_user_and_time,
    auditing::keys_are_found_by_digest_and_end,
    auditing::a_paused_board_is_not_due,
    feeds::feeds_have_an_address_until_they_are_ended,
    feeds::boards_that_wait_come_in_the_order_asked_for,
    auditing::the_state_of_the_server_is_told,
    auditing::users_are_searched_by_beginning_and_address,
    replay::stored_moves_lead_to_the_stored_position,
    whole::every_table_and_column_is_described,
}
