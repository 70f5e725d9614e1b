//! Embeds the templates and makes a changed migration rebuild the program.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations");
    println!("cargo:rerun-if-changed=../../templates");
}
