//! Every table and column: what moves to another server, what the archive of a user shows, what goes with an account.
//!
//! A test compares this with both databases, so that a new column fails until it is described. The table in which the
//! migrations are recorded is not in it.

use crate::connection::Kind;

#[derive(Clone, Copy, Debug)]
pub struct Table {
    pub name: &'static str,
    /// Primary key; rows are read in its order.
    pub key: &'static [&'static str],
    /// In the order of writing.
    pub columns: &'static [Column],
    pub transfer: Transfer,
    /// The rows about a user, or the reason why the archive shows none.
    pub personal: Result<Personal, &'static str>,
}

#[derive(Clone, Copy, Debug)]
pub struct Column {
    pub name: &'static str,
    pub kind: Kind,
    /// In the archive; empty for keys without meaning elsewhere, and for secrets.
    fields: &'static [&'static [Field]],
    /// Replacement where rows are blanked, in SQL.
    blank: Option<&'static str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    Moves,
    /// With the reason.
    Stays(&'static str),
}

#[derive(Clone, Copy, Debug)]
pub struct Personal {
    /// Name in the archive.
    pub file: &'static str,
    pub about: &'static str,
    /// Condition on `t`, the table; `$1` is the user.
    pub(crate) rows: &'static str,
    pub deletion: Deletion,
}

/// Deletion of rows when their user leaves, by conditions like that of [`Personal`].
#[derive(Clone, Copy, Debug)]
pub enum Deletion {
    Deletes(&'static str),
    Blanks(&'static str),
    /// Blanks what the user wrote, if they ask for that.
    BlanksIfAsked,
    /// With the reason.
    Keeps(&'static str),
}

/// Value in the archive.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub name: &'static str,
    pub format: Format,
    /// An expression on `t`, the table, and `b`, the board of its row.
    sql: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Int,
    Time,
    Flag,
    Real,
    Text,
    /// Host of a URL; the rest may be a secret.
    Host,
    /// Text with reply tokens masked.
    Masked,
    /// Facts of a mail, of which the text is shown.
    Letter,
}

impl Format {
    pub(crate) fn kind(self) -> Kind {
        match self {
            Self::Int | Self::Time => Kind::Int,
            Self::Flag => Kind::Flag,
            Self::Real => Kind::Real,
            Self::Text | Self::Host | Self::Masked | Self::Letter => Kind::Text,
        }
    }
}

impl Table {
    /// Tables that move to another server, each after those it refers to.
    pub fn moving() -> impl DoubleEndedIterator<Item = &'static Self> {
        SCHEMA.iter().filter(|table| table.transfer == Transfer::Moves)
    }

    /// Tables that the archive of a user shows.
    pub fn personal() -> impl DoubleEndedIterator<Item = (&'static Self, Personal)> {
        SCHEMA.iter().filter_map(|table| Some((table, table.personal.ok()?)))
    }

    pub fn fields(&self) -> impl Iterator<Item = &'static Field> {
        self.columns.iter().flat_map(|column| column.fields).copied().flatten()
    }

    /// Query for the [`fields`](Self::fields) of the rows about a user.
    pub(crate) fn select_personal(&self, personal: &Personal) -> String {
        let fields: Vec<&str> = self.fields().map(|field| field.sql).collect();
        let fields = fields.join(", ");
        let boards = if fields.contains("b.") { "LEFT JOIN boards b ON b.id = t.board_id " } else { "" };
        let (name, rows, key) = (self.name, personal.rows, self.key.join(", t."));
        format!("SELECT {fields} FROM {name} t {boards}WHERE {rows} ORDER BY t.{key}")
    }

    /// Statement that blanks the rows that meet the condition.
    pub(crate) fn blank(&self, rows: &str) -> String {
        let blanked = |column: &Column| Some(format!("{} = {}", column.name, column.blank?));
        let blanked: Vec<String> = self.columns.iter().filter_map(blanked).collect();
        format!("UPDATE {} AS t SET {} WHERE {rows}", self.name, blanked.join(", "))
    }
}

/// Rows of the user.
const THEIRS: &str = "t.user_id = $1";

