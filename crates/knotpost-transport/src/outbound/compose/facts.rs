//! The facts of a reply as its templates name them: sentences set into lines, tables drawn.

use std::collections::BTreeMap;

use minijinja::value::Serde;
use minijinja::{Error, ErrorKind, Value, context};

use super::board_text::wrapped;
use super::table::table;
use knotpost_core::replies::{Fact, Facts};

/// Template context of these facts.
pub(super) fn lay_out(facts: Facts) -> Result<Value, Error> {
    let data = facts.data.map_err(|error| {
        Error::new(ErrorKind::BadSerialization, "a reply is no plain data").with_source(error)
    })?;
    let laid_out = facts
        .to_lay_out
        .into_iter()
        .map(|(name, fact)| Ok((name, value_of(fact)?)))
        .collect::<Result<BTreeMap<&str, Value>, Error>>()?;
    Ok(context! { ..Value::from(laid_out), ..Value::from(Serde(data)) })
}

fn value_of(fact: Fact) -> Result<Value, Error> {
    Ok(match fact {
        Fact::Prose(words) => Value::from(words.map(|words| wrapped("", "", &words))),
        Fact::Words(words) => Value::from(wrapped("   ", "   ", &words.join(" "))),
        Fact::Table(shown) => Value::from(table(&shown.columns, &shown.rows)),
        Fact::Parts(parts) => Value::from(parts.into_iter().map(lay_out).collect::<Result<Vec<_>, _>>()?),
    })
}
