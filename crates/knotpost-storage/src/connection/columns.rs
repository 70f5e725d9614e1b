//! Statements of PostgreSQL that take many rows at once, each column as an array.
//!
//! A [`ColumnSet`] has name and values of every column side by side; the SQL type is the one of the Rust type. Its parameters
//! are numbered as the set joins an [`ArrayStatement`], and bound in that order, so that neither order nor count is
//! written down twice.

use std::fmt::Write as _;

use sqlx::{Arguments as _, Encode, Type};
use sqlx_postgres::PgArguments;
use sqlx_postgres::Postgres;

/// Adds the values of one column, from what the statement is about, to the arguments.
type Bind<T> = Box<dyn Fn(&T, &mut PgArguments) -> Result<(), sqlx::Error> + Send + Sync>;

/// The columns of rows of type `R` in a `T`, to be sent as one array for each column.
pub(crate) struct ColumnSet<T, R: 'static> {
    rows: fn(&T) -> &[R],
    columns: Vec<(&'static str, Bind<T>)>,
}

impl<T: 'static, R: 'static> ColumnSet<T, R> {
    /// A set without columns, over these rows.
    pub(crate) fn of(rows: fn(&T) -> &[R]) -> Self {
        Self { rows, columns: Vec::new() }
    }

    /// A column of numbers, flags, or either of them or nothing.
    pub(crate) fn value<V>(mut self, name: &'static str, value: fn(&R) -> V) -> Self
    where
        V: 'static,
        Vec<V>: for<'q> Encode<'q, Postgres> + Type<Postgres>,
    {
        let rows = self.rows;
        let bind: Bind<T> = Box::new(move |from, arguments| add(arguments, column(rows(from), value)));
        self.columns.push((name, bind));
        self
    }

    /// A column of text.
    pub(crate) fn text(mut self, name: &'static str, value: fn(&R) -> &str) -> Self {
        let rows = self.rows;
        let bind: Bind<T> = Box::new(move |from, arguments| add(arguments, column(rows(from), value)));
        self.columns.push((name, bind));
        self
    }

    /// A column of text or nothing.
    pub(crate) fn optional_text(mut self, name: &'static str, value: fn(&R) -> Option<&str>) -> Self {
        let rows = self.rows;
        let bind: Bind<T> = Box::new(move |from, arguments| add(arguments, column(rows(from), value)));
        self.columns.push((name, bind));
        self
    }

    /// A column of bytes or nothing.
    pub(crate) fn optional_bytes(mut self, name: &'static str, value: fn(&R) -> Option<&[u8]>) -> Self {
        let rows = self.rows;
        let bind: Bind<T> = Box::new(move |from, arguments| add(arguments, column(rows(from), value)));
        self.columns.push((name, bind));
        self
    }
}

fn add<'t, V>(arguments: &mut PgArguments, values: Vec<V>) -> Result<(), sqlx::Error>
where
    Vec<V>: Encode<'t, Postgres> + Type<Postgres>,
{
    arguments.add(values).map_err(sqlx::Error::Encode)
}

pub(crate) fn column<'r, R, V>(rows: &'r [R], value: impl FnMut(&'r R) -> V) -> Vec<V> {
    rows.iter().map(value).collect()
}

/// A statement with the values of all its parameters.
pub(crate) struct ArrayStatement<T> {
    sql: String,
    binds: Vec<Bind<T>>,
}

impl<T: 'static> ArrayStatement<T> {
    /// Puts a statement together: `text` adds the column sets and writes the SQL around their parameters.
    pub(crate) fn new(text: impl FnOnce(&mut Parameters<T>) -> String) -> Self {
        let mut parameters = Parameters { binds: Vec::new() };
        let sql = text(&mut parameters);
        Self { sql, binds: parameters.binds }
    }

    pub(crate) fn sql(&self) -> &str {
        &self.sql
    }

