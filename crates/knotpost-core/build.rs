//! Embeds the names of all crates.

fn main() {
    list_crates();
}

/// The names of all crates that could log something, one a line.
#[expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "cargo talks to build scripts by environment"
)]
fn list_crates() {
    let lock = "../../Cargo.lock";
    println!("cargo:rerun-if-changed={lock}");
    let text = std::fs::read_to_string(lock).expect("Cargo.lock lies in the folder of the workspace");
    let names = text.lines().filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
    let list: String = names.map(|name| name.replace('-', "_") + "\n").collect();
    let out = std::env::var_os("OUT_DIR").expect("cargo says where to");
    std::fs::write(std::path::Path::new(&out).join("crates.txt"), list).expect("the list is written");
}
