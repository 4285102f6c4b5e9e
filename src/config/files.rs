//! Files that the configuration names: whether they can be read and hold what they must. Messages name the key, never what is inside.

use std::fs::File;
use std::io;
use std::io::Read;
use std::path::Path;
use std::path::PathBuf;

use super::Material;
use super::node::Node;
use super::read;

/// Bundles of authorities reach a few hundred kilobytes.
const LARGEST: u64 = 16 * 1024 * 1024;

/// The path at `node`, when `check` finds nothing wrong with its file.
pub(super) fn path_to(node: &Node<'_>, check: impl FnOnce(&Path) -> Result<(), String>) -> Option<PathBuf> {
    let path = read::path(node)?;
    match check(&path) {
        Ok(()) => Some(path),
        Err(what) => node.refuse(what),
    }
}

/// The file holds a secret: some text.
pub(super) fn secret(path: &Path) -> Result<(), String> {
    Material::file("", path)
        .secret()
        .map(drop)
        .map_err(|error| error.problem())
}

/// True when both files can be read and hold the same secret.
pub(super) fn same_secret(a: &Path, b: &Path) -> bool {
    let read = |path: &Path| Material::file("", path).secret().ok();
    read(a).is_some_and(|secret| read(b) == Some(secret))
}

/// The file holds at least one certificate in PEM form.
pub(super) fn certificates(path: &Path) -> Result<(), String> {
    match pem(path)?.contains("-----BEGIN CERTIFICATE-----") {
        true => Ok(()),
        false => Err("must be a file with a certificate in PEM form".to_owned()),
    }
}

/// The file holds a private key in PEM form; `opened` says that a passphrase comes with it.
pub(super) fn key(path: &Path, opened: bool) -> Result<(), String> {
    match (encrypted(path)?, opened) {
        (true, false) => Err("must not be encrypted without key_password_file beside it".to_owned()),
        _ => Ok(()),
    }
}

/// The file holds a private key in PEM form that needs no passphrase.
pub(super) fn plain_key(path: &Path) -> Result<(), String> {
    match encrypted(path)? {
        true => Err("must be a private key without passphrase".to_owned()),
        false => Ok(()),
    }
}

/// Whether a private key is encrypted, in the form of PKCS #8 or in OpenSSL's own.
fn encrypted(path: &Path) -> Result<bool, String> {
    let text = pem(path)?;
    if !text.contains("PRIVATE KEY-----") {
        return Err("must be a file with a private key in PEM form".to_owned());
    }
    Ok(text.contains("BEGIN ENCRYPTED PRIVATE KEY") || text.contains("Proc-Type: 4,ENCRYPTED"))
}

/// Whatever is no text is no PEM either.
fn pem(path: &Path) -> Result<String, String> {
    let bytes = content(path).map_err(|error| cannot_be_read(&error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What a file that cannot be read is called in a message.
pub(super) fn cannot_be_read(error: &io::Error) -> String {
    format!("must be a file that can be read: {error}")
}

/// The whole file, up to a size that no honest one reaches.
pub(super) fn content(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "larger than 16 MiB"));
    }
    Ok(bytes)
}
