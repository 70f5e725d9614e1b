//! Every table of the schema, with the columns to be transferred, or the reason why it stays.
//!
//! New tables must be named in one of the two lists; a test compares them with the schema.

use crate::connection::Kind;

#[derive(Clone, Copy, Debug)]
pub struct Column {
    pub name: &'static str,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug)]
pub struct Table {
    pub name: &'static str,
    /// Primary key; rows are transferred in its order.
    pub key: &'static [&'static str],
    /// In the order of writing.
    pub columns: &'static [Column],
}

#[derive(Clone, Copy, Debug)]
pub struct Staying {
    pub name: &'static str,
    pub why: &'static str,
}

macro_rules! table {
    ($name:ident [$($key:ident)+] $($column:ident: $kind:ident),+ $(,)?) => {
        Table {
            name: stringify!($name),
            key: &[$(stringify!($key)),+],
            columns: &[$(Column { name: stringify!($column), kind: Kind::$kind }),+],
        }
    };
}

/// Each after those it refers to.
pub const TABLES: &[Table] = &[
    table!(server_facts [name] name: Text, value: Text),
    table!(users [id] id: Int, userid: Text, userid_key: Text, password_hash: Text, role: Text, state: Text,
        created_at: Int, broadcast_at: Int, password_changed_at: Int),
    table!(addresses [id] id: Int, user_id: Int, address: Text, address_key: Text, verified_at: Int,
        leaving: Flag, created_at: Int, stop_told_at: Int),
    table!(audit [id] id: Int, at: Int, door: Text, actor: Text, actor_key: Text, deed: Text, subject: Text,
        subject_user: Text, outcome: Text, detail: Text),
    table!(confirmations [address_key] address_key: Text, sent_at: Int),
    table!(confirmation_mails [id] id: Int, address_key: Text, sent_at: Int, user_id: Int, aligned: Flag),
    table!(failing_addresses [address_key] address_key: Text, last_at: Int, stopped_at: Int, why: Text),
    table!(preferences [user_id game name] user_id: Int, game: Text, name: Text, value: Text),
    table!(webhooks [id] id: Int, user_id: Int, url: Text, events: Text, secret: Bytes, created_at: Int,
        sent_at: Int, failures: Int, failing_since: Int, stopped_at: Int, error: Text, form: Text, label: Text,
        session: Text),
    table!(vacations [user_id from_at] user_id: Int, from_at: Int, until_at: Int),
    table!(user_games [user_id game] user_id: Int, game: Text, accepts: Flag, board_limit: Int,
        subscribes: Flag, notifies: Flag),
    table!(seeks [user_id game] user_id: Int, game: Text, wanted: Int, options: Text, rated: Flag,
        nag_ms: Int, forfeit_ms: Int, total_ms: Int, place: Int, at: Int),
    table!(seek_orders [game] game: Text, next: Int),
    table!(board_numbers [game] game: Text, next: Int),
    table!(tournaments [id] id: Int, game: Text, form: Text, rules: Text, title: Text, description: Text,
        terms: Text, state: Text, announcer_id: Int, director_id: Int, created_at: Int, starts_at: Int,
        delays: Int, started_at: Int, ended_at: Int, round: Int, deadline: Int, extended: Flag, reminders: Int,
        due_at: Int, rests_until: Int, next_id: Int),
    table!(tournament_players [tournament_id entry] tournament_id: Int, entry: Int, user_id: Int, number: Int,
        pool: Text, state: Text, entered_at: Int, left_at: Int, left_why: Text, counts: Flag, leaving: Flag),
    table!(tournament_pairings [id] id: Int, tournament_id: Int, round: Int, pool: Text, number: Int,
        deadline: Int, opened: Flag),
    table!(boards [id] id: Int, game: Text, number: Int, options: Text, rules_version: Int, seed: Bytes,
        state: Text, rated: Flag, ply: Int, position: Text, scores: Text, winners: Text, reason: Text,
        started_at: Int, last_move_at: Int, ended_at: Int, nag_ms: Int, forfeit_ms: Int, total_ms: Int,
        due_at: Int, nagged_at: Int, paused_at: Int, pairing_id: Int),
    table!(tournament_seats [pairing_id game seat] pairing_id: Int, game: Int, seat: Int, tournament_id: Int,
        entry: Int, board_id: Int, points: Int, played: Flag, on_time: Flag),
    table!(tournament_log [id] id: Int, tournament_id: Int, at: Int, user_id: Int, deed: Text, subject_id: Int,
        board_id: Int, words: Text, told_after: Int),
    table!(board_origins [board_id] board_id: Int, sought: Flag, rematch_of: Int),
    table!(seats [board_id seat] board_id: Int, seat: Int, user_id: Int, state: Text, to_move: Flag,
        resign_pending: Flag),
    table!(moves [board_id number] board_id: Int, number: Int, seat: Int, kind: Text, text: Text, auto: Flag,
        at: Int),
    table!(remarks [id] id: Int, board_id: Int, ply: Int, user_id: Int, kind: Text, text: Text, at: Int),
    table!(imports [board_id] board_id: Int, digest: Text, tags: Text, at: Int),
    table!(subscribers [board_id user_id] board_id: Int, user_id: Int),
    table!(notifications [board_id user_id] board_id: Int, user_id: Int),
    table!(board_notes [user_id board_id] user_id: Int, board_id: Int, text: Text, at: Int),
    table!(proposals [board_id] board_id: Int, kind: Text, seat: Int, ply: Int, accepted: Text, at: Int),
    table!(refused_offers [board_id user_id kind] board_id: Int, user_id: Int, kind: Text, ply: Int),
    table!(queued_moves [board_id seat place] board_id: Int, seat: Int, place: Int, condition: Text,
        text: Text, number: Int, ply: Int, at: Int),
    table!(submissions [board_id seat] board_id: Int, seat: Int, ply: Int, text: Text, comment: Text, at: Int),
    table!(board_pauses [board_id from_at] board_id: Int, from_at: Int, until_at: Int),
    table!(outages [from_at] from_at: Int, until_at: Int),
    table!(duties [name] name: Text, holder: Text, until_at: Int, alive_at: Int),
    table!(ratings [user_id game] user_id: Int, game: Text, rating: Real, value_sum: Real, games: Int,
        won: Int, lost: Int, tied: Int, glicko: Real, deviation: Real, volatility: Real, active: Flag,
        ended_at: Int),
    table!(rating_changes [board_id user_id] board_id: Int, user_id: Int, game: Text, place: Int,
        before: Real, after: Real, active: Flag, at: Int),
    table!(rating_activity [game place user_id] game: Text, place: Int, user_id: Int, active: Flag, at: Int),
    table!(rating_orders [game] game: Text, next: Int, players: Int, sum: Int),
    table!(digest_boards [user_id board_id] user_id: Int, board_id: Int, since: Int),
    table!(digests [user_id] user_id: Int, due_at: Int),
    table!(puzzle_mails [user_id] user_id: Int, due_at: Int),
    table!(broadcasts [id] id: Int, user_id: Int, text: Text, at: Int, after_user: Int, done_at: Int),
    table!(inbox [id] id: Int, received_at: Int, way: Text, peer: Text, mail_from: Text, recipients: Text,
        size: Int, sender: Text, message_id: Text, subject: Text, text: Text, raw: Bytes, state: Text,
        reason: Text, attempts: Int, due_at: Int, done_at: Int, verdicts: Text, host: Text, turn: Int,
        flow: Text, from_domain: Text, share: Int),
    table!(inbox_seen [dedupe_key] dedupe_key: Text, inbox_id: Int, at: Int),
    table!(answer_budget [address_key] address_key: Text, hour: Int, answers: Int, bytes: Int),
    table!(do_not_mail [target] target: Text, reason: Text, at: Int),
    table!(outbox [id] id: Int, kind: Text, recipient: Text, user_id: Int, board_id: Int, ply: Int,
        facts: Text, on_reply: Text, message_id: Text, date: Int, state: Text, attempts: Int, due_at: Int,
        done_at: Int, error: Text, webhook_id: Int, unsure_attempts: Int, tried_at: Int),
    table!(bounces [outbox_id kind] outbox_id: Int, kind: Text, address_key: Text, status: Text, said: Text,
        at: Int),
    table!(held_answers [id] id: Int, user_id: Int, board_id: Int, sight: Text, words: Bytes, until_at: Int),
    table!(idempotency [key_digest] key_digest: Text, request_digest: Text, status: Int, content_type: Text,
        body: Text, at: Int),
];

