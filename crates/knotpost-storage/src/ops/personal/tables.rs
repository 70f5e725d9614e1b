//! Every table of the schema, with its personal data or the reason to leave it out of the archive.
//!
//! New tables must be named in one of the two lists, and new columns in a query or among those left out; a
//! test compares them with the schema.

/// Format of a value in the archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    Number,
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

#[derive(Clone, Copy, Debug)]
pub struct Held {
    pub table: &'static str,
    pub file: &'static str,
    pub about: &'static str,
    pub sql: &'static str,
    pub columns: &'static [(&'static str, Shown)],
    /// Columns left out: keys without meaning elsewhere, and secrets.
    pub without: &'static [&'static str],
}

#[derive(Clone, Copy, Debug)]
pub struct NotHeld {
    pub table: &'static str,
    pub why: &'static str,
}

macro_rules! held {
    ($table:ident in $file:literal, $about:literal, $sql:expr, [$($column:ident $shown:ident),+ $(,)?] without [$($left:ident)*]) => {
        Held {
            table: stringify!($table),
            file: $file,
            about: $about,
            sql: $sql,
            columns: &[$((stringify!($column), Shown::$shown)),+],
            without: &[$(stringify!($left)),*],
        }
    };
}

macro_rules! proven {
    () => {
        "(SELECT address_key FROM addresses WHERE user_id = $1 AND verified_at IS NOT NULL)"
    };
}

