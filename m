# HELP knotpost_mails_not_sent_total tries to send a mail that failed, by outcome: deferred, failed or recipient_refused
# TYPE knotpost_mails_not_sent_total counter
knotpost_mails_not_sent_total{outcome="deferred"} 0
knotpost_mails_not_sent_total{outcome="failed"} 0
knotpost_mails_not_sent_total{outcome="recipient_refused"} 0

# HELP knotpost_mails_sent_total mails that left, by kind
# TYPE knotpost_mails_sent_total counter
knotpost_mails_sent_total{kind="welcome"} 1

# HELP knotpost_webhook_attempts_total events that were offered to webhooks, by outcome
# TYPE knotpost_webhook_attempts_total counter
knotpost_webhook_attempts_total{outcome="failed"} 0
knotpost_webhook_attempts_total{outcome="arrived"} 0
knotpost_webhook_attempts_total{outcome="gone"} 0

# HELP knotpost_mails_received_total received mails, by reason: what became of them
# TYPE knotpost_mails_received_total counter
knotpost_mails_received_total{reason="not_allowed"} 0
knotpost_mails_received_total{reason="executed"} 0
knotpost_mails_received_total{reason="unknown_recipient"} 0
knotpost_mails_received_total{reason="unreadable"} 0
knotpost_mails_received_total{reason="bad_token"} 0
knotpost_mails_received_total{reason="dropped_by_administrator"} 0
knotpost_mails_received_total{reason="unauthenticated"} 0
knotpost_mails_received_total{reason="postmaster"} 0
knotpost_mails_received_total{reason="null_sender"} 0
knotpost_mails_received_total{reason="auto_reply"} 0
knotpost_mails_received_total{reason="mailer_daemon"} 0
knotpost_mails_received_total{reason="failed"} 0
knotpost_mails_received_total{reason="multiple"} 0
knotpost_mails_received_total{reason="bounce_repeated"} 0
knotpost_mails_received_total{reason="global_budget"} 0
knotpost_mails_received_total{reason="mailing_list"} 0
knotpost_mails_received_total{reason="no_sender"} 0
knotpost_mails_received_total{reason="answered_error"} 0
knotpost_mails_received_total{reason="broken"} 0
knotpost_mails_received_total{reason="refused"} 0
knotpost_mails_received_total{reason="delivery_report"} 0
knotpost_mails_received_total{reason="too_large"} 0
knotpost_mails_received_total{reason="bounce_recorded"} 0
knotpost_mails_received_total{reason="too_many_hops"} 0
knotpost_mails_received_total{reason="answer_budget"} 0
knotpost_mails_received_total{reason="no_command"} 0
knotpost_mails_received_total{reason="several_from"} 0
knotpost_mails_received_total{reason="auto_submitted"} 0
knotpost_mails_received_total{reason="duplicate"} 0
knotpost_mails_received_total{reason="bounce_unknown"} 0
knotpost_mails_received_total{reason="foreign_sender"} 0
knotpost_mails_received_total{reason="bounce_unclear"} 0
knotpost_mails_received_total{reason="own_message"} 0

# HELP process_cpu_seconds_total processor time of this process in whole seconds
# TYPE process_cpu_seconds_total counter
process_cpu_seconds_total 0