    /// The values of all parameters, in the order of their numbers.
    ///
    /// # Errors
    /// When a value cannot be encoded.
    pub(crate) fn arguments(&self, from: &T) -> Result<PgArguments, sqlx::Error> {
        let mut arguments = PgArguments::default();
        for bind in &self.binds {
            bind(from, &mut arguments)?;
        }
        Ok(arguments)
    }
}

/// The parameters of a statement that is being put together.
pub(crate) struct Parameters<T> {
    binds: Vec<Bind<T>>,
}

impl<T> Parameters<T> {
    /// Adds the columns of a set, numbered after those that were added before.
    pub(crate) fn add<R>(&mut self, set: ColumnSet<T, R>) -> Numbered {
        let first = self.binds.len() + 1;
        let mut columns = Vec::with_capacity(set.columns.len());
        for (number, (name, bind)) in (first..).zip(set.columns) {
            columns.push((name, number));
            self.binds.push(bind);
        }
        Numbered(columns)
    }
}

/// The columns of a set with the numbers of their parameters.
pub(crate) struct Numbered(Vec<(&'static str, usize)>);

impl Numbered {
    /// Some of the columns, by name and in this order.
    pub(crate) fn only(&self, names: &[&str]) -> Self {
        let find = |name: &&str| self.0.iter().find(|(other, _)| other == name).copied();
        Self(names.iter().filter_map(find).collect())
    }

    /// All columns but these.
    pub(crate) fn without(&self, names: &[&str]) -> Self {
        Self(self.0.iter().filter(|(name, _)| !names.contains(name)).copied().collect())
    }

    /// `a, b, c`.
    pub(crate) fn names(&self) -> String {
        self.join(|text, name, _| text.push_str(name))
    }

    /// `UNNEST($4, $5, $6)`.
    pub(crate) fn unnest(&self) -> String {
        let parameters = self.join(|text, _, number| {
            let _ = write!(text, "${number}");
        });
        format!("UNNEST({parameters})")
    }

    /// `UNNEST($4, $5, $6) AS row (a, b, c)`.
    pub(crate) fn rows(&self, row: &str) -> String {
        format!("{} AS {row} ({})", self.unnest(), self.names())
    }

    /// `a = row.a, b = row.b, c = row.c`.
    pub(crate) fn assignments(&self, row: &str) -> String {
        self.join(|text, name, _| {
            let _ = write!(text, "{name} = {row}.{name}");
        })
    }

    fn join(&self, mut each: impl FnMut(&mut String, &str, usize)) -> String {
        let mut text = String::new();
        for (index, (name, number)) in self.0.iter().enumerate() {
            if index > 0 {
                text.push_str(", ");
            }
            each(&mut text, name, *number);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use sqlx::Arguments as _;

    use super::{ArrayStatement, ColumnSet};

    struct Rows {
        numbers: Vec<i64>,
        words: Vec<(i64, String)>,
    }

    fn statement() -> ArrayStatement<Rows> {
        ArrayStatement::new(|parameters| {
            let numbers = parameters.add(ColumnSet::of(|rows: &Rows| &rows.numbers).value("n", |n| *n));
            let words = ColumnSet::of(|rows: &Rows| &rows.words);
            let words = words
                .value("id", |(id, _)| *id)
                .text("word", |(_, word)| word)
                .value("odd", |(id, _)| id % 2 == 1);
            let words = parameters.add(words);
            format!(
                "{} / {} / {} / {}",
                numbers.rows("one"),
                words.unnest(),
                words.only(&["odd", "id"]).rows("two"),
                words.without(&["id"]).assignments("w"),
            )
        })
    }

    #[test]
    fn parameters_are_numbered_as_their_sets_were_added() {
        let expected = "UNNEST($1) AS one (n) / UNNEST($2, $3, $4) / UNNEST($4, $2) AS two (odd, id) / \
                        word = w.word, odd = w.odd";
        assert_eq!(statement().sql(), expected);
    }

    #[test]
    fn every_parameter_has_its_values() {
        let rows = Rows { numbers: vec![1, 2], words: vec![(7, "seven".to_owned())] };
        assert_eq!(statement().arguments(&rows).unwrap().len(), 4);
    }
}