/// Data stored by address is included for confirmed addresses only: an unconfirmed one may be another
/// person's.
pub const HELD: &[Held] = &[
    held!(users in "account", "the account",
        "SELECT userid, role, state, created_at, password_changed_at, broadcast_at FROM users WHERE id = $1",
        [userid Text, role Text, state Text, created_at Time, password_changed_at Time, broadcast_at Time]
        without [id userid_key password_hash]),
    held!(addresses in "addresses", "mail addresses, and when each was confirmed",
        "SELECT address, verified_at, leaving, created_at, stop_told_at FROM addresses WHERE user_id = $1 ORDER BY id",
        [address Text, confirmed_at Time, is_being_replaced Flag, added_at Time, stop_told_at Time]
        without [id user_id address_key]),
    held!(address_changes in "address-changes", "changes of the addresses that can still be undone",
        "SELECT at, addresses, undone_at FROM address_changes WHERE user_id = $1 ORDER BY id",
        [at Time, addresses_before Text, undone_at Time] without [id user_id]),
    held!(confirmation_mails in "confirmation-mails", "mails that asked for the confirmation of an address",
        "SELECT address_key, sent_at, aligned FROM confirmation_mails WHERE user_id = $1 ORDER BY id",
        [address Text, sent_at Time, asked_by_the_address Flag] without [id user_id]),
    held!(failing_addresses in "failing-addresses", "confirmed addresses from which mail came back",
        concat!("SELECT address_key, last_at, stopped_at, why FROM failing_addresses WHERE address_key IN ", proven!(),
            " ORDER BY address_key"),
        [address Text, last_at Time, stopped_at Time, why Text] without []),
    held!(bounces in "bounces", "mails that came back from these addresses",
        concat!("SELECT kind, address_key, status, said, at FROM bounces WHERE address_key IN ", proven!(),
            " ORDER BY at, outbox_id"),
        [kind Text, address Text, status Text, said Text, at Time] without [outbox_id]),
    held!(do_not_mail in "do-not-mail", "confirmed addresses to which no mail is sent",
        concat!("SELECT target, reason, at FROM do_not_mail WHERE target IN ", proven!(), " ORDER BY target"),
        [address Text, reason Text, at Time] without []),
    held!(preferences in "preferences", "preferences; without a game: of all games",
        "SELECT game, name, value FROM preferences WHERE user_id = $1 ORDER BY game, name",
        [game Text, name Text, value Text] without [user_id]),
    held!(user_games in "games", "what was said about a game: challenges taken, limit, subscription, notices",
        "SELECT game, accepts, board_limit, subscribes, notifies FROM user_games WHERE user_id = $1 ORDER BY game",
        [game Text, accepts_challenges Flag, board_limit Number, subscribes Flag, hears_of_ends Flag]
        without [user_id]),
    held!(vacations in "vacations", "times off",
        "SELECT from_at, until_at FROM vacations WHERE user_id = $1 ORDER BY from_at",
        [from Time, until Time] without [user_id]),
    held!(seeks in "seeks", "opponents looked for",
        "SELECT game, wanted, options, rated, nag_ms, forfeit_ms, total_ms, at FROM seeks WHERE user_id = $1 \
         ORDER BY game",
        [game Text, wanted Number, options Text, rated Flag, nag_ms Number, forfeit_ms Number, total_ms Number,
         at Time] without [user_id place]),
    held!(invitations in "invitations", "links that invite to a board",
        "SELECT game, options, rated, begins, created_at, expires_at FROM invitations WHERE user_id = $1 ORDER BY id",
        [game Text, options Text, rated Flag, has_first_seat Flag, created_at Time, expires_at Time]
        without [id user_id]),
    held!(seats in "boards", "boards played; their records are in the folder boards",
        "SELECT b.game, b.number, s.seat, s.state, s.to_move, s.resign_pending, b.state AS board_state, b.rated, \
         b.started_at, b.last_move_at, b.ended_at FROM seats s JOIN boards b ON b.id = s.board_id \
         WHERE s.user_id = $1 ORDER BY s.board_id, s.seat",
        [game Text, number Number, seat Number, seat_state Text, to_move Flag, resigns_on_turn Flag,
         board_state Text, rated Flag, started_at Time, last_move_at Time, ended_at Time]
        without [board_id user_id]),
    held!(tournaments in "tournaments-announced", "tournaments announced or directed",
        "SELECT 't' || t.id AS name, t.game, t.form, t.title, t.description, t.terms, t.state, t.created_at, t.starts_at, \
         t.started_at, t.ended_at, t.announcer_id = $1 AS announced, t.director_id = $1 AS directs FROM tournaments t \
         WHERE t.announcer_id = $1 OR t.director_id = $1 ORDER BY t.id",
        [name Text, game Text, form Text, title Text, description Text, terms Text, state Text, announced_at Time,
         starts_at Time, started_at Time, ended_at Time, announced Flag, directs Flag]
        without [id rules announcer_id director_id delays round deadline extended reminders due_at rests_until next_id]),
    held!(tournament_players in "tournaments", "tournaments entered",
        "SELECT 't' || p.tournament_id AS name, t.title, p.number, p.pool, p.state, p.entered_at, p.left_at, p.left_why, \
         p.counts FROM tournament_players p JOIN tournaments t ON t.id = p.tournament_id WHERE p.user_id = $1 \
         ORDER BY p.tournament_id, p.entry",
        [name Text, title Text, number Number, group Text, state Text, entered_at Time, left_at Time, why Text,
         counts Flag] without [tournament_id entry user_id leaving]),
    held!(tournament_seats in "tournament-results", "boards of tournaments, and their points in halves",
        "SELECT 't' || s.tournament_id AS name, b.game, b.number, s.seat, s.points, s.played, s.on_time \
         FROM tournament_players p JOIN tournament_seats s ON s.tournament_id = p.tournament_id AND s.entry = p.entry \
         LEFT JOIN boards b ON b.id = s.board_id WHERE p.user_id = $1 ORDER BY s.pairing_id, s.game",
        [name Text, game Text, number Number, seat Number, points Number, is_played Flag, lost_on_time Flag]
        without [pairing_id tournament_id entry board_id]),
    held!(tournament_log in "tournament-log", "what the user did in tournaments, and what was done about them",
        "SELECT 't' || l.tournament_id AS name, l.at, l.deed, CASE WHEN l.user_id = $1 THEN l.words END AS words, \
         b.game, b.number, l.subject_id = $1 AS is_about_you FROM tournament_log l \
         LEFT JOIN boards b ON b.id = l.board_id WHERE l.user_id = $1 OR l.subject_id = $1 ORDER BY l.id",
        [name Text, at Time, deed Text, words Text, game Text, number Number, is_about_you Flag]
        without [id tournament_id user_id subject_id board_id told_after]),
    held!(queued_moves in "queued-moves", "moves that wait for their turn",
        "SELECT b.game, b.number AS board, q.seat, q.place, q.condition, q.text, q.number, q.ply, q.at \
         FROM queued_moves q JOIN boards b ON b.id = q.board_id \
         JOIN seats s ON s.board_id = q.board_id AND s.seat = q.seat WHERE s.user_id = $1 \
         ORDER BY q.board_id, q.seat, q.place",
        [game Text, board Number, seat Number, place Number, only_after Text, text Text, as_move Number,
         queued_after Number, at Time] without [board_id]),
    held!(submissions in "submissions", "moves that wait to be confirmed, and words that wait with a resignation",
        "SELECT b.game, b.number, m.seat, m.ply, m.text, m.comment, m.at FROM submissions m \
         JOIN boards b ON b.id = m.board_id JOIN seats s ON s.board_id = m.board_id AND s.seat = m.seat \
         WHERE s.user_id = $1 ORDER BY m.board_id, m.seat",
        [game Text, number Number, seat Number, after_move Number, text Text, comment Text, at Time]
        without [board_id]),
    held!(proposals in "proposals", "draws and undos offered and not decided",
        "SELECT b.game, b.number, p.kind, p.seat, p.ply, p.accepted, p.at FROM proposals p \
         JOIN boards b ON b.id = p.board_id JOIN seats s ON s.board_id = p.board_id AND s.seat = p.seat \
         WHERE s.user_id = $1 ORDER BY p.board_id",
        [game Text, number Number, kind Text, seat Number, after_move Number, seats_that_agreed Text, at Time]
        without [board_id]),
    held!(refused_offers in "refused-offers", "draws and undos offered and refused",
        "SELECT b.game, b.number, r.kind, r.ply FROM refused_offers r JOIN boards b ON b.id = r.board_id \
         WHERE r.user_id = $1 ORDER BY r.board_id, r.kind",
        [game Text, number Number, kind Text, after_move Number] without [board_id user_id]),
    held!(remarks in "remarks", "comments and chat on boards",
        "SELECT b.game, b.number, r.ply, r.kind, r.text, r.at FROM remarks r JOIN boards b ON b.id = r.board_id \
         WHERE r.user_id = $1 ORDER BY r.id",
        [game Text, number Number, after_move Number, kind Text, text Text, at Time] without [id board_id user_id]),
    held!(board_notes in "notes", "notes to oneself",
        "SELECT b.game, b.number, n.text, n.at FROM board_notes n JOIN boards b ON b.id = n.board_id \
         WHERE n.user_id = $1 ORDER BY n.board_id",
        [game Text, number Number, text Text, at Time] without [user_id board_id]),
    held!(subscribers in "subscriptions", "boards watched",
        "SELECT b.game, b.number FROM subscribers s JOIN boards b ON b.id = s.board_id WHERE s.user_id = $1 \
         ORDER BY s.board_id",
        [game Text, number Number] without [board_id user_id]),
    held!(notifications in "notices-of-ends", "boards of whose end a notice is wanted",
        "SELECT b.game, b.number FROM notifications n JOIN boards b ON b.id = n.board_id WHERE n.user_id = $1 \
         ORDER BY n.board_id",
        [game Text, number Number] without [board_id user_id]),
    held!(ratings in "ratings", "ratings as they are now",
        "SELECT game, rating, value_sum, games, won, lost, tied, glicko, deviation, volatility, active, ended_at \
         FROM ratings WHERE user_id = $1 ORDER BY game",
        [game Text, rating Real, sum_while_provisional Real, rated_games Number, won Number, lost Number,
         tied Number, glicko Real, deviation Real, volatility Real, is_active Flag, last_end_at Time]
        without [user_id]),
    held!(rating_changes in "rating-changes", "how each board changed a rating",
        "SELECT c.game, b.number, c.before, c.after, c.active, c.at FROM rating_changes c \
         JOIN boards b ON b.id = c.board_id WHERE c.user_id = $1 ORDER BY c.game, c.place",
        [game Text, number Number, before Real, after Real, is_active Flag, at Time]
        without [board_id user_id place]),
    held!(rating_activity in "rating-activity", "when the rating of a game became active or inactive",
        "SELECT game, active, at FROM rating_activity WHERE user_id = $1 ORDER BY game, place",
        [game Text, is_active Flag, at Time] without [place user_id]),
    held!(digest_boards in "digest-boards", "boards that wait for the mail of the day",
        "SELECT b.game, b.number, d.since FROM digest_boards d JOIN boards b ON b.id = d.board_id \
         WHERE d.user_id = $1 ORDER BY d.board_id",
        [game Text, number Number, since Time] without [user_id board_id]),
    held!(digests in "digest", "when the next mail of the day is due",
        "SELECT due_at FROM digests WHERE user_id = $1", [due_at Time] without [user_id]),
    held!(puzzle_mails in "puzzle-mail", "when the next mail with puzzles is due",
        "SELECT due_at FROM puzzle_mails WHERE user_id = $1", [due_at Time] without [user_id]),
    held!(broadcasts in "broadcasts", "words written to everybody",
        "SELECT text, at, done_at FROM broadcasts WHERE user_id = $1 ORDER BY id",
        [text Text, at Time, passed_on_at Time] without [id user_id after_user]),
    held!(held_answers in "held-answers", "replies by mail that wait for a confirmation; their words are sealed",
        "SELECT b.game, b.number, h.until_at FROM held_answers h JOIN boards b ON b.id = h.board_id \
         WHERE h.user_id = $1 ORDER BY h.id",
        [game Text, number Number, until Time] without [id user_id board_id sight words]),
    held!(inbox in "mails-received", "mails from confirmed addresses to this server; passwords are masked",
        concat!("SELECT received_at, way, peer, mail_from, recipients, size, sender, message_id, subject, text, state, \
            reason, attempts, done_at, verdicts, host FROM inbox WHERE LOWER(sender) IN ", proven!(), " ORDER BY id"),
        [received_at Time, way Text, peer Text, envelope_sender Text, recipients Masked, size Number, sender Text,
         message_id Text, subject Text, text Text, state Text, reason Text, attempts Number, done_at Time,
         verdicts Text, host Text]
        without [id raw due_at turn flow from_domain share]),
    held!(outbox in "mails-sent", "mails and webhook events for the user; links and reply addresses are masked. A board \
        mail is composed when it is sent, and its text is not stored",
        concat!("SELECT o.date, o.kind, CASE WHEN o.webhook_id IS NULL THEN o.recipient END AS recipient, b.game, \
            b.number, o.ply, o.message_id, o.state, o.attempts, o.done_at, o.error, \
            CASE WHEN o.webhook_id IS NULL AND o.board_id IS NULL THEN o.facts END AS facts \
            FROM outbox o LEFT JOIN boards b ON b.id = o.board_id \
            WHERE o.user_id = $1 OR (o.user_id IS NULL AND LOWER(o.recipient) IN ", proven!(), ") ORDER BY o.id"),
        [date Time, kind Text, recipient Text, game Text, number Number, after_move Number, message_id Text,
         state Text, attempts Number, done_at Time, error Text, message Letter]
        without [id board_id on_reply due_at unsure_attempts tried_at]),
    held!(webhooks in "webhooks", "webhooks, and browsers that are told; of their addresses the host alone",
        "SELECT url, events, form, label, created_at, sent_at, failures, failing_since, stopped_at, error \
         FROM webhooks WHERE user_id = $1 ORDER BY id",
        [host Host, events Text, form Text, label Text, created_at Time, sent_at Time, failures Number,
         failing_since Time, stopped_at Time, error Text]
        without [id user_id secret session]),
    held!(web_sessions in "sessions", "browsers that are logged in",
        "SELECT user_agent, created_at, seen_at, expires_at, password_at FROM web_sessions WHERE user_id = $1 \
         ORDER BY created_at",
        [browser Text, created_at Time, seen_at Time, expires_at Time, password_given_at Time]
        without [digest user_id password_mark]),
    held!(api_tokens in "api-keys", "keys for programs",
        "SELECT name, scopes, created_at, used_at, expires_at FROM api_tokens WHERE user_id = $1 ORDER BY id",
        [name Text, scopes Text, created_at Time, used_at Time, expires_at Time]
        without [id digest user_id password_mark]),
    held!(passkeys in "passkeys", "passkeys",
        "SELECT name, algorithm, created_at, used_at FROM passkeys WHERE user_id = $1 ORDER BY id",
        [name Text, algorithm Number, created_at Time, used_at Time]
        without [id user_id credential public_key counter]),
    held!(feed_keys in "feeds", "when the addresses of the feeds were made",
        "SELECT at FROM feed_keys WHERE user_id = $1", [at Time] without [user_id salt]),
    held!(login_hosts in "login-places", "network addresses of log-ins",
        "SELECT host, seen_at FROM login_hosts WHERE user_id = $1 ORDER BY host",
        [host Text, seen_at Time] without [user_id]),
    held!(password_warnings in "password-warnings", "when a warning about wrong passwords was mailed",
        "SELECT at FROM password_warnings WHERE user_id = $1", [at Time] without [user_id]),
    held!(password_resets in "password-resets", "new passwords asked for and not set",
        "SELECT at, tries FROM password_resets WHERE user_id = $1 ORDER BY at",
        [at Time, tries Number] without [user_id code_digest]),
    held!(magic_links in "login-links", "when a link that logs in was asked for",
        "SELECT at FROM magic_links WHERE user_id = $1", [at Time] without [user_id]),
    held!(stranger_challenges in "challenges-to-strangers", "challenges to players unknown before, in one day",
        "SELECT day, challenges FROM stranger_challenges WHERE user_id = $1",
        [days_since_1970 Number, challenges Number] without [user_id]),
    held!(audit in "audit", "what administrators did with the account, and what the user did as one; who did it is named \
        where it was the user",
        "SELECT a.at, a.door, CASE WHEN a.actor_key = u.userid_key AND a.door <> 'shell' THEN a.actor END AS actor, \
         a.deed, a.subject, a.outcome, a.detail FROM audit a JOIN users u ON u.id = $1 \
         WHERE a.subject_user = u.userid_key OR (a.actor_key = u.userid_key AND a.door <> 'shell') ORDER BY a.id",
        [at Time, way Text, actor Text, action Text, subject Text, outcome Text, detail Text]
        without [id]),
];

