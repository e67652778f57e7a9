//! A TCP socket of the runtime, read and written as it hands over its bytes.
//!
//! Not `worker::Socket`, which takes and releases the streams' locks at every read and write: each release makes an error with its
//! stack, for a promise that nobody waits for.

use std::future::Future;

use js_sys::futures::JsFuture;
use js_sys::{JSON, Reflect, Uint8Array};
use serde_json::json;
use worker::wasm_bindgen::{JsCast, JsValue};
use worker::web_sys::{ReadableStreamDefaultReader, WritableStreamDefaultWriter};
use worker::worker_sys;

pub struct Socket {
    reader: ReadableStreamDefaultReader,
    writer: WritableStreamDefaultWriter,
}

impl Socket {
    /// Connects, with TLS or without.
    ///
    /// # Errors
    /// What the runtime says.
    pub async fn open(host: &str, port: u16, tls: bool) -> Result<Self, String> {
        let address = object(&json!({ "hostname": host, "port": port }))?;
        let options = object(&json!({ "secureTransport": if tls { "on" } else { "off" } }))?;
        let socket = worker_sys::connect(address, options).map_err(said)?;
        JsFuture::from(socket.opened().map_err(said)?).await.map_err(said)?;
        let reader = socket.readable().map_err(said)?.get_reader().unchecked_into();
        let writer = socket.writable().and_then(|stream| stream.get_writer()).map_err(said)?;
        Ok(Self { reader, writer })
    }

    /// Writes bytes; what it answers need not be waited for.
    pub fn write(&self, bytes: &[u8]) -> impl Future<Output = Result<(), String>> + use<> {
        let written = JsFuture::from(self.writer.write_with_chunk(&Uint8Array::from(bytes)));
        async move { written.await.map(drop).map_err(said) }
    }

    /// The next bytes; `None` at the end.
    ///
    /// # Errors
    /// What the runtime says.
    pub async fn read(&self) -> Result<Option<Vec<u8>>, String> {
        let read = JsFuture::from(self.reader.read()).await.map_err(said)?;
        let chunk = Reflect::get(&read, &JsValue::from_str("value")).map_err(said)?;
        Ok(chunk.dyn_into::<Uint8Array>().ok().map(|bytes| bytes.to_vec()))
    }
}

fn object(json: &serde_json::Value) -> Result<JsValue, String> {
    JSON::parse(&json.to_string()).map_err(said)
}

fn said(error: JsValue) -> String {
    worker::Error::from(error).to_string()
}
