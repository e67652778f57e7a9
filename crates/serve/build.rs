//! Makes the OpenAPI document, lists the migrations of the database, and collects the browser's files with the policy that the page of
//! administration is served with.

use std::path::PathBuf;
use std::{env, fs};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// Files of web/ that the worker serves.
const WEB_FILES: [&str; 5] = ["admin.html", "beacon.js", "board-texts.js", "board.js", "list.css"];

/// The tables of the database, one file per change.
const MIGRATIONS: &str = "../../migrations";

/// Into it the worker writes the names of the sites.
const SITES_ATTRIBUTE: &str = "data-sites=\"";

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    // scripts/build.mjs tells one build from another.
    println!("cargo::rerun-if-env-changed=EDGEBOARD_BUILD");
    let version = env::var("EDGEBOARD_BUILD").unwrap_or_else(|_| "unversioned".into());
    println!("cargo::rustc-env=EDGEBOARD_VERSION={}", &version[..16.min(version.len())]);

    let description = interface::openapi::description(env!("CARGO_PKG_VERSION"));
    fs::write(out.join("openapi.json"), description.to_string()).expect("OUT_DIR is writable");

    println!("cargo::rerun-if-changed={MIGRATIONS}");
    fs::write(out.join("migrations.rs"), migrations()).expect("OUT_DIR is writable");

    // scripts/build.mjs minifies web/ and names the folder; without it the files are taken as they are written.
    println!("cargo::rerun-if-env-changed=EDGEBOARD_WEB_DIR");
    let web = PathBuf::from(env::var_os("EDGEBOARD_WEB_DIR").unwrap_or("../../web".into()));
    for file in WEB_FILES {
        let from = web.join(file);
        println!("cargo::rerun-if-changed={}", from.display());
        fs::copy(&from, out.join(file)).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
    }
    // Without a build of web/ nobody is a bot.
    let bots = web.join("bots.txt");
    println!("cargo::rerun-if-changed={}", bots.display());
    fs::write(out.join("bots.txt"), fs::read(&bots).unwrap_or_else(|_| "(?!)".into())).expect("OUT_DIR is writable");
    let module = Sha256::digest(fs::read(out.join("beacon.js")).expect("it was copied"));
    let version = u64::from_be_bytes(module[..8].try_into().expect("eight bytes"));
    fs::write(out.join("module-version.txt"), format!("{version:016x}")).expect("OUT_DIR is writable");
    fs::write(out.join("module-integrity.txt"), format!("sha256-{}", STANDARD.encode(module))).expect("OUT_DIR is writable");
    let list = Sha256::digest(fs::read(out.join("list.css")).expect("it was copied"));
    fs::write(out.join("list-policy.txt"), format!("style-src 'sha256-{}'", STANDARD.encode(list))).expect("OUT_DIR is writable");
    let admin = fs::read_to_string(web.join("admin.html")).expect("it was copied");
    fs::write(out.join("admin-policy.txt"), page_policy(&admin)).expect("OUT_DIR is writable");
    let sites = admin.find(SITES_ATTRIBUTE).unwrap_or_else(|| panic!("web/admin.html has no {SITES_ATTRIBUTE}")) + SITES_ATTRIBUTE.len();
    fs::write(out.join("admin-sites.txt"), sites.to_string()).expect("OUT_DIR is writable");
}

/// A list in Rust of the migrations: the name of each, and what its file says.
fn migrations() -> String {
    let folder = fs::canonicalize(MIGRATIONS).unwrap_or_else(|error| panic!("{MIGRATIONS}: {error}"));
    let entries = fs::read_dir(&folder).expect("it is a folder");
    let mut names: Vec<String> = entries.map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    let line = |name: &String| format!("({name:?}, include_str!({:?})),\n", format!("{}/{name}", folder.display()));
    format!("&[\n{}]", names.iter().map(line).collect::<String>())
}

/// The Content-Security-Policy of a page: its own script and style, by their digests, and what the worker serves.
fn page_policy(page: &str) -> String {
    let digest = |from: &str, until: &str| {
        let start = page.find(from).unwrap_or_else(|| panic!("the page has no {from}")) + from.len();
        let end = page[start..].find(until).unwrap_or_else(|| panic!("the page has no {until}")) + start;
        format!("'sha256-{}'", STANDARD.encode(Sha256::digest(&page[start..end])))
    };
    let (script, style) = (digest("<script type=\"module\">", "</script>"), digest("<style>", "</style>"));
    [
        "default-src 'none'",
        &format!("script-src 'self' {script}"),
        &format!("style-src {style}"),
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
    .join("; ")
}