pub const NOT_HELD: &[NotHeld] = &[
    NotHeld { table: "_sqlx_migrations", why: "tells what was done to the schema" },
    NotHeld { table: "server_facts", why: "is about the server" },
    NotHeld { table: "duties", why: "tells which server does what" },
    NotHeld { table: "servers", why: "tells which servers work on the database" },
    NotHeld { table: "outages", why: "tells when the server was down" },
    NotHeld { table: "board_numbers", why: "counts boards" },
    NotHeld { table: "board_counts", why: "counts boards" },
    NotHeld { table: "seek_orders", why: "counts seeks" },
    NotHeld { table: "rating_orders", why: "counts players" },
    NotHeld { table: "boards", why: "is in the records of the boards, as far as a player may see it" },
    NotHeld { table: "moves", why: "is in the records of the boards" },
    NotHeld { table: "imports", why: "is in the records of the boards" },
    NotHeld { table: "board_origins", why: "is about boards" },
    NotHeld { table: "tournament_pairings", why: "is about boards; who played is in tournament_seats" },
    NotHeld { table: "board_pauses", why: "is about boards" },
    NotHeld { table: "boards_in_play", why: "repeats what seats say" },
    NotHeld { table: "bot_leases", why: "tells which server decides on a move at this moment" },
    NotHeld { table: "bot_shares", why: "counts processor time of one hour" },
    NotHeld {
        table: "confirmations",
        why: "locks an address for a moment; the mails are in confirmation_mails",
    },
    NotHeld { table: "answer_budget", why: "counts the mails of one hour, and begins anew with the next" },
    NotHeld { table: "inbox_seen", why: "holds digests that name nobody" },
    NotHeld { table: "idempotency", why: "holds digests that name nobody, and answers for a day" },
    NotHeld { table: "passkey_challenges", why: "names nobody and holds for five minutes" },
];
