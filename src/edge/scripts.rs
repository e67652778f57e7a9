//! The library of scripts and their sources, which the whole module holds. The everyday one knows their names, and asks for a text when Redis
//! does not know it: once after a deployment, or after Redis lost its library.

#[cfg(feature = "whole")]
mod kept {
    use wasm_bindgen::prelude::wasm_bindgen;

    use crate::app::{LIBRARY, SCRIPTS};

    /// A class, since others are not exported.
    #[wasm_bindgen]
    pub struct Scripts;

    #[wasm_bindgen]
    impl Scripts {
        /// The text of the library or script with this name.
        pub fn source(name: &str) -> Option<String> {
            if name == LIBRARY.name {
                return Some(LIBRARY.parts.concat());
            }
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

    use crate::adapter::{Error, Fault};

    #[wasm_bindgen]
    extern "C" {
        /// A global function of `index.js`.
        #[wasm_bindgen(js_name = edgeboardSource, catch)]
        fn find(name: &str) -> Result<Promise, JsValue>;
    }

    /// The text of a library or script.
    ///
    /// # Errors
    /// When the whole module could not be loaded.
    pub async fn source(name: &str) -> Result<String, Error> {
        let found = async { JsFuture::from(find(name)?).await }.await;
        let missing = |detail: &str| Error::new(Fault::NoScript, format!("the source of {name}: {detail}"));
        found.map_err(|error| missing(&worker::Error::from(error).to_string()))?.as_string().ok_or_else(|| missing("it is not there"))
    }
}

#[cfg(not(feature = "whole"))]
pub use asked::source;
