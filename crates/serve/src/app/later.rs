//! The application of an isolate, and how its services go on after the response was sent.

use std::rc::Rc;

use super::memory::Memory;
use super::ports::Runtime;
use crate::config::Config;

/// The application in one isolate, which [`services`](super::services) takes apart. Cloning shares everything.
#[derive(Clone)]
pub struct App<R> {
    pub runtime: R,
    pub config: Rc<Config>,
    pub memory: Rc<Memory>,
}

/// Work that outlives the response, over an application of its own.
pub struct Later<'a, R>(&'a App<R>);

impl<'a, R: Runtime> Later<'a, R> {
    pub fn new(app: &'a App<R>) -> Self {
        Self(app)
    }

    pub fn app(&self) -> App<R> {
        self.0.clone()
    }

    pub fn in_background(&self, future: impl Future<Output = ()> + 'static) {
        self.0.runtime.in_background(future);
    }
}
