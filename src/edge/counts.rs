//! The counters of the module, for the JavaScript that adds those of live rankings; see `counts.js`.

use wasm_bindgen::prelude::wasm_bindgen;
use worker::Env;

use super::settings::Settings;

#[wasm_bindgen]
extern "C" {
    /// The rows of this isolate, as JSON: a global function of `counts.js`.
    #[wasm_bindgen(js_name = edgeboardCounts)]
    pub fn all() -> String;
}

/// The rows of [`serve::app::counters::Counters::json`].
#[wasm_bindgen]
pub fn counts(env: &Env) -> String {
    Settings::of(env).map_or_else(|_| "[]".into(), |settings| settings.memory.counters.json())
}