# HELP knotpost_commands_total commands, by verb (-: not understood) and outcome: done, refused, repeated or failed
# TYPE knotpost_commands_total counter
knotpost_commands_total{verb="standings",outcome="done"} 0
knotpost_commands_total{verb="limit",outcome="done"} 0
knotpost_commands_total{verb="vacation",outcome="done"} 0
knotpost_commands_total{verb="subscribe",outcome="done"} 0
knotpost_commands_total{verb="preview",outcome="done"} 0
knotpost_commands_total{verb="rematch",outcome="done"} 0
knotpost_commands_total{verb="list",outcome="refused"} 0
knotpost_commands_total{verb="chat",outcome="done"} 0
knotpost_commands_total{verb="move",outcome="done"} 0
knotpost_commands_total{verb="test display",outcome="done"} 0
knotpost_commands_total{verb="games",outcome="refused"} 0
knotpost_commands_total{verb="add",outcome="done"} 0
knotpost_commands_total{verb="vacation",outcome="refused"} 0
knotpost_commands_total{verb="password",outcome="refused"} 0
knotpost_commands_total{verb="set",outcome="done"} 0
knotpost_commands_total{verb="challenge",outcome="refused"} 0
knotpost_commands_total{verb="all show",outcome="done"} 0
knotpost_commands_total{verb="delete",outcome="refused"} 0
knotpost_commands_total{verb="submit",outcome="refused"} 0
knotpost_commands_total{verb="change address",outcome="refused"} 0
knotpost_commands_total{verb="preview",outcome="refused"} 0
knotpost_commands_total{verb="reject",outcome="done"} 0
knotpost_commands_total{verb="games",outcome="done"} 0
knotpost_commands_total{verb="puzzle",outcome="done"} 0
knotpost_commands_total{verb="unsubscribe",outcome="done"} 0
knotpost_commands_total{verb="swap",outcome="done"} 0
knotpost_commands_total{verb="history",outcome="refused"} 0
knotpost_commands_total{verb="export",outcome="refused"} 0
knotpost_commands_total{verb="subscribe",outcome="refused"} 0
knotpost_commands_total{verb="help",outcome="done"} 0
knotpost_commands_total{verb="signoff",outcome="done"} 0
knotpost_commands_total{verb="password",outcome="done"} 0
knotpost_commands_total{verb="all games",outcome="done"} 0
knotpost_commands_total{verb="unsubscribe",outcome="refused"} 0
knotpost_commands_total{verb="change password",outcome="done"} 0
knotpost_commands_total{verb="resign",outcome="done"} 0
knotpost_commands_total{verb="showas",outcome="refused"} 0
knotpost_commands_total{verb="change password",outcome="refused"} 0
knotpost_commands_total{verb="standings",outcome="refused"} 0
knotpost_commands_total{verb="accept",outcome="done"} 0
knotpost_commands_total{verb="test display",outcome="refused"} 0
knotpost_commands_total{verb="message",outcome="refused"} 0
knotpost_commands_total{verb="seek",outcome="refused"} 0
knotpost_commands_total{verb="hint",outcome="refused"} 0
knotpost_commands_total{verb="confirm",outcome="refused"} 0
knotpost_commands_total{verb="analyse",outcome="done"} 0
knotpost_commands_total{verb="seek",outcome="done"} 0
knotpost_commands_total{verb="chat",outcome="refused"} 0
knotpost_commands_total{verb="puzzle",outcome="refused"} 0
knotpost_commands_total{verb="change address",outcome="done"} 0
knotpost_commands_total{verb="add",outcome="refused"} 0
knotpost_commands_total{verb="signoff",outcome="refused"} 0
knotpost_commands_total{verb="resend",outcome="done"} 0
knotpost_commands_total{verb="queue",outcome="done"} 0
knotpost_commands_total{verb="hint",outcome="done"} 0
knotpost_commands_total{verb="analyse",outcome="refused"} 0
knotpost_commands_total{verb="limit",outcome="refused"} 0
knotpost_commands_total{verb="confirm",outcome="done"} 0
knotpost_commands_total{verb="multiple",outcome="refused"} 0
knotpost_commands_total{verb="broadcast",outcome="refused"} 0
knotpost_commands_total{verb="all show",outcome="refused"} 0
knotpost_commands_total{verb="resign",outcome="refused"} 0
knotpost_commands_total{verb="showas",outcome="done"} 0
knotpost_commands_total{verb="rematch",outcome="refused"} 0
knotpost_commands_total{verb="submit",outcome="done"} 0
knotpost_commands_total{verb="history",outcome="done"} 0
knotpost_commands_total{verb="message",outcome="done"} 0
knotpost_commands_total{verb="accept",outcome="refused"} 0
knotpost_commands_total{verb="queue",outcome="refused"} 0
knotpost_commands_total{verb="reject",outcome="refused"} 0
knotpost_commands_total{verb="challenge",outcome="done"} 0
knotpost_commands_total{verb="show",outcome="done"} 0
knotpost_commands_total{verb="broadcast",outcome="done"} 0
knotpost_commands_total{verb="delete",outcome="done"} 0
knotpost_commands_total{verb="resend",outcome="refused"} 0
knotpost_commands_total{verb="set",outcome="refused"} 0
knotpost_commands_total{verb="signup",outcome="done"} 1
knotpost_commands_total{verb="multiple",outcome="done"} 0
knotpost_commands_total{verb="signup",outcome="refused"} 0
knotpost_commands_total{verb="notify",outcome="refused"} 0
knotpost_commands_total{verb="export",outcome="done"} 0
knotpost_commands_total{verb="show",outcome="refused"} 0
knotpost_commands_total{verb="notify",outcome="done"} 0
knotpost_commands_total{verb="all games",outcome="refused"} 0
knotpost_commands_total{verb="move",outcome="refused"} 0
knotpost_commands_total{verb="list",outcome="done"} 0
knotpost_commands_total{verb="help",outcome="refused"} 0
knotpost_commands_total{verb="swap",outcome="refused"} 0

