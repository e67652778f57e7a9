//! A TCP socket of the runtime, read and written as it hands over its bytes; see `transports.js`.
//!
//! Not `worker::Socket`, which takes and releases the streams' locks at every read and write: each release makes an error with its
//! stack, for a promise that nobody waits for.

use js_sys::futures::JsFuture;
use js_sys::{Function, Promise, Uint8Array};
use wasm_bindgen::prelude::wasm_bindgen;
use worker::wasm_bindgen::{JsCast, JsValue};

#[wasm_bindgen(module = "cloudflare:sockets")]
extern "C" {
    #[wasm_bindgen(thread_local_v2, js_name = connect)]
    static CONNECT: Function;
}

#[wasm_bindgen(module = "/src/edge/transports.js")]
extern "C" {
    #[wasm_bindgen(js_name = Socket)]
    type JsSocket;

    #[wasm_bindgen(constructor, js_class = "Socket", catch)]
    fn new(connect: &Function, hostname: &str, port: u16, tls: bool) -> Result<JsSocket, JsValue>;

    #[wasm_bindgen(method)]
    fn exchange(this: &JsSocket, bytes: &[u8], connect_ms: u32, reply_ms: u32) -> Promise;

    #[wasm_bindgen(method)]
    fn write(this: &JsSocket, bytes: &[u8], reply_ms: u32);

    #[wasm_bindgen(method)]
    fn read(this: &JsSocket) -> Promise;

    #[wasm_bindgen(method)]
    fn close(this: &JsSocket);

    #[wasm_bindgen(method, getter, js_name = isOpen)]
    fn is_open(this: &JsSocket) -> bool;
}

pub struct Socket(JsSocket);

impl Socket {
    /// Begins to connect, with TLS or without.
    ///
    /// # Errors
    /// What the runtime says.
    pub fn open(host: &str, port: u16, tls: bool) -> Result<Self, String> {
        let opened = CONNECT.with(|connect| JsSocket::new(connect, host, port, tls));
        opened.map(Self).map_err(message)
    }

    /// Closes it; nothing that is still on its way reaches anybody.
    pub fn close(&self) {
        self.0.close();
    }

    /// Writes bytes once it is connected; they are copied at once, since a reply may take seconds. Answers the first bytes that are read then, `None` at the end.
    ///
    /// # Errors
    /// What the runtime says, or that it took too long to connect, or until all replies were read.
    pub fn exchange(&self, bytes: &[u8], connect_ms: u32, reply_ms: u32) -> impl Future<Output = Result<Option<Vec<u8>>, String>> + use<> {
        read(self.0.exchange(bytes, connect_ms, reply_ms))
    }

    /// Writes bytes to one that is open; they are copied at once.
    pub fn write(&self, bytes: &[u8], reply_ms: u32) {
        self.0.write(bytes, reply_ms);
    }

    /// The next bytes; `None` at the end.
    ///
    /// # Errors
    /// Those of [`Self::exchange`].
    pub async fn read(&self) -> Result<Option<Vec<u8>>, String> {
        read(self.0.read()).await
    }

    /// Whether it was connected. Before, nothing was written.
    pub fn is_open(&self) -> bool {
        self.0.is_open()
    }
}

async fn read(bytes: Promise) -> Result<Option<Vec<u8>>, String> {
    let bytes = JsFuture::from(bytes).await.map_err(message)?;
    Ok(bytes.dyn_into::<Uint8Array>().ok().map(|bytes| bytes.to_vec()))
}

fn message(error: JsValue) -> String {
    worker::Error::from(error).to_string()
}
