//! Who may come to the admin listener and what they may touch; replaced as a whole when the configuration changes.

use std::sync::Arc;
use std::sync::PoisonError;
use std::sync::RwLock;

use super::tokens::Tokens;
use crate::config::Admin;
use crate::config::Allow;
use crate::model::GroupId;

/// Tokens and what they are good for. Clones share them.
#[derive(Clone)]
pub struct Rights(
    /// Written when the configuration is read anew; held for moments only.
    Arc<RwLock<Arc<Held>>>,
);

struct Held {
    allow: Vec<Allow>,
    tokens: Tokens,
}

impl Rights {
    pub(super) fn of(config: &Admin) -> Self {
        Self(Arc::new(RwLock::new(Held::of(config))))
    }

    /// What this configuration says counts from the next request on.
    pub fn replace(&self, config: &Admin) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Held::of(config);
    }

    fn held(&self) -> Arc<Held> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn whose(&self, token: &[u8]) -> Option<String> {
        self.held().tokens.whose(token)
    }

    pub(super) fn allow(&self, cluster: &str, group: &GroupId) -> bool {
        let allows = |allow: &Allow| allow.cluster == cluster && allow.groups.matches(group.bytes());
        self.held().allow.iter().any(allows)
    }
}

impl Held {
    fn of(config: &Admin) -> Arc<Self> {
        Arc::new(Self {
            allow: config.allow.clone(),
            tokens: Tokens::new(&config.tokens),
        })
    }
}
