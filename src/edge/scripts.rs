//! The sources of scripts, which the whole module holds. The everyday one knows their digests, and asks for a source when Redis does not
//! know a script: once after a deployment, or after Redis was restarted.

#[cfg(feature = "whole")]
mod kept {
    use wasm_bindgen::prelude::wasm_bindgen;

    use crate::app::SCRIPTS;

    /// A class, since others are not exported.
    #[wasm_bindgen]
    pub struct Scripts;

    #[wasm_bindgen]
    impl Scripts {
        /// The source of the script with this name.
        pub fn source(name: &str) -> Option<String> {
            SCRIPTS.iter().find(|script| script.name == name).map(|script| script.source())
        }
    }
}

#[cfg(not(feature = "whole"))]
mod asked {
    use js_sys::Promise;
    use js_sys::futures::JsFuture;
    use wasm_bindgen::prelude::wasm_bindgen;
    use worker::wasm_bindgen::JsValue;

    use crate::adapter::{Error, Fault, Script};

    #[wasm_bindgen]
    extern "C" {
        /// A global function of `index.js`.
        #[wasm_bindgen(js_name = edgeboardSource, catch)]
        fn find(name: &str) -> Result<Promise, JsValue>;
    }

    /// The source of a script.
    ///
    /// # Errors
    /// When the whole module could not be loaded.
    pub async fn source(script: &Script) -> Result<String, Error> {
        let found = async { JsFuture::from(find(script.name)?).await }.await;
        let missing = |detail: &str| Error::new(Fault::NoScript, format!("the source of {}: {detail}", script.name));
        found.map_err(|error| missing(&worker::Error::from(error).to_string()))?.as_string().ok_or_else(|| missing("it is not there"))
    }
}

#[cfg(not(feature = "whole"))]
pub use asked::source;
