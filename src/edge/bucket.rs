//! R2, as the bucket of the archive; see `bucket.js`. The binding is called `ARCHIVE`.

use js_sys::futures::JsFuture;
use js_sys::{Array, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::wasm_bindgen;
use worker::Env;
use worker::wasm_bindgen::{JsCast, JsValue};

const BINDING: &str = "ARCHIVE";

#[wasm_bindgen(module = "/src/edge/bucket.js")]
extern "C" {
    #[wasm_bindgen(js_name = getObject)]
    fn get_object(bucket: &JsValue, name: &str) -> Promise;
    #[wasm_bindgen(js_name = putObject)]
    fn put_object(bucket: &JsValue, name: &str, bytes: &Uint8Array) -> Promise;
    #[wasm_bindgen(js_name = deleteObjects)]
    fn delete_objects(bucket: &JsValue, names: &Array) -> Promise;
    #[wasm_bindgen(js_name = listObjects)]
    fn list_objects(bucket: &JsValue, prefix: &str, after: &str) -> Promise;
}

/// `None` where the deployment has none.
pub fn of(env: &Env) -> Option<JsValue> {
    Reflect::get(env, &BINDING.into()).ok().filter(JsValue::is_object)
}

/// The bytes of an object; `None` where there is none.
///
/// # Errors
/// What R2 said.
pub async fn get(env: &Env, name: &str) -> Result<Option<Vec<u8>>, String> {
    let found = settled(get_object(&bucket(env)?, name)).await?;
    Ok(found.dyn_ref().map(Uint8Array::to_vec))
}

/// # Errors
/// What R2 said.
pub async fn put(env: &Env, name: &str, bytes: &[u8]) -> Result<(), String> {
    settled(put_object(&bucket(env)?, name, &Uint8Array::from(bytes))).await.map(drop)
}

/// # Errors
/// What R2 said.
pub async fn delete(env: &Env, names: &[String]) -> Result<(), String> {
    let names: Array = names.iter().map(|name| JsValue::from_str(name)).collect();
    settled(delete_objects(&bucket(env)?, &names)).await.map(drop)
}

/// # Errors
/// What R2 said.
pub async fn list(env: &Env, prefix: &str, after: &str) -> Result<Vec<String>, String> {
    let names = settled(list_objects(&bucket(env)?, prefix, after)).await?;
    Ok(Array::from(&names).iter().filter_map(|name| name.as_string()).collect())
}

fn bucket(env: &Env) -> Result<JsValue, String> {
    of(env).ok_or_else(|| "there is no bucket".into())
}

async fn settled(promise: Promise) -> Result<JsValue, String> {
    JsFuture::from(promise).await.map_err(|error| worker::Error::from(error).to_string())
}
