//! Embeds the templates and makes a changed migration or template rebuild the program.

fn main() {
    minijinja_embed::embed_templates!("../../templates/mail", &[".txt"], "mail");
    minijinja_embed::embed_templates!("../../templates/web", &[".html"], "web");
    println!("cargo:rerun-if-changed=../../migrations");
    println!("cargo:rerun-if-changed=../../templates");
}
