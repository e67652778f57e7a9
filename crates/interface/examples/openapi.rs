//! Prints the OpenAPI document, of which scripts/client/types.mjs makes the client's types: this takes no build of the worker.

fn main() {
    println!("{}", interface::openapi::description(env!("CARGO_PKG_VERSION")));
}