/// Rows of the user's seats.
macro_rules! of_seat {
    () => {
        "EXISTS (SELECT 1 FROM seats s WHERE s.board_id = t.board_id AND s.seat = t.seat AND s.user_id = $1)"
    };
}

/// Rows with a confirmed address of the user. An unconfirmed one may be another person's.
macro_rules! of_address {
    ($address:literal) => {
        concat!(
            $address,
            " IN (SELECT address_key FROM addresses WHERE user_id = $1 AND verified_at IS NOT NULL)"
        )
    };
}

/// Rows with an address confirmed by this user alone. A mailbox shared by two users stays until the other one leaves.
macro_rules! of_own_address {
    ($address:literal) => {
        concat!(
            $address,
            " IN (SELECT a.address_key FROM addresses a WHERE a.user_id = $1 AND a.verified_at IS NOT NULL \
             AND NOT EXISTS (SELECT 1 FROM addresses o WHERE o.address_key = a.address_key AND o.user_id <> $1 \
             AND o.verified_at IS NOT NULL))"
        )
    };
}

macro_rules! transfer {
    (moves) => {
        Transfer::Moves
    };
    (stays $why:literal) => {
        Transfer::Stays($why)
    };
}

macro_rules! personal {
    (hides $why:literal) => {
        Err($why)
    };
    (shows $file:literal, $about:literal, of $rows:expr, $($deletion:tt)+) => {
        Ok(Personal { file: $file, about: $about, rows: $rows, deletion: deletion!($($deletion)+) })
    };
    (shows $file:literal, $about:literal, $($deletion:tt)+) => {
        personal!(shows $file, $about, of THEIRS, $($deletion)+)
    };
}

macro_rules! deletion {
    (deletes) => {
        Deletion::Deletes(THEIRS)
    };
    (deletes $rows:expr) => {
        Deletion::Deletes($rows)
    };
    (blanks $rows:expr) => {
        Deletion::Blanks($rows)
    };
    (blanks_if_asked) => {
        Deletion::BlanksIfAsked
    };
    (keeps $why:literal) => {
        Deletion::Keeps($why)
    };
}

macro_rules! kind {
    (Time) => {
        Kind::Int
    };
    (Board) => {
        Kind::Int
    };
    ($kind:ident) => {
        Kind::$kind
    };
}

macro_rules! or {
    ([] $default:expr) => {
        $default
    };
    ([$given:expr] $default:expr) => {
        $given
    };
}

macro_rules! fields {
    ($column:ident Board [] [] []) => {
        &[
            Field { name: "game", format: Format::Text, sql: "b.game" },
            Field { name: "number", format: Format::Int, sql: "b.number" },
        ]
    };
    ($column:ident $kind:ident [$($name:ident)?] [$($format:ident)?] [$($sql:literal)?]) => {
        &[Field {
            name: or!([$(stringify!($name))?] stringify!($column)),
            format: or!([$(Format::$format)?] Format::$kind),
            sql: or!([$($sql)?] concat!("t.", stringify!($column))),
        }]
    };
}

/// A column has a type: that of [`Kind`], or `Time`, or `Board` for a board's key, of which the archive shows game and
/// number. `blank` is followed by what replaces it, `shown` by its name, format and expression where they are others.
macro_rules! table {
    ($name:ident [$($key:ident)+] ($($transfer:tt)+) ($($personal:tt)+)
        $($column:ident: $kind:ident $(blank $blank:literal)?
            $(shown $(as $field:ident)? $(: $format:ident)? $(= $sql:literal)?)*),+ $(,)?
    ) => {
        Table {
            name: stringify!($name),
            key: &[$(stringify!($key)),+],
            transfer: transfer!($($transfer)+),
            personal: personal!($($personal)+),
            columns: &[$(Column {
                name: stringify!($column),
                kind: kind!($kind),
                fields: &[$(fields!($column $kind [$($field)?] [$($format)?] [$($sql)?])),*],
                blank: or!([$(Some($blank))?] None),
            }),+],
        }
    };
}

