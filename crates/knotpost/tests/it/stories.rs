//! Whole conversations with the server, mail by mail, as their players read them. Each is told on SQLite, in the
//! deployed profile, and on PostgreSQL where there is one; the letters are the same.

mod abuse;
mod accounts;
mod analysing;
mod answering;
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
mod undeployed;
mod unmailed;
mod vacations;
mod watching;
mod wishes;
mod words;

/// Tells every story on both databases, and on SQLite in the deployed profile too; the letters are the same. Stories
/// behind `undeployed:` are told on the databases alone, for the reasons in the table of that name.
macro_rules! tell {
    ($($story:ident),+ $(,)? $(; undeployed: $($aside:ident),+ $(,)?)?) => {
        crate::stories::tell_on_databases! { $($story),+ $(, $($aside),+)? }

        /// The same with limits on, addresses to be confirmed, a relay and a proxy.
        mod deployed {
            $(
                #[tokio::test]
                async fn $story() {
                    super::stories::$story(crate::harness::Place::Deployed).await;
                }
            )+
        }
    };
}
pub(crate) use tell;

/// Tells every story on both databases.
macro_rules! tell_on_databases {
    ($($story:ident),+) => {
        $(
            #[tokio::test]
            async fn $story() {
                stories::$story(crate::harness::Place::Sqlite).await;
            }
        )+

        /// The same on `PostgreSQL`.
        mod on_postgres {
            $(
                #[tokio::test]
                async fn $story() {
                    let Some(database) = crate::postgres::database().await else { return };
                    super::stories::$story(crate::harness::Place::Postgres(Box::new(database))).await;
                }
            )+
        }
    };
}
pub(crate) use tell_on_databases;
