//! Embeds the templates of mails.

#[expect(clippy::disallowed_methods, reason = "cargo talks to build scripts by environment")]
fn main() {
    minijinja_embed::embed_templates!("../../templates/mail", &[".txt", ".html"], "mail");
    println!("cargo:rerun-if-changed=../../templates/mail");
}
