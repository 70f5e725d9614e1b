//! Personal data of a user: read for the archive, and deleted when they leave. The name stays taken, and visible on their
//! boards.

use super::transfer::Cell;
use crate::connection::{Kind, Result, Sql, StoreError};
use crate::schema::{Deletion, Personal, Table};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::UserKey;

impl ReadTx {
    /// Streams the rows of a table about a user to `each`, with the cells of [`Table::fields`]. Its errors end the
    /// reading.
    pub async fn each_personal<E: From<StoreError>>(
        &mut self,
        table: &Table,
        personal: &Personal,
        user: UserKey,
        mut each: impl FnMut(&[Cell]) -> Result<(), E>,
    ) -> Result<(), E> {
        let kinds: Vec<Kind> = table.fields().map(|field| field.format.kind()).collect();
        // A number needs no quoting.
        let sql = table.select_personal(personal).replace("$1", &user.0.to_string());
        self.each_row_of(sql, &kinds, &mut each).await
    }
}

impl WriteTx {
    /// Deletes the user's private data and mails to them, and blanks mails from them. An unsent farewell
    /// stays.
    pub async fn forget_user(&mut self, user: UserKey) -> Result<()> {
        // Addresses, by which mails are found, are among the last.
        for (table, personal) in Table::personal().rev() {
            let sql = match personal.deletion {
                Deletion::Deletes(rows) => format!("DELETE FROM {} AS t WHERE {rows}", table.name),
                Deletion::Blanks(rows) => table.blank(rows),
                Deletion::BlanksIfAsked | Deletion::Keeps(_) => continue,
            };
            self.exec(Sql::once(sql), &[&user]).await?;
        }
        Ok(())
    }

    /// Replaces the text of a user's comments, chat and broadcasts by a placeholder.
    pub async fn remove_remarks(&mut self, user: UserKey) -> Result<()> {
        for (table, personal) in Table::personal() {
            if matches!(personal.deletion, Deletion::BlanksIfAsked) {
                self.exec(Sql::once(table.blank(personal.rows)), &[&user]).await?;
            }
        }
        Ok(())
    }
}
