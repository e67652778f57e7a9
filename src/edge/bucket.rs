//! Where the archive is: another Redis where `ARCHIVE_REDIS_URL` names one, else R2, see `bucket.js`. Its binding is called `ARCHIVE`.

use admin::app::archive::{Objects, Tagged, digest};
use engine::adapter::Error;
use js_sys::futures::JsFuture;
use js_sys::{Array, Promise, Reflect, Uint8Array};
use serve::app::ports;
use wasm_bindgen::prelude::wasm_bindgen;
use worker::Env;
use worker::wasm_bindgen::{JsCast, JsValue};

use super::settings::Settings;
use super::transport::EdgeTransport;

const BINDING: &str = "ARCHIVE";

#[wasm_bindgen(module = "/src/edge/bucket.js")]
extern "C" {
    #[wasm_bindgen(js_name = getObject)]
    fn get_object(bucket: &JsValue, name: &str) -> Promise;
    #[wasm_bindgen(js_name = findObject)]
    fn find_object(bucket: &JsValue, name: &str) -> Promise;
    #[wasm_bindgen(js_name = replaceObject)]
    fn replace_object(bucket: &JsValue, name: &str, bytes: &Uint8Array, tag: &str) -> Promise;
    #[wasm_bindgen(js_name = putObject)]
    fn put_object(bucket: &JsValue, name: &str, bytes: &Uint8Array) -> Promise;
    #[wasm_bindgen(js_name = deleteObjects)]
    fn delete_objects(bucket: &JsValue, names: &Array) -> Promise;
    #[wasm_bindgen(js_name = listObjects)]
    fn list_objects(bucket: &JsValue, prefix: &str, after: &str) -> Promise;
}

pub enum Bucket {
    R2(JsValue),
    Redis(Objects<EdgeTransport>),
}

impl Bucket {
    /// `None` where the deployment has none.
    pub fn of(env: &Env, settings: &Settings) -> Option<Self> {
        if let Some(archive) = &settings.archive {
            return Some(Self::Redis(Objects { transport: EdgeTransport::to_archive(archive, settings) }));
        }
        Reflect::get(env, &BINDING.into()).ok().filter(JsValue::is_object).map(Self::R2)
    }
}

impl ports::Bucket for Bucket {
    async fn get(&self, name: &str) -> Result<Option<Vec<u8>>, String> {
        match self {
            Self::R2(bucket) => Ok(settled(get_object(bucket, name)).await?.dyn_ref().map(Uint8Array::to_vec)),
            Self::Redis(objects) => objects.get(name).await.map_err(message),
        }
    }

    async fn find(&self, name: &str) -> Result<Option<Tagged>, String> {
        match self {
            Self::R2(bucket) => {
                let found = settled(find_object(bucket, name)).await?;
                let Some(found) = found.dyn_ref::<Array>() else { return Ok(None) };
                let bytes = found.get(0).dyn_ref().map(Uint8Array::to_vec).unwrap_or_default();
                Ok(Some(Tagged { bytes, tag: found.get(1).as_string().unwrap_or_default() }))
            }
            Self::Redis(objects) => {
                let bytes = objects.get(name).await.map_err(message)?;
                Ok(bytes.map(|bytes| Tagged { tag: digest(&bytes), bytes }))
            }
        }
    }

    async fn replace(&self, name: &str, text: String, tag: &str) -> Result<bool, String> {
        match self {
            Self::R2(bucket) => {
                let done = settled(replace_object(bucket, name, &Uint8Array::from(text.as_bytes()), tag)).await?;
                Ok(done.is_truthy())
            }
            Self::Redis(objects) => objects.replace(name, text, tag).await.map_err(message),
        }
    }

    async fn put(&self, name: &str, bytes: &[u8]) -> Result<(), String> {
        match self {
            Self::R2(bucket) => settled(put_object(bucket, name, &Uint8Array::from(bytes))).await.map(drop),
            Self::Redis(objects) => objects.put(name, bytes).await.map_err(message),
        }
    }

    async fn delete(&self, names: &[String]) -> Result<(), String> {
        match self {
            Self::R2(bucket) => {
                let names: Array = names.iter().map(|name| JsValue::from_str(name)).collect();
                settled(delete_objects(bucket, &names)).await.map(drop)
            }
            Self::Redis(objects) => objects.delete(names).await.map_err(message),
        }
    }

    async fn list(&self, prefix: &str, after: &str) -> Result<Vec<String>, String> {
        match self {
            Self::R2(bucket) => {
                let names = settled(list_objects(bucket, prefix, after)).await?;
                Ok(Array::from(&names).iter().filter_map(|name| name.as_string()).collect())
            }
            Self::Redis(objects) => objects.list(prefix, after).await.map_err(message),
        }
    }
}

async fn settled(promise: Promise) -> Result<JsValue, String> {
    JsFuture::from(promise).await.map_err(|error| worker::Error::from(error).to_string())
}

fn message(error: Error) -> String {
    format!("the Redis of the archive: {error}")
}
