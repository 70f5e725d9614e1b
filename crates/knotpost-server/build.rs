//! Embeds the templates and makes a changed migration or template rebuild the program.

#[expect(clippy::disallowed_methods, reason = "cargo talks to build scripts by environment")]
fn main() {
    minijinja_embed::embed_templates!("../../templates/mail", &[".txt", ".html"], "mail");
    minijinja_embed::embed_templates!("../../templates/web", &[".html"], "web");
    println!("cargo:rerun-if-changed=../../migrations");
    println!("cargo:rerun-if-changed=../../templates");
}