# HELP knotpost_http_requests_total HTTP requests, by route and status (2xx and so on)
# TYPE knotpost_http_requests_total counter
knotpost_http_requests_total{route="none",status="4xx"} 1
knotpost_http_requests_total{route="/commands",status="2xx"} 1
knotpost_http_requests_total{route="/",status="2xx"} 1
knotpost_http_requests_total{route="/readyz",status="2xx"} 1
knotpost_http_requests_total{route="/metrics",status="2xx"} 1

# HELP knotpost_store_retries_total transactions that were repeated because others were first
# TYPE knotpost_store_retries_total counter
knotpost_store_retries_total 0

# HELP knotpost_passwords_waiting passwords that wait to be checked
# TYPE knotpost_passwords_waiting gauge
knotpost_passwords_waiting 0

# HELP knotpost_users users; counted together with the boards
# TYPE knotpost_users gauge
knotpost_users 9

# HELP process_open_fds open files and connections of this process
# TYPE process_open_fds gauge
process_open_fds 21

# HELP knotpost_outbox_waiting outgoing mails that wait
# TYPE knotpost_outbox_waiting gauge
knotpost_outbox_waiting 0

# HELP knotpost_bot_turns_waiting turns of computer players that no server is deciding on; 100 stands for more
# TYPE knotpost_bot_turns_waiting gauge
knotpost_bot_turns_waiting 0

# HELP knotpost_last_mail_sent_timestamp_seconds when the last mail left; 0: never
# TYPE knotpost_last_mail_sent_timestamp_seconds gauge
knotpost_last_mail_sent_timestamp_seconds 1795670212.663

# HELP knotpost_outbox_late_seconds how long the oldest due mail of the outbox has been due
# TYPE knotpost_outbox_late_seconds gauge
knotpost_outbox_late_seconds 0

# HELP knotpost_database_working 1 while the database answers and takes writes, else 0
# TYPE knotpost_database_working gauge
knotpost_database_working 1

# HELP knotpost_last_mail_received_timestamp_seconds when the last mail came in; 0: never
# TYPE knotpost_last_mail_received_timestamp_seconds gauge
knotpost_last_mail_received_timestamp_seconds 0

# HELP process_resident_memory_bytes memory of this process
# TYPE process_resident_memory_bytes gauge
process_resident_memory_bytes 63266816

# HELP knotpost_webhook_events_waiting events that wait for webhooks
# TYPE knotpost_webhook_events_waiting gauge
knotpost_webhook_events_waiting 0

# HELP knotpost_database_bytes size of the database in bytes; asked for at least a minute apart
# TYPE knotpost_database_bytes gauge
knotpost_database_bytes 634880

# HELP knotpost_build_info always 1; version and commit name the build
# TYPE knotpost_build_info gauge
knotpost_build_info{version="0.1.0",commit=""} 1

