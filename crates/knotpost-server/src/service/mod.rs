//! Use cases: what a command does. They own the transaction's content and know neither HTTP nor
//! MIME; the edges turn bytes into [`Request`]s and [`Answer`]s into bytes.

mod acquaintances;
mod admin;
mod answer;
mod answering;
mod answers;
mod board;
mod board_letters;
mod boards;
mod bounces;
mod buckets;
mod challenge;
mod chance;
mod choosing;
mod commands;
mod confirming;
mod credentials;
mod deadlines;
mod departure;
mod depiction;
mod digest;
mod do_not_mail;
mod drawing;
mod duty;
mod execute;
mod feed_keys;
mod hashing;
mod held;
mod history;
mod inspector;
mod letter;
mod limits;
mod mail_json;
mod mail_text;
mod mailbox;
mod mailing;
mod moves;
mod moving;
mod opponents;
mod own_settings;
mod pass;
mod peers;
mod post;
mod postmaster;
mod preferences;
mod prepare;
mod prepared;
mod profiles;
mod proposals;
mod proving;
mod queries;
mod ratings;
mod reader;
mod readers;
mod recent_boards;
mod recompute;
mod records;
mod references;

mod queue;
mod refusal;
mod repeated;
mod replay;
mod request;
mod resets;
mod resignation;
mod server_key;
mod sessions;
mod settle;
mod sheet;
mod strangers;
mod style;
mod submission;
mod talk;
mod time;
mod token;
mod tokens;
mod turns;
mod undoing;
mod unsubscribe;
mod users;
mod views;
mod waiting;
mod webhook_intake;
mod webhooks;

pub use acquaintances::Acquaintances;
pub use admin::{
    Administrator, AuditPage, AuditQuery, BoardDeed, Deed, Door, Inspection, Jobs, Overview, QueueFacts,
    QueuedLine, administer, inspect_board, view_audit, view_jobs, view_overview,
};
pub use answer::{
    Answer, Audience, BoardLine, BudgetSpent, ChatsSpent, Column, Content, ErrorReply, Fact, Facts, Failure,
    GameCount, Holds, LineResult, Reply, SeekLine, StandingLine, StandingsTable, Stranger, Table,
};
pub use answering::{Answering, Credit, ask_for_confirmation};
pub use answers::Answers;
pub use board::{Board, Entry, Standing};
pub use board_letters::{BoardLetter, Sources, letter_by_reference};
pub use bounces::{
    BounceOutcome, CONFIRMATION_KIND, STOPPED, heard_from, record_report, record_trouble, view_reach,
    view_stopped,
};
pub use chance::{Chance, chance, commitment};
pub use choosing::{Choosing, choose};
pub use commands::{
    Sample, TOPICS, already_played, help_page, pass_on_broadcast, view_seeks, view_standings,
};
pub use confirming::{Asked, Confirmed, confirm_address, too_old as confirmation_too_old};
pub use credentials::{Credentials, HashError, Login, Try};
pub use deadlines::work_due;
pub use depiction::{Basis, view_again};
pub use digest::send_next_digest;
pub use do_not_mail::{UNMAILED_PER_PAGE, view_unmailed};
pub use drawing::{Drawing, Scene};
pub use duty::{CLOCK_DUTY, Lookout, Watch, keep_watch, leave_watch};
pub use execute::{Saved, apply, execute, execute_once};
pub use feed_keys::{FeedKey, FeedReader, end_feed_key, find_feed_reader, renew_feed_key, view_feed_key};
pub use history::{Entries, History};
pub use inspector::{MailChange, MailPage, MailQuery, view_inbox, view_outbox, view_outgoing, view_received};
pub use letter::{
    Auto, Composer, Depicted, Draft, Drawn, Letter, MailForm, PICTURE_ENDS, StoredDraft, picture_begins,
};
pub use limits::{Limited, Limits, Rate, Scope as ShareOf, Share};
pub use mail_json::{OutgoingMail, ReceivedMail, masked_recipients, waits};
pub use mail_text::{Author, described, mask_tokens, masked_fields, masked_text};
pub use mailbox::{
    LocalMail, LocalMailbox, MailLine, MailLines, list_local_mail, read_local_mail, show_local_mail,
};
pub use mailing::{coalesce_before_sending, coalesce_leased};
pub use moves::plan_move;
pub use moving::{
    Began, Checked, Exported, ForeignKey, MoveError, Moved, OnProgress, Stage, check_export, discard_import,
    export_server, import_server, is_export, unfinished_import,
};
pub use own_settings::{OwnSettings, view_own_settings};
pub use pass::Claim;
pub use peers::{Announcements, Announcer, Notice, Wakeup, handle_notification, tell_peers};
pub use post::{BoardFacts, Envelope, Heading, Note, compose_answer, post_to_address};
pub use postmaster::{ToPostmaster, hand_to_administrators};
pub use preferences::PreferenceLine;
pub use prepare::{prepare, prepare_at_once};
pub use prepared::Prepared;
pub use profiles::{GameRating, Profile, view_profile};
pub use proving::whose_password;
pub use ratings::rate_board;
pub use recent_boards::RecentBoards;
pub use recompute::{Recompute, Recomputed, recompute_ratings};
pub use records::{Import, Imported, Played, ReadError, Strangers, export_record, import, read_games};
pub use references::{Referred, referred_to};

pub use proposals::{accept_silent_draw, pending_proposal};
pub use refusal::{Code, Refusal, ServiceError};
pub use replay::{Difference, Replayed, replay_next};
pub use request::{Channel, Origin, Proof, ProvenUser, Request, gave_password_lately};
pub use resets::{set_password_by_link, view_reset};
pub use server_key::{KeyError, KeyUse, adopt_key, check_key, reseal_webhooks, view_key_use};
pub use sessions::{
    RECENT_MS, SESSION_MS, SessionView, Visitor, ask_for_link, find_visitor, give_password, log_in,
    log_in_by_link, log_out, log_out_everywhere, view_link, view_sessions,
};
pub use sheet::{Listing, Seat, Sheet, Spoken, TimeFacts, Verdict};
pub use strangers::{is_welcome, view_stranger_policy};
pub use style::Style;
pub use talk::{Pulse, TalkLine, view_pulse, view_talk};
pub use time::{BoardPauses, Judgement, LastMoment, TimeLimits, TimeUp, Timing, judge, time_used};
pub use tokens::{
    Bearer, FreshToken, LONGEST_NAME as LONGEST_TOKEN_NAME, MOST_DAYS as MOST_TOKEN_DAYS, Scope, TokenView,
    TokenWish, USUAL_DAYS, create_token, find_bearer, recall_bearer, revoke_token, view_tokens,
};
pub use undoing::{TakenBack, undo_address_change, view_address_change};
pub use unsubscribe::{Kind as UnsubscribeKind, Refusable, unsubscribe, view_unsubscribe};
pub use users::{
    UserEdit, UserView, search_refused_names, search_users, view_public_user, view_user, view_user_by_key,
    view_users,
};
pub use views::{BoardPage, BoardQuery, BoardView, view_board, view_boards, view_games};
pub use waiting::{MOST_WAITING, Waiting, view_deadlines, view_turns};
pub use webhook_intake::{ReturnPath, WebhookIntake, WebhookMail, WebhookOutcome};
pub use webhooks::{
    Delivery, Fate, FreshHook, HookEvent, HookSecret, HookView, HookWish, KIND as WEBHOOK_KIND,
    MOST_WEBHOOKS, Taken, create_webhook, note_fate, remove_webhook, renew_webhook_secret, start_webhook,
    take_delivery, test_webhook, view_webhooks,
};
