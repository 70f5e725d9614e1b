//! A changed migration makes the crate be built again.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations");
}