pub const STAYING: &[Staying] = &[
    Staying { name: "_sqlx_migrations", why: "tells what was done to this database, not to the other one" },
    Staying {
        name: "board_counts",
        why: "counts boards by triggers, which count them again as they come in",
    },
    Staying { name: "boards_in_play", why: "triggers note again who plays where as boards come in" },
    Staying { name: "bot_leases", why: "tells which server decides on a move at this moment" },
    Staying { name: "bot_shares", why: "counts processor time of one hour" },
    Staying { name: "api_tokens", why: "would let a key work again that was revoked since" },
    Staying { name: "invitations", why: "would let a link work again that was taken or withdrawn since" },
    Staying { name: "passkeys", why: "would let a passkey in again that was removed since" },
    Staying { name: "passkey_challenges", why: "holds for five minutes" },
    Staying { name: "feed_keys", why: "would let an address of feeds work again that was given up since" },
    Staying { name: "web_sessions", why: "would let browsers in again that were logged out since" },
    Staying { name: "magic_links", why: "would let a link work again that was used since" },
    Staying { name: "address_changes", why: "would let a change be taken back that was taken back since" },
    Staying { name: "login_hosts", why: "tells from where users logged in on this server lately" },
    Staying { name: "password_warnings", why: "holds for a day" },
    Staying { name: "stranger_challenges", why: "holds for a day" },
    Staying { name: "password_resets", why: "would let a code work again that was used since" },
    Staying { name: "servers", why: "tells which servers work on this database at this moment" },
];