# HELP process_start_time_seconds when this process began
# TYPE process_start_time_seconds gauge
process_start_time_seconds 1795670204.182

# HELP knotpost_inbox_waiting received mails that wait to be processed
# TYPE knotpost_inbox_waiting gauge
knotpost_inbox_waiting 0

# HELP knotpost_inbox_late_seconds how long the oldest due mail of the inbox has been due
# TYPE knotpost_inbox_late_seconds gauge
knotpost_inbox_late_seconds 0

# HELP knotpost_limit_closed 1 while a limit that all share is reached, by rate
# TYPE knotpost_limit_closed gauge
knotpost_limit_closed{rate="proposal",scope="strangers",channel="http"} 0
knotpost_limit_closed{rate="signup",scope="proven",channel="mail"} 0
knotpost_limit_closed{rate="analysis",scope="strangers",channel="http"} 0
knotpost_limit_closed{rate="message",scope="proven",channel="mail"} 0
knotpost_limit_closed{rate="analysis",scope="proven",channel="mail"} 0
knotpost_limit_closed{rate="reset",scope="proven",channel="http"} 0
knotpost_limit_closed{rate="challenge",scope="strangers",channel="mail"} 0
knotpost_limit_closed{rate="reset",scope="proven",channel="mail"} 0
knotpost_limit_closed{rate="signup",scope="strangers",channel="mail"} 0
knotpost_limit_closed{rate="proposal",scope="proven",channel="http"} 0
knotpost_limit_closed{rate="message",scope="proven",channel="http"} 0
knotpost_limit_closed{rate="reset",scope="strangers",channel="http"} 0
knotpost_limit_closed{rate="message",scope="strangers",channel="mail"} 0
knotpost_limit_closed{rate="proposal",scope="proven",channel="mail"} 0
knotpost_limit_closed{rate="challenge",scope="proven",channel="http"} 0
knotpost_limit_closed{rate="chat",scope="proven",channel="http"} 0
knotpost_limit_closed{rate="analysis",scope="proven",channel="http"} 0
knotpost_limit_closed{rate="reset",scope="strangers",channel="mail"} 0
knotpost_limit_closed{rate="signup",scope="strangers",channel="http"} 0
knotpost_limit_closed{rate="message",scope="strangers",channel="http"} 0
knotpost_limit_closed{rate="chat",scope="proven",channel="mail"} 0
knotpost_limit_closed{rate="challenge",scope="proven",channel="mail"} 0
knotpost_limit_closed{rate="chat",scope="strangers",channel="mail"} 0
knotpost_limit_closed{rate="challenge",scope="strangers",channel="http"} 0
knotpost_limit_closed{rate="signup",scope="proven",channel="http"} 0
knotpost_limit_closed{rate="proposal",scope="strangers",channel="mail"} 0
knotpost_limit_closed{rate="chat",scope="strangers",channel="http"} 0
knotpost_limit_closed{rate="analysis",scope="strangers",channel="mail"} 0

# HELP knotpost_moves_stored moves on all boards; counted together with the boards
# TYPE knotpost_moves_stored gauge
knotpost_moves_stored 0

# HELP knotpost_boards boards, by state; counted now and then, at least a minute apart
# TYPE knotpost_boards gauge
knotpost_boards{state="removed"} 0
knotpost_boards{state="over"} 0
knotpost_boards{state="active"} 0

# HELP knotpost_store_group writes that were committed together
# TYPE knotpost_store_group histogram
knotpost_store_group_bucket{le="1"} 6
knotpost_store_group_bucket{le="2"} 7
knotpost_store_group_bucket{le="4"} 7
knotpost_store_group_bucket{le="8"} 7
knotpost_store_group_bucket{le="16"} 7
knotpost_store_group_bucket{le="32"} 7
knotpost_store_group_bucket{le="64"} 7
knotpost_store_group_bucket{le="+Inf"} 7
knotpost_store_group_sum 8
knotpost_store_group_count 7

