//! What this module counted, for the JavaScript that puts it together with what the other one did; see `counts.js`.

use wasm_bindgen::prelude::wasm_bindgen;
use worker::Env;

use super::settings::Settings;

#[cfg(feature = "whole")]
#[wasm_bindgen]
extern "C" {
    /// The rows of this isolate, as JSON: a global function of `counts.js`.
    #[wasm_bindgen(js_name = edgeboardCounts)]
    pub fn all() -> String;
}

/// A class, since others are not exported.
#[wasm_bindgen]
pub struct Counts;

#[wasm_bindgen]
impl Counts {
    /// The rows of [`crate::app::counters::Counters::json`].
    pub fn read(env: &Env) -> String {
        Settings::of(env).map_or_else(|_| "[]".into(), |settings| settings.memory.counters.json())
    }
}
