//! TLS to a broker. Files are read anew for every connection, so that a certificate replaced on disk is taken up without restart.

#[cfg(test)]
mod tests;

use std::fmt;
use std::io;
use std::path::Path;
use std::pin::Pin;

use openssl::error::ErrorStack;
use openssl::pkey::PKey;
use openssl::pkey::Private;
use openssl::ssl::Ssl;
use openssl::ssl::SslConnector;
use openssl::ssl::SslConnectorBuilder;
use openssl::ssl::SslMethod;
use openssl::ssl::SslVersion;
use openssl::x509::X509;
use openssl::x509::X509VerifyResult;
use openssl::x509::store::X509StoreBuilder;
use tokio::net::TcpStream;
use tokio_openssl::SslStream;

use super::trouble::Trouble;
use super::trouble::chain;
use crate::config::PasswordSource;
use crate::config::Tls;
use crate::failure::Cause;

/// Speaks TLS with `host` over `stream`.
pub(super) async fn connect(tls: &Tls, host: &str, stream: TcpStream) -> Result<SslStream<TcpStream>, Trouble> {
    let ssl = prepare(tls.clone(), host.to_owned()).await?;
    let mut stream = SslStream::new(ssl, stream).map_err(|error| broken("tls", &error))?;
    match Pin::new(&mut stream).connect().await {
        Ok(()) => Ok(stream),
        Err(error) => Err(refused(&error, stream.ssl().verify_result())),
    }
}

/// Reading files and parsing a few hundred authorities takes milliseconds that other connections should not wait for.
async fn prepare(tls: Tls, host: String) -> Result<Ssl, Trouble> {
    tokio::task::spawn_blocking(move || {
        connector(&tls)?
            .configure()
            .and_then(|configured| {
                configured
                    .use_server_name_indication(true)
                    .verify_hostname(tls.verify_hostname)
                    .into_ssl(&host)
            })
            .map_err(|error| broken("tls", &error))
    })
    .await
    .unwrap_or_else(|_| Err(Trouble::new(Cause::Tls, "reading the certificates was interrupted")))
}

fn connector(tls: &Tls) -> Result<SslConnector, Trouble> {
    let mut builder = SslConnector::builder(SslMethod::tls_client()).map_err(|error| broken("tls", &error))?;
    builder
        .set_min_proto_version(Some(SslVersion::TLS1_2))
        .map_err(|error| broken("tls", &error))?;
    match &tls.ca_file {
        Some(file) => trust_only(&mut builder, file)?,
        None => trust_system(&mut builder),
    }
    if let (Some(cert_file), Some(key_file)) = (&tls.cert_file, &tls.key_file) {
        present(&mut builder, cert_file)?;
        let passphrase = tls.key_password.as_ref().map(PasswordSource::read).transpose();
        let passphrase = passphrase
            .map_err(|error| Trouble::new(Cause::Tls, format_args!("tls.key_password_file: {}", chain(&error))))?;
        let key = read_key(key_file, passphrase.as_ref().map_or("", |secret| secret.expose()))?;
        builder
            .set_private_key(&key)
            .and_then(|()| builder.check_private_key())
            .map_err(|error| broken("tls.key_file", &error))?;
    }
    Ok(builder.build())
}

/// Trusts the authorities of the file and nobody else: the connector came with the system's.
fn trust_only(builder: &mut SslConnectorBuilder, file: &Path) -> Result<(), Trouble> {
    let store = certificates("tls.ca_file", file)?
        .into_iter()
        .try_fold(
            X509StoreBuilder::new().map_err(|error| broken("tls", &error))?,
            |mut store, authority| store.add_cert(authority).map(|()| store),
        )
        .map_err(|error| broken("tls.ca_file", &error))?;
    builder.set_cert_store(store.build());
    Ok(())
}

