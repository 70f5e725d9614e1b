//! The command language.