/// Each after those it refers to.
pub const SCHEMA: &[Table] = &[
    table!(server_facts [name] (moves) (hides "is about the server") name: Text, value: Text),
    table!(users [id] (moves) (shows "account", "the account", of "t.id = $1", keeps "the name stays taken")
        id: Int, userid: Text shown, userid_key: Text, password_hash: Text, role: Text shown, state: Text shown,
        created_at: Time shown, broadcast_at: Time shown, password_changed_at: Time shown),
    table!(addresses [id] (moves) (shows "addresses", "mail addresses, and when each was confirmed", deletes)
        id: Int, user_id: Int, address: Text shown, address_key: Text, verified_at: Time shown as confirmed_at,
        leaving: Flag shown as is_being_replaced, created_at: Time shown as added_at, stop_told_at: Time shown),
    table!(audit [id] (moves)
        (shows "audit", "what administrators did with the account, and what the user did as one; who did it is named \
            where it was the user",
            of "EXISTS (SELECT 1 FROM users u WHERE u.id = $1 AND (t.subject_user = u.userid_key \
                OR (t.actor_key = u.userid_key AND t.door <> 'shell')))",
            keeps "administrators answer for it")
        id: Int, at: Time shown, door: Text shown as way,
        actor: Text shown = "CASE WHEN t.door <> 'shell' AND EXISTS (SELECT 1 FROM users u WHERE u.id = $1 \
            AND u.userid_key = t.actor_key) THEN t.actor END",
        actor_key: Text, deed: Text shown as action, subject: Text shown, subject_user: Text, outcome: Text shown,
        detail: Text shown),
    table!(confirmations [address_key] (moves)
        (hides "locks an address for a moment; the mails are in confirmation_mails")
        address_key: Text, sent_at: Time),
    table!(confirmation_mails [id] (moves)
        (shows "confirmation-mails", "mails that asked for the confirmation of an address",
            keeps "signing up with another person's address and leaving, again and again, must not mail them each time")
        id: Int, address_key: Text shown as address, sent_at: Time shown, user_id: Int,
        aligned: Flag shown as asked_by_the_address),
    table!(failing_addresses [address_key] (moves)
        (shows "failing-addresses", "confirmed addresses from which mail came back", of of_address!("t.address_key"),
            keeps "is about a mailbox, whoever it belongs to")
        address_key: Text shown as address, last_at: Time shown, stopped_at: Time shown, why: Text shown),
    table!(preferences [user_id game name] (moves)
        (shows "preferences", "preferences; without a game: of all games", deletes)
        user_id: Int, game: Text shown, name: Text shown, value: Text shown),
    table!(webhooks [id] (moves)
        (shows "webhooks", "webhooks, and browsers that are told; of their addresses the host alone", deletes)
        id: Int, user_id: Int, url: Text shown as host: Host, events: Text shown, secret: Bytes,
        created_at: Time shown, sent_at: Time shown, failures: Int shown, failing_since: Time shown,
        stopped_at: Time shown, error: Text shown, form: Text shown, label: Text shown, session: Text),
    table!(vacations [user_id from_at] (moves) (shows "vacations", "times off", deletes)
        user_id: Int, from_at: Time shown as from, until_at: Time shown as until),
    table!(profiles [user_id] (moves) (shows "profile", "what the user says about themselves", deletes)
        user_id: Int, about: Text shown, at: Time shown as written_at),
    table!(relations [user_id other_id] (moves)
        (shows "relations", "users who are blocked or followed", deletes "$1 IN (t.user_id, t.other_id)")
        user_id: Int,
        other_id: Int shown as userid: Text = "(SELECT u.userid FROM users u WHERE u.id = t.other_id)",
        kind: Text shown, at: Time shown as since),
    table!(user_games [user_id game] (moves)
        (shows "games", "what was said about a game: challenges taken, limit, subscription, notices", deletes)
        user_id: Int, game: Text shown, accepts: Flag shown as accepts_challenges, board_limit: Int shown,
        subscribes: Flag shown, notifies: Flag shown as hears_of_ends),
    table!(seeks [user_id game] (moves) (shows "seeks", "opponents looked for", deletes)
        user_id: Int, game: Text shown, wanted: Int shown, options: Text shown, rated: Flag shown, nag_ms: Int shown,
        forfeit_ms: Int shown, total_ms: Int shown, place: Int, at: Time shown),
    table!(seek_orders [game] (moves) (hides "counts seeks") game: Text, next: Int),
    table!(board_numbers [game] (moves) (hides "counts boards") game: Text, next: Int),
    table!(tournaments [id] (moves)
        (shows "tournaments-announced", "tournaments announced", of "t.announcer_id = $1", blanks_if_asked)
        id: Int shown as name: Text = "'t' || t.id", game: Text shown, form: Text shown, rules: Text,
        title: Text blank "'[removed]'" shown, description: Text blank "'[removed]'" shown, terms: Text shown,
        state: Text shown, announcer_id: Int, director_id: Int shown as directs: Flag = "COALESCE(t.director_id = $1, FALSE)",
        created_at: Time shown as announced_at, starts_at: Time shown, delays: Int, started_at: Time shown,
        ended_at: Time shown, round: Int, deadline: Time, extended: Flag, reminders: Int, due_at: Time,
        rests_until: Time, next_id: Int),
    table!(tournament_players [tournament_id entry] (moves)
        (shows "tournaments", "tournaments entered", keeps "tables belong to the other players too")
        tournament_id: Int shown as name: Text = "'t' || t.tournament_id", entry: Int, user_id: Int,
        number: Int shown, pool: Text shown as group, state: Text shown, entered_at: Time shown, left_at: Time shown,
        left_why: Text shown as why, counts: Flag shown, leaving: Flag),
    table!(tournament_pairings [id] (moves) (hides "is about boards; who plays on them is in tournament_seats")
        id: Int, tournament_id: Int, round: Int, pool: Text, number: Int, deadline: Time, opened: Flag),
    table!(boards [id] (moves) (hides "is in the records of the boards, as far as a player may see it")
        id: Int, game: Text, number: Int, options: Text, rules_version: Int, seed: Bytes, state: Text, rated: Flag,
        ply: Int, position: Text, scores: Text, winners: Text, reason: Text, started_at: Time, last_move_at: Time,
        ended_at: Time, nag_ms: Int, forfeit_ms: Int, total_ms: Int, due_at: Time, nagged_at: Time, paused_at: Time,
        pairing_id: Int),
    table!(tournament_seats [pairing_id game seat] (moves)
        (shows "tournament-results", "boards of tournaments, and their points in halves",
            of "EXISTS (SELECT 1 FROM tournament_players p WHERE p.tournament_id = t.tournament_id \
                AND p.entry = t.entry AND p.user_id = $1)",
            keeps "tables belong to the other players too")
        pairing_id: Int, game: Int, seat: Int shown, tournament_id: Int shown as name: Text = "'t' || t.tournament_id",
        entry: Int, board_id: Board shown, points: Int shown, played: Flag shown as is_played,
        on_time: Flag shown as lost_on_time),
    table!(tournament_log [id] (moves)
        (shows "tournament-log", "what the user did in tournaments, and what was done about them",
            of "(t.user_id = $1 OR t.subject_id = $1)", blanks_if_asked)
        id: Int, tournament_id: Int shown as name: Text = "'t' || t.tournament_id", at: Time shown,
        user_id: Int shown as is_own: Flag = "COALESCE(t.user_id = $1, FALSE)", action: Text shown,
        subject_id: Int, board_id: Board shown, words: Text blank "CASE words WHEN '' THEN '' ELSE '[removed]' END" shown,
        told_after: Int),
    table!(board_origins [board_id] (moves) (hides "is about boards") board_id: Board, sought: Flag, rematch_of: Board),
    table!(seats [board_id seat] (moves)
        (shows "boards", "boards played; their records are in the folder boards",
            keeps "boards belong to the other players too")
        board_id: Board shown shown as board_state: Text = "b.state" shown as rated: Flag = "b.rated"
            shown as started_at: Time = "b.started_at" shown as last_move_at: Time = "b.last_move_at"
            shown as ended_at: Time = "b.ended_at",
        seat: Int shown, user_id: Int, state: Text shown as seat_state, to_move: Flag shown,
        resign_pending: Flag shown as resigns_on_turn),
    table!(moves [board_id number] (moves) (hides "is in the records of the boards")
        board_id: Board, number: Int, seat: Int, kind: Text, text: Text, auto: Flag, at: Time),
    table!(remarks [id] (moves) (shows "remarks", "comments and chat on boards", blanks_if_asked)
        id: Int, board_id: Board shown, ply: Int shown as after_move, user_id: Int, kind: Text shown,
        text: Text blank "'[removed]'" shown, at: Time shown),
    table!(imports [board_id] (moves) (hides "is in the records of the boards")
        board_id: Board, digest: Text, tags: Text, at: Time),
    table!(subscribers [board_id user_id] (moves) (shows "subscriptions", "boards watched", deletes)
        board_id: Board shown, user_id: Int),
    table!(notifications [board_id user_id] (moves)
        (shows "notices-of-ends", "boards of whose end a notice is wanted", deletes)
        board_id: Board shown, user_id: Int),
    table!(board_notes [user_id board_id] (moves) (shows "notes", "notes to oneself", deletes)
        user_id: Int, board_id: Board shown, text: Text shown, at: Time shown),
    table!(proposals [board_id] (moves)
        (shows "proposals", "draws and undos offered and not decided", of of_seat!(),
            keeps "the other players decide about it")
        board_id: Board shown, kind: Text shown, seat: Int shown, ply: Int shown as after_move,
        accepted: Text shown as seats_that_agreed, at: Time shown),
    table!(refused_offers [board_id user_id kind] (moves)
        (shows "refused-offers", "draws and undos offered and refused", keeps "boards belong to the other players too")
        board_id: Board shown, user_id: Int, kind: Text shown, ply: Int shown as after_move),
    table!(queued_moves [board_id seat place] (moves)
        (shows "queued-moves", "moves that wait for their turn", of of_seat!(), deletes of_seat!())
        board_id: Board shown, seat: Int shown, place: Int shown, condition: Text shown as only_after,
        text: Text shown, number: Int shown as as_move, ply: Int shown as queued_after, at: Time shown),
    // Words with a noted resignation stand before the first move: the other players get them when the board is resigned.
    table!(submissions [board_id seat] (moves)
        (shows "submissions", "moves that wait to be confirmed, and words that wait with a resignation", of of_seat!(),
            deletes concat!(of_seat!(), " AND t.ply >= 0"))
        board_id: Board shown, seat: Int shown, ply: Int shown as after_move, text: Text shown, comment: Text shown,
        at: Time shown),
    table!(board_pauses [board_id from_at] (moves) (hides "is about boards")
        board_id: Board, from_at: Time, until_at: Time),
    table!(outages [from_at] (moves) (hides "tells when the server was down") from_at: Time, until_at: Time),
    table!(duties [name] (moves) (hides "tells which server does what")
        name: Text, holder: Text, until_at: Time, alive_at: Time),
    table!(ratings [user_id game] (moves)
        (shows "ratings", "ratings as they are now", keeps "ratings of the others came of them")
        user_id: Int, game: Text shown, rating: Real shown, value_sum: Real shown as sum_while_provisional,
        games: Int shown as rated_games, won: Int shown, lost: Int shown, tied: Int shown, glicko: Real shown,
        deviation: Real shown, volatility: Real shown, active: Flag shown as is_active,
        ended_at: Time shown as last_end_at),
    table!(rating_changes [board_id user_id] (moves)
        (shows "rating-changes", "how each board changed a rating", keeps "ratings of the others came of them")
        board_id: Board shown, user_id: Int, game: Text, place: Int, before: Real shown, after: Real shown,
        active: Flag shown as is_active, at: Time shown),
    table!(rating_activity [game place user_id] (moves)
        (shows "rating-activity", "when the rating of a game became active or inactive",
            keeps "ratings of the others came of them")
        game: Text shown, place: Int, user_id: Int, active: Flag shown as is_active, at: Time shown),
    table!(rating_orders [game] (moves) (hides "counts players") game: Text, next: Int, players: Int, sum: Int),
    table!(digest_boards [user_id board_id] (moves)
        (shows "digest-boards", "boards that wait for the mail of the day", deletes)
        user_id: Int, board_id: Board shown, since: Time shown),
    table!(digest_news [id] (moves)
        (shows "digest-news", "texts that wait for the mail of the day", deletes)
        id: Int, user_id: Int, text: Text shown, at: Time shown),
    table!(digests [user_id] (moves) (shows "digest", "when the next mail of the day is due", deletes)
        user_id: Int, due_at: Time shown),
    table!(puzzle_mails [user_id] (moves) (shows "puzzle-mail", "when the next mail with puzzles is due", deletes)
        user_id: Int, due_at: Time shown),
    table!(broadcasts [id] (moves) (shows "broadcasts", "words written to everybody", blanks_if_asked)
        id: Int, user_id: Int, text: Text blank "'[removed]'" shown, at: Time shown, after_user: Int,
        done_at: Time shown as passed_on_at),
    // Mails name addresses, and are stored for weeks. Those from a user stay as counts; waiting ones are processed first.
    table!(inbox [id] (moves)
        (shows "mails-received", "mails from confirmed addresses to this server; passwords are masked",
            of of_address!("LOWER(t.sender)"), blanks concat!("t.state <> 'new' AND ", of_own_address!("LOWER(t.sender)")))
        id: Int, received_at: Time shown, way: Text shown, peer: Text blank "NULL" shown,
        mail_from: Text blank "NULL" shown as envelope_sender, recipients: Text blank "''" shown: Masked,
        size: Int shown, sender: Text blank "NULL" shown, message_id: Text blank "NULL" shown,
        subject: Text blank "NULL" shown, text: Text blank "NULL" shown, raw: Bytes blank "NULL", state: Text shown,
        reason: Text shown, attempts: Int shown, due_at: Time, done_at: Time shown, verdicts: Text blank "NULL" shown,
        host: Text blank "NULL" shown, turn: Int, flow: Text, from_domain: Text blank "NULL", share: Int),
    table!(inbox_seen [dedupe_key] (moves) (hides "holds digests that name nobody")
        dedupe_key: Text, inbox_id: Int, at: Time),
    table!(answer_budget [address_key] (moves) (hides "counts the mails of one hour, and begins anew with the next")
        address_key: Text, hour: Int, answers: Int, bytes: Int),
    table!(do_not_mail [target] (moves)
        (shows "do-not-mail", "confirmed addresses to which no mail is sent", of of_address!("t.target"),
            keeps "whoever has the mailbox wants no mail")
        target: Text shown as address, reason: Text shown, at: Time shown),
    // The farewell stays until it is sent, and its address goes then.
    table!(outbox [id] (moves)
        (shows "mails-sent", "mails and webhook events for the user; links and reply addresses are masked. A board \
            mail is composed when it is sent, and its text is not stored",
            of concat!("(t.user_id = $1 OR (t.user_id IS NULL AND ", of_address!("LOWER(t.recipient)"), "))"),
            deletes concat!("(t.user_id = $1 AND NOT (t.kind = 'goodbye' AND t.state = 'queued')) OR \
                (t.user_id IS NULL AND t.state <> 'queued' AND ", of_own_address!("LOWER(t.recipient)"), ")"))
        id: Int, kind: Text shown,
        recipient: Text shown = "CASE WHEN t.webhook_id IS NULL THEN t.recipient END",
        user_id: Int, board_id: Board shown, ply: Int shown as after_move,
        facts: Text shown as message: Letter = "CASE WHEN t.webhook_id IS NULL AND t.board_id IS NULL THEN t.facts END",
        on_reply: Text, message_id: Text shown, date: Time shown, state: Text shown, attempts: Int shown, due_at: Time,
        done_at: Time shown, error: Text shown, webhook_id: Int, unsure_attempts: Int, tried_at: Time),
    table!(bounces [outbox_id kind] (moves)
        (shows "bounces", "mails that came back from these addresses", of of_address!("t.address_key"),
            keeps "is about a mailbox, whoever it belongs to")
        outbox_id: Int, kind: Text shown, address_key: Text shown as address, status: Text shown, said: Text shown,
        at: Time shown),
    table!(held_answers [id] (moves)
        (shows "held-answers", "replies by mail that wait for a confirmation; their words are sealed", deletes)
        id: Int, user_id: Int, board_id: Board shown, sight: Text, words: Bytes, until_at: Time shown as until),
    table!(idempotency [key_digest] (moves) (hides "holds digests that name nobody, and answers for a day")
        key_digest: Text, request_digest: Text, status: Int, content_type: Text, body: Text, at: Time),
    table!(board_counts [game shard] (stays "counts boards by triggers, which count them again as they come in")
        (hides "counts boards")
        game: Text, shard: Int, active: Int, finished: Int),
    table!(boards_in_play [user_id game board_id] (stays "triggers note again who plays where as boards come in")
        (hides "repeats what seats say")
        user_id: Int, game: Text, board_id: Board),
    table!(bot_leases [board_id] (stays "tells which server decides on a move at this moment")
        (hides "tells which server decides on a move at this moment")
        board_id: Board, until_at: Time),
    table!(bot_shares [user_id] (stays "counts processor time of one hour") (hides "counts processor time of one hour")
        user_id: Int, served_at: Time, used_until: Time),
    table!(api_tokens [id] (stays "would let a key work again that was revoked since")
        (shows "api-keys", "keys for programs", deletes)
        id: Int, digest: Text, user_id: Int, name: Text shown, scopes: Text shown, password_mark: Text,
        created_at: Time shown, used_at: Time shown, expires_at: Time shown),
    table!(invitations [id] (stays "would let a link work again that was taken or withdrawn since")
        (shows "invitations", "links that invite to a board", deletes)
        id: Int, user_id: Int, game: Text shown, options: Text shown, rated: Flag shown,
        begins: Flag shown as has_first_seat, created_at: Time shown, expires_at: Time shown),
    table!(passkeys [id] (stays "would let a passkey in again that was removed since")
        (shows "passkeys", "passkeys", deletes)
        id: Int, user_id: Int, credential: Text, algorithm: Int shown, public_key: Text, counter: Int,
        name: Text shown, created_at: Time shown, used_at: Time shown),
    table!(passkey_challenges [nonce] (stays "holds for five minutes") (hides "names nobody and holds for five minutes")
        nonce: Text, expires_at: Time),
    table!(feed_keys [user_id] (stays "would let an address of feeds work again that was given up since")
        (shows "feeds", "when the addresses of the feeds were made", deletes)
        user_id: Int, salt: Text, at: Time shown),
    table!(web_sessions [digest] (stays "would let browsers in again that were logged out since")
        (shows "sessions", "browsers that are logged in", deletes)
        digest: Text, user_id: Int, password_mark: Text, user_agent: Text shown as browser, created_at: Time shown,
        seen_at: Time shown, expires_at: Time shown, password_at: Time shown as password_given_at),
    table!(magic_links [user_id] (stays "would let a link work again that was used since")
        (shows "login-links", "when a link that logs in was asked for", deletes)
        user_id: Int, at: Time shown),
    table!(address_changes [id] (stays "would let a change be taken back that was taken back since")
        (shows "address-changes", "changes of the addresses that can still be undone", deletes)
        id: Int, user_id: Int, at: Time shown, addresses: Text shown as addresses_before, undone_at: Time shown),
    table!(login_hosts [user_id host] (stays "tells from where users logged in on this server lately")
        (shows "login-places", "network addresses of log-ins", deletes)
        user_id: Int, host: Text shown, seen_at: Time shown),
    table!(password_warnings [user_id] (stays "holds for a day")
        (shows "password-warnings", "when a warning about wrong passwords was mailed", deletes)
        user_id: Int, at: Time shown),
    table!(stranger_challenges [user_id] (stays "holds for a day")
        (shows "challenges-to-strangers", "challenges to players unknown before, in one day", deletes)
        user_id: Int, day: Int shown as days_since_1970, challenges: Int shown),
    table!(password_resets [user_id at] (stays "would let a code work again that was used since")
        (shows "password-resets", "new passwords asked for and not set", deletes)
        user_id: Int, at: Time shown, code_digest: Text, tries: Int shown),
    table!(servers [name] (stays "tells which servers work on this database at this moment")
        (hides "tells which servers work on the database")
        name: Text, host: Text, version: Text, started_at: Time, alive_at: Time, errors: Int, error: Text,
        error_at: Time),
];
