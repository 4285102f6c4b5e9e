//! Users with passwords, as bcrypt hashes. A password that was right is remembered as a keyed digest, so that a scrape costs microseconds and
//! not the tenths of a second that bcrypt is meant to take; a password is kept nowhere.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;

use openssl::base64;
use openssl::hash::MessageDigest;
use openssl::pkey::PKey;
use openssl::pkey::Private;
use openssl::sign::Signer;
use tokio::sync::Semaphore;

use crate::config::WebUser;

/// Passwords that are looked into at the same time: each takes a processor for as long as it lasts.
const AT_ONCE: usize = 1;
/// What a hash costs where there is no user to take it from.
const COST: u32 = 10;
/// Of nobody: what the password of an unknown user is held against, its cost put in, so that it takes as long as that of a known one.
const NOBODY: &str = "tidemark.tidemark.tidetidemark.tidemark.tidemark.tide";
const KEY_BYTES: usize = 32;

/// What a client says of itself.
pub(super) enum Credentials<'a> {
    Token(&'a [u8]),
    Password { user: Vec<u8>, password: Vec<u8> },
}

/// Everybody with a password.
pub(super) struct Users {
    all: Vec<User>,
    nobody: String,
    /// Drawn for this process: a digest is worth nothing elsewhere.
    key: Arc<PKey<Private>>,
    at_once: Arc<Semaphore>,
}

struct User {
    name: String,
    hash: String,
    /// The digest of the password that was right last. Locked for a comparison.
    right: Mutex<Option<Vec<u8>>>,
}

impl<'a> Credentials<'a> {
    /// Reads the header `Authorization`; the case of the scheme does not matter. `None` for what is neither.
    pub(super) fn read(header: &'a [u8]) -> Option<Self> {
        let space = header.iter().position(|byte| *byte == b' ')?;
        let (scheme, given) = (&header[..space], header[space..].trim_ascii());
        if scheme.eq_ignore_ascii_case(b"bearer") {
            return Some(Self::Token(given));
        }
        if !scheme.eq_ignore_ascii_case(b"basic") {
            return None;
        }
        let pair = base64::decode_block(std::str::from_utf8(given).ok()?).ok()?;
        let colon = pair.iter().position(|byte| *byte == b':')?;
        Some(Self::Password {
            user: pair[..colon].to_vec(),
            password: pair[colon + 1..].to_vec(),
        })
    }
}

impl Users {
    pub(super) fn new(users: &[WebUser]) -> Self {
        let cost = users.iter().map(|user| user.cost).max().unwrap_or(COST);
        let user = |user: &WebUser| User {
            name: user.name.clone(),
            hash: user.hash.expose().to_owned(),
            right: Mutex::default(),
        };
        let mut key = [0; KEY_BYTES];
        openssl::rand::rand_bytes(&mut key).expect("the system gives random numbers");
        Self {
            all: users.iter().map(user).collect(),
            nobody: format!("$2b${cost:02}${NOBODY}"),
            key: Arc::new(PKey::hmac(&key).expect("a key of fixed length")),
            at_once: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }

    /// Takes over what is remembered of users whose hash is the same.
    pub(super) fn remember(&mut self, before: &Self) {
        self.key = Arc::clone(&before.key);
        self.at_once = Arc::clone(&before.at_once);
        for user in &mut self.all {
            let same = before
                .all
                .iter()
                .find(|old| old.name == user.name && old.hash == user.hash);
            if let Some(old) = same {
                user.right = Mutex::new(old.right().clone());
            }
        }
    }

    fn find(&self, name: &[u8]) -> Option<&User> {
        self.all.iter().find(|user| user.name.as_bytes() == name)
    }

    /// Whether this very password was right before.
    pub(super) fn was_right(&self, name: &[u8], password: &[u8]) -> bool {
        let Some(user) = self.find(name) else { return false };
        let digest = self.digest(user, password);
        let right = user.right();
        right
            .as_ref()
            .is_some_and(|right| right.len() == digest.len() && openssl::memcmp::eq(right, &digest))
    }

    /// Whether the password is right. Takes as long for a name that nobody has.
    pub(super) async fn is_right(&self, name: Vec<u8>, password: Vec<u8>) -> bool {
        let user = self.find(&name);
        let digest = user.map(|user| self.digest(user, &password));
        let hash = user.map_or_else(|| self.nobody.clone(), |user| user.hash.clone());
        // The semaphore is never closed, so that waiting for it cannot fail.
        let turn = Arc::clone(&self.at_once).acquire_owned().await;
        let looked = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            bcrypt::verify(password, &hash).unwrap_or(false)
        });
        let right = looked.await.unwrap_or(false);
        match user {
            Some(user) if right => {
                *user.right() = digest;
                true
            }
            _ => false,
        }
    }

    /// Of the password together with what it is held against.
    fn digest(&self, user: &User, password: &[u8]) -> Vec<u8> {
        let sign = || {
            let mut signer = Signer::new(MessageDigest::sha256(), &self.key)?;
            // Of fixed length, so that no two pairs read alike.
            signer.update(user.hash.as_bytes())?;
            signer.update(password)?;
            signer.sign_to_vec()
        };
        sign().expect("SHA-256 is there")
    }
}

