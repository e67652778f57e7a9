//! The HTTP interface of edgeboard as data: every route, query parameter, problem and schema, and the OpenAPI document that is
//! made of them.
//!
//! Dispatch, methods, authorization, CORS, the request headers that the edge fetches, `/openapi.json` and the tables of docs/http.md
//! follow from [`ROUTES`].
//!
//! # Out of scope
//! Answering. The worker does it; here stands what it can answer.

pub mod code;
#[cfg(feature = "openapi")]
pub mod openapi;
pub mod parameter;
pub mod route;
mod table;

pub use table::ROUTES;