/// Trusts the system's authorities. An OpenSSL that was built in looks where it would have been installed, which is nowhere.
fn trust_system(builder: &mut SslConnectorBuilder) {
    let system = openssl_probe::probe();
    if let Some(file) = system.cert_file {
        // What cannot be read is not trusted: the handshake then says so.
        let _ = builder.set_ca_file(file);
    }
    for dir in system.cert_dir {
        let _ = builder.load_verify_locations(None, Some(&dir));
    }
}

/// The client's own certificate, then those that lead from it to an authority.
fn present(builder: &mut SslConnectorBuilder, file: &Path) -> Result<(), Trouble> {
    let mut chain = certificates("tls.cert_file", file)?.into_iter();
    if let Some(own) = chain.next() {
        builder
            .set_certificate(&own)
            .map_err(|error| broken("tls.cert_file", &error))?;
    }
    for authority in chain {
        builder
            .add_extra_chain_cert(authority)
            .map_err(|error| broken("tls.cert_file", &error))?;
    }
    Ok(())
}

fn certificates(setting: &str, file: &Path) -> Result<Vec<X509>, Trouble> {
    let found = X509::stack_from_pem(&read(setting, file)?).map_err(|error| broken(setting, &error))?;
    if found.is_empty() {
        return Err(Trouble::new(
            Cause::Tls,
            format_args!("{setting}: no PEM certificate in {}", file.display()),
        ));
    }
    Ok(found)
}

/// The passphrase is always given, if only an empty one: without, OpenSSL would ask on the terminal.
fn read_key(file: &Path, passphrase: &str) -> Result<PKey<Private>, Trouble> {
    PKey::private_key_from_pem_passphrase(&read("tls.key_file", file)?, passphrase.as_bytes()).map_err(|error| {
        let setting = if passphrase.is_empty() {
            "tls.key_file"
        } else {
            "tls.key_file, tls.key_password"
        };
        broken(setting, &error)
    })
}

fn read(setting: &str, file: &Path) -> Result<Vec<u8>, Trouble> {
    std::fs::read(file)
        .map_err(|error| Trouble::new(Cause::Tls, format_args!("{setting}: {}: {error}", file.display())))
}

fn broken(setting: &str, error: &ErrorStack) -> Trouble {
    Trouble::new(Cause::Tls, format_args!("{setting}: {}", Reasons(error)))
}

/// A handshake that failed: OpenSSL names the certificate's fault apart from the error.
fn refused(error: &openssl::ssl::Error, verdict: X509VerifyResult) -> Trouble {
    if verdict != X509VerifyResult::OK {
        return Trouble::new(
            Cause::Tls,
            format_args!("the broker's certificate is not trusted: {verdict}"),
        );
    }
    match (error.ssl_error(), error.io_error()) {
        (Some(stack), _) => {
            let hint = if Reasons(stack).to_string().contains("wrong version number") {
                " (does this listener speak TLS?)"
            } else {
                ""
            };
            Trouble::new(Cause::Tls, format_args!("{}{hint}", Reasons(stack)))
        }
        (None, Some(error)) => Trouble::new(Cause::Tls, format_args!("during the handshake: {error}")),
        (None, None) => Trouble::new(Cause::Tls, "the broker closed the connection during the handshake"),
    }
}

/// What TLS itself says about a connection that broke later: a broker that refuses our certificate does so after the handshake (RFC 8446).
pub(super) fn broken_by(error: &io::Error) -> Option<Trouble> {
    let stack = error.get_ref()?.downcast_ref::<openssl::ssl::Error>()?.ssl_error()?;
    Some(Trouble::new(
        Cause::Tls,
        format_args!("the broker broke it off: {}", Reasons(stack)),
    ))
}

/// OpenSSL's own words, without its file names and line numbers.
struct Reasons<'a>(&'a ErrorStack);

impl fmt::Display for Reasons<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut said = self.0.errors().iter().filter_map(|error| error.reason());
        match said.next() {
            Some(first) => f.write_str(first)?,
            None => return f.write_str("OpenSSL gives no reason"),
        }
        said.try_for_each(|reason| write!(f, ", {reason}"))
    }
}