impl User {
    fn right(&self) -> std::sync::MutexGuard<'_, Option<Vec<u8>>> {
        self.right.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Secret;

    const CHEAP: u32 = 4;

    fn users(pairs: &[(&str, &str)]) -> Users {
        let user = |(name, password): &(&str, &str)| WebUser {
            name: (*name).to_owned(),
            hash: Secret::new(bcrypt::hash(password, CHEAP).expect("a hash")),
            cost: CHEAP,
        };
        Users::new(&pairs.iter().map(user).collect::<Vec<_>>())
    }

    async fn right(users: &Users, name: &str, password: &str) -> bool {
        users.is_right(name.into(), password.into()).await
    }

    #[tokio::test]
    async fn a_password_is_right_for_its_user_alone_and_remembered_from_then_on() {
        let users = users(&[("ann", "correct horse"), ("bob", "battery staple")]);
        assert!(!users.was_right(b"ann", b"correct horse"), "it was not seen yet");
        for (name, password) in [
            ("ann", "battery staple"),
            ("ann", ""),
            ("eve", "correct horse"),
            ("", ""),
        ] {
            assert!(!right(&users, name, password).await, "{name} {password}");
        }
        assert!(right(&users, "ann", "correct horse").await);
        assert!(users.was_right(b"ann", b"correct horse"));
        for (name, password) in [
            ("ann", "correct horsf"),
            ("bob", "correct horse"),
            ("eve", "correct horse"),
        ] {
            assert!(
                !users.was_right(name.as_bytes(), password.as_bytes()),
                "{name} {password}"
            );
        }
        assert!(right(&users, "bob", "battery staple").await);
        let kept: Vec<u8> = users
            .all
            .iter()
            .filter_map(|user| user.right().clone())
            .flatten()
            .collect();
        assert_eq!(kept.len(), 2 * 32, "two digests, and nothing as long as what was typed");
    }

    #[tokio::test]
    async fn what_is_remembered_ends_with_the_hash() {
        let before = users(&[("ann", "old")]);
        assert!(right(&before, "ann", "old").await);
        let again = WebUser {
            name: "ann".to_owned(),
            hash: Secret::new(before.all[0].hash.clone()),
            cost: CHEAP,
        };
        let mut kept = Users::new(&[again]);
        kept.remember(&before);
        assert!(kept.was_right(b"ann", b"old"));
        let mut changed = users(&[("ann", "new")]);
        changed.remember(&before);
        assert!(!changed.was_right(b"ann", b"old") && !right(&changed, "ann", "old").await);
        assert!(right(&changed, "ann", "new").await);
    }

    /// The hash of nobody must be one, or an unknown name would be told at once.
    #[test]
    fn the_password_of_an_unknown_user_is_looked_into_all_the_same() {
        let users = users(&[("ann", "x")]);
        assert_eq!(bcrypt::verify("x", &users.nobody).ok(), Some(false));
        assert_eq!(users.nobody.len(), users.all[0].hash.len());
        assert!(users.nobody.starts_with("$2b$04$"));
    }

    #[test]
    fn credentials_are_read_as_clients_write_them() {
        let read = |header: &str| match Credentials::read(header.as_bytes()) {
            Some(Credentials::Token(token)) => format!("token {}", String::from_utf8_lossy(token)),
            Some(Credentials::Password { user, password }) => {
                format!(
                    "{} / {}",
                    String::from_utf8_lossy(&user),
                    String::from_utf8_lossy(&password)
                )
            }
            None => "nothing".to_owned(),
        };
        for (header, meant) in [
            ("Basic YW5uOmI=", "ann / b"),
            ("basic YW5uOmJjOmQ=", "ann / bc:d"),
            ("BASIC  OnB3", " / pw"),
            ("Basic YW5uOg==", "ann / "),
            ("Bearer abc", "token abc"),
            ("bearer  abc ", "token abc"),
            ("Basic YW5u", "nothing"),
            ("Basic !", "nothing"),
            ("Basic =", "nothing"),
            ("Basic", "nothing"),
            ("Digest x", "nothing"),
            ("", "nothing"),
        ] {
            assert_eq!(read(header), meant, "{header:?}");
        }
    }
}
