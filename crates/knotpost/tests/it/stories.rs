//! Whole conversations with the server, mail by mail, as their players read them. Each is told once, in
//! the deployed profile; some on PostgreSQL too, and the letters are the same.

mod abuse;
mod accounts;
mod analysing;
mod answering;
mod blocking;
mod computer;
mod confirming;
mod conversing;
mod crowding;
mod declining;
mod folder;
mod forms;
mod games;
mod guessing;
mod helping;
mod hints;
mod holding;
mod hooks;
mod joining;
mod listing;
mod lives;
mod looking;
mod machines;
mod mistakes;
mod moving;
mod opponents;
mod outages;
mod passes;
mod people;
mod playing;
mod posting;
mod profiles;
mod proposing;
mod proving;
mod puzzles;
mod queueing;
mod rating;
mod reading;
mod records;
mod relaying;
mod rematches;
mod replying;
mod resigning;
mod returning;
mod stopping;
mod submitting;
mod timing;
mod tournaments;
mod undeployed;
mod unmailed;
mod vacations;
mod watching;
mod wishes;
mod words;

/// Tells every story once, on SQLite in the deployed profile; those behind `undeployed:` with the settings of a loopback
/// server, for the reasons in the table of that name. What stands behind `on_postgres:` is told there as well: between them
/// these stories issue every statement, and `tests/statements` says when one is missing.
macro_rules! tell {
    ($($story:ident),* $(,)? $(; undeployed: $($aside:ident),+ $(,)?)? $(; on_postgres: $($also:ident),+ $(,)?)?) => {
        $(
            #[tokio::test]
            async fn $story() {
                stories::$story(crate::harness::Place::Deployed(None)).await;
            }
        )*
        $(
            $(
                #[tokio::test]
                async fn $aside() {
                    stories::$aside(crate::harness::Place::Sqlite).await;
                }
            )+
        )?
        $(
            mod on_postgres {
                $(
                    #[tokio::test]
                    async fn $also() {
                        let Some(database) = crate::postgres::database().await else { return };
                        super::stories::$also(crate::harness::Place::Deployed(Some(Box::new(database)))).await;
                    }
                )+
            }
        )?
    };
}
pub(crate) use tell;
