//! Everything that a deployment says of itself, its secrets included.

use serde_json::Value;

use super::variables::Variables;
use super::{Config, ConfigError};
use crate::adapter::url::RedisUrl;

/// A deployment: its sites, where its Redis is, and who may do more than anyone. Not `Debug`, for its secrets.
pub struct Deployment {
    pub config: Config,
    /// `REDIS_URL`.
    pub redis: RedisUrl,
    /// `REDIS_TOKEN`; not empty when Redis is spoken to by REST.
    pub redis_token: String,
    /// `WRITE_TOKEN`, when there is one.
    pub write_token: Option<String>,
    /// `ADMIN_TOKEN`, likewise.
    pub admin_token: Option<String>,
}

impl Deployment {
    /// Reads the variables that [`super::is_known`] knows. `knows_zone` tells whether the runtime knows a time zone.
    ///
    /// # Errors
    /// The first configuration error.
    pub fn read(variables: impl IntoIterator<Item = (String, Value)>, knows_zone: impl Fn(&str) -> bool) -> Result<Self, ConfigError> {
        let mut variables = Variables::new(variables)?;
        let config = Config::of(&mut variables, knows_zone)?;
        let url = variables.secret("REDIS_URL")?.ok_or_else(|| ConfigError::missing("REDIS_URL", RedisUrl::ALLOWED))?;
        // It may hold a password.
        let redis = RedisUrl::parse(url).ok_or_else(|| ConfigError::secret_not_allowed("REDIS_URL", RedisUrl::ALLOWED))?;
        let redis_token = variables.secret("REDIS_TOKEN")?.unwrap_or_default().to_owned();
        if matches!(redis, RedisUrl::Rest(_)) && redis_token.is_empty() {
            return Err(ConfigError::missing("REDIS_TOKEN", "the token of the REST endpoint that REDIS_URL names"));
        }
        let token = |name| Ok(variables.secret(name)?.map(String::from));
        Ok(Self { config, redis, redis_token, write_token: token("WRITE_TOKEN")?, admin_token: token("ADMIN_TOKEN")? })
    }
}
