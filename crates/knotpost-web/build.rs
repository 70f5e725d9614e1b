//! Embeds the templates of pages.

#[expect(clippy::disallowed_methods, reason = "cargo talks to build scripts by environment")]
fn main() {
    minijinja_embed::embed_templates!("../../templates/web", &[".html"], "web");
    println!("cargo:rerun-if-changed=../../templates/web");
}
