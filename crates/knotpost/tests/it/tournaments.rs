//! Tournaments as they run by themselves, on both databases.

pub(crate) mod club;
mod directing;
mod entering;
mod ladder;
mod league;
mod leaving;
mod running;
mod simulation;
mod swiss;

/// Tells each story on SQLite and on PostgreSQL.
macro_rules! tell {
    ($($story:ident),+ $(,)?) => {
        $(
            #[tokio::test]
            async fn $story() {
                stories::$story(crate::harness::Place::Sqlite).await;
            }
        )+
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
use tell;
