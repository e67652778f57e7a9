//! D1, as the database of the application. The binding is called `DB`.

use serve::app::database::{Answered, Argument, Statement};
use serve::app::ports;
use worker::wasm_bindgen::JsValue;
use worker::{D1Database, D1PreparedStatement, Env};

const BINDING: &str = "DB";

pub struct Database(D1Database);

impl Database {
    /// `None` where the deployment has none.
    pub fn of(env: &Env) -> Option<Self> {
        env.d1(BINDING).ok().map(Self)
    }
}

impl ports::Database for Database {
    async fn query(&self, statements: &[Statement]) -> Result<Answered, String> {
        let prepared = statements.iter().map(|statement| prepare(&self.0, statement)).collect::<worker::Result<Vec<_>>>();
        let results = async { self.0.batch(prepared?).await }.await.map_err(|error| error.to_string())?;
        let mut answered = Answered::default();
        for result in &results {
            answered.lists.push(result.results().map_err(|error| error.to_string())?);
            let meta = result.meta().ok().flatten();
            let of = |count: Option<usize>| count.unwrap_or(0) as u64;
            answered.rows_read += meta.as_ref().map_or(0, |meta| of(meta.rows_read));
            answered.rows_written += meta.as_ref().map_or(0, |meta| of(meta.rows_written));
        }
        Ok(answered)
    }
}

fn prepare(database: &D1Database, statement: &Statement) -> worker::Result<D1PreparedStatement> {
    let bound = |argument: &Argument| match argument {
        Argument::Text(text) => JsValue::from_str(text),
        Argument::Number(number) => JsValue::from_f64(*number),
    };
    let arguments: Vec<JsValue> = statement.arguments.iter().map(bound).collect();
    database.prepare(statement.sql.clone()).bind(&arguments)
}