# HELP knotpost_http_request_seconds time until an answer begins, by route
# TYPE knotpost_http_request_seconds histogram
knotpost_http_request_seconds_bucket{route="none",le="0.005"} 1
knotpost_http_request_seconds_bucket{route="none",le="0.025"} 1
knotpost_http_request_seconds_bucket{route="none",le="0.1"} 1
knotpost_http_request_seconds_bucket{route="none",le="0.5"} 1
knotpost_http_request_seconds_bucket{route="none",le="1"} 1
knotpost_http_request_seconds_bucket{route="none",le="2.5"} 1
knotpost_http_request_seconds_bucket{route="none",le="10"} 1
knotpost_http_request_seconds_bucket{route="none",le="+Inf"} 1
knotpost_http_request_seconds_sum{route="none"} 0.0009861
knotpost_http_request_seconds_count{route="none"} 1
knotpost_http_request_seconds_bucket{route="/",le="0.005"} 0
knotpost_http_request_seconds_bucket{route="/",le="0.025"} 0
knotpost_http_request_seconds_bucket{route="/",le="0.1"} 1
knotpost_http_request_seconds_bucket{route="/",le="0.5"} 1
knotpost_http_request_seconds_bucket{route="/",le="1"} 1
knotpost_http_request_seconds_bucket{route="/",le="2.5"} 1
knotpost_http_request_seconds_bucket{route="/",le="10"} 1
knotpost_http_request_seconds_bucket{route="/",le="+Inf"} 1
knotpost_http_request_seconds_sum{route="/"} 0.03558143
knotpost_http_request_seconds_count{route="/"} 1
knotpost_http_request_seconds_bucket{route="/readyz",le="0.005"} 1
knotpost_http_request_seconds_bucket{route="/readyz",le="0.025"} 1
knotpost_http_request_seconds_bucket{route="/readyz",le="0.1"} 1
knotpost_http_request_seconds_bucket{route="/readyz",le="0.5"} 1
knotpost_http_request_seconds_bucket{route="/readyz",le="1"} 1
knotpost_http_request_seconds_bucket{route="/readyz",le="2.5"} 1
knotpost_http_request_seconds_bucket{route="/readyz",le="10"} 1
knotpost_http_request_seconds_bucket{route="/readyz",le="+Inf"} 1
knotpost_http_request_seconds_sum{route="/readyz"} 0.000749165
knotpost_http_request_seconds_count{route="/readyz"} 1
knotpost_http_request_seconds_bucket{route="/commands",le="0.005"} 0
knotpost_http_request_seconds_bucket{route="/commands",le="0.025"} 0
knotpost_http_request_seconds_bucket{route="/commands",le="0.1"} 0
knotpost_http_request_seconds_bucket{route="/commands",le="0.5"} 1
knotpost_http_request_seconds_bucket{route="/commands",le="1"} 1
knotpost_http_request_seconds_bucket{route="/commands",le="2.5"} 1
knotpost_http_request_seconds_bucket{route="/commands",le="10"} 1
knotpost_http_request_seconds_bucket{route="/commands",le="+Inf"} 1
knotpost_http_request_seconds_sum{route="/commands"} 0.489395502
knotpost_http_request_seconds_count{route="/commands"} 1
knotpost_http_request_seconds_bucket{route="/metrics",le="0.005"} 0
knotpost_http_request_seconds_bucket{route="/metrics",le="0.025"} 1
knotpost_http_request_seconds_bucket{route="/metrics",le="0.1"} 1
knotpost_http_request_seconds_bucket{route="/metrics",le="0.5"} 1
knotpost_http_request_seconds_bucket{route="/metrics",le="1"} 1
knotpost_http_request_seconds_bucket{route="/metrics",le="2.5"} 1
knotpost_http_request_seconds_bucket{route="/metrics",le="10"} 1
knotpost_http_request_seconds_bucket{route="/metrics",le="+Inf"} 1
knotpost_http_request_seconds_sum{route="/metrics"} 0.022664819
knotpost_http_request_seconds_count{route="/metrics"} 1

