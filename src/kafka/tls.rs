//! TLS to whatever tidemark connects to. Files are read anew for every connection, so that a certificate replaced on disk is taken up
//! without restart.

mod load;
#[cfg(test)]
mod tests;

pub(super) use load::authorities;
pub(super) use load::identity;

use std::fmt;
use std::io;
use std::pin::Pin;

use openssl::error::ErrorStack;
use openssl::ssl::Ssl;
use openssl::ssl::SslConnector;
use openssl::ssl::SslConnectorBuilder;
use openssl::ssl::SslMethod;
use openssl::ssl::SslVersion;
use openssl::x509::X509VerifyResult;
use openssl::x509::store::X509StoreBuilder;
use tokio::net::TcpStream;
use tokio_openssl::SslStream;

use super::trouble::Trouble;
use crate::config::Authorities;
use crate::config::Identity;
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
    match &tls.authorities {
        Some(named) => trust_only(&mut builder, named)?,
        None => trust_system(&mut builder),
    }
    if let Some(own) = &tls.identity {
        present(&mut builder, own)?;
    }
    Ok(builder.build())
}

/// Trusts these authorities and nobody else: the connector came with the system's.
fn trust_only(builder: &mut SslConnectorBuilder, named: &Authorities) -> Result<(), Trouble> {
    let store = authorities(named)?
        .into_iter()
        .try_fold(
            X509StoreBuilder::new().map_err(|error| broken("tls", &error))?,
            |mut store, authority| store.add_cert(authority).map(|()| store),
        )
        .map_err(|error| broken("tls", &error))?;
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
fn present(builder: &mut SslConnectorBuilder, own: &Identity) -> Result<(), Trouble> {
    let loaded = identity(own)?;
    builder
        .set_certificate(&loaded.certificate)
        .map_err(|error| broken(loaded.certificate_setting, &error))?;
    for authority in loaded.chain {
        builder
            .add_extra_chain_cert(authority)
            .map_err(|error| broken(loaded.certificate_setting, &error))?;
    }
    builder
        .set_private_key(&loaded.key)
        .and_then(|()| builder.check_private_key())
        .map_err(|error| broken(loaded.key_setting, &error))
}

fn broken(setting: &str, error: &ErrorStack) -> Trouble {
    Trouble::new(Cause::Tls, format_args!("{setting}: {}", Reasons(error)))
}

/// A handshake that failed: OpenSSL names the certificate's fault apart from the error.
fn refused(error: &openssl::ssl::Error, verdict: X509VerifyResult) -> Trouble {
    if verdict != X509VerifyResult::OK {
        return Trouble::new(
            Cause::Tls,
            format_args!(
                "tls: the certificate there is not trusted: {}{}",
                verdict.error_string(),
                remedy(verdict)
            ),
        );
    }
    match (error.ssl_error(), error.io_error()) {
        (Some(stack), _) => {
            let hint = if Reasons(stack).to_string().contains("wrong version number") {
                " (does this listener speak TLS?)"
            } else {
                ""
            };
            Trouble::new(Cause::Tls, format_args!("tls: {}{hint}", Reasons(stack)))
        }
        (None, Some(error)) => Trouble::new(Cause::Tls, format_args!("tls: during the handshake: {error}")),
        (None, None) => Trouble::new(
            Cause::Tls,
            "tls: the other side closed the connection during the handshake",
        ),
    }
}

/// What the verdict has to do with the settings. The numbers are OpenSSL's `X509_V_ERR_…`, which the crate does not name.
fn remedy(verdict: X509VerifyResult) -> &'static str {
    match verdict.as_raw() {
        // No issuer's certificate, self-signed, or signed by one that is not known.
        2 | 18..=21 => " (is its authority in tls.ca_file?)",
        9 | 10 => " (it must be renewed there)",
        // Host, address.
        62 | 64 => {
            " (must name the host of bootstrap_servers and of advertised.listeners, or tls.verify_hostname be false)"
        }
        _ => "",
    }
}

/// What TLS itself says about a connection that broke later: a broker that refuses our certificate does so after the handshake (RFC 8446).
pub(super) fn broken_by(error: &io::Error) -> Option<Trouble> {
    let stack = error.get_ref()?.downcast_ref::<openssl::ssl::Error>()?.ssl_error()?;
    Some(Trouble::new(
        Cause::Tls,
        format_args!("tls: the broker broke it off: {}", Reasons(stack)),
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
