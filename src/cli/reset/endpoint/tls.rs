//! TLS to an admin listener: whom to trust, whom to show, and what went wrong in words that say what to do.

use std::error::Error;
use std::fmt;
use std::path::Path;
use std::pin::Pin;

use openssl::error::ErrorStack;
use openssl::pkey::PKey;
use openssl::ssl::ConnectConfiguration;
use openssl::ssl::SslConnector;
use openssl::ssl::SslConnectorBuilder;
use openssl::ssl::SslMethod;
use openssl::ssl::SslVersion;
use openssl::x509::X509;
use openssl::x509::X509VerifyResult;
use openssl::x509::store::X509StoreBuilder;
use tokio::net::TcpStream;
use tokio_openssl::SslStream;

use super::super::super::EndpointArgs;
use super::super::console::read_file;

/// The largest file of certificates: the system's own authorities are some hundred kilobytes.
const LIMIT: u64 = 8 << 20;

/// How TLS is spoken with an endpoint.
pub(super) struct Tls(SslConnector);

impl Tls {
    /// By the files that were named; the system's authorities are trusted where none are.
    pub(super) fn new(args: &EndpointArgs) -> Result<Self, String> {
        let mut builder = SslConnector::builder(SslMethod::tls_client()).map_err(unusable)?;
        builder
            .set_min_proto_version(Some(SslVersion::TLS1_2))
            .map_err(unusable)?;
        match &args.ca_file {
            Some(file) => trust_only(&mut builder, file)?,
            None => trust_system(&mut builder),
        }
        if let (Some(cert), Some(key)) = (&args.cert_file, &args.key_file) {
            present(&mut builder, cert, key)?;
        }
        Ok(Self(builder.build()))
    }

    /// The handshake with `host`. No deadline of its own.
    pub(super) async fn connect(&self, host: &str, stream: TcpStream) -> Result<SslStream<TcpStream>, String> {
        let ssl = self
            .0
            .configure()
            .and_then(|ready| ConnectConfiguration::into_ssl(ready, host));
        let mut stream = ssl.and_then(|ssl| SslStream::new(ssl, stream)).map_err(unusable)?;
        match Pin::new(&mut stream).connect().await {
            Ok(()) => Ok(stream),
            Err(error) => Err(refused(&error, stream.ssl().verify_result(), host)),
        }
    }
}

/// Trusts the authorities of the file and nobody else.
fn trust_only(builder: &mut SslConnectorBuilder, file: &Path) -> Result<(), String> {
    let mut store = X509StoreBuilder::new().map_err(unusable)?;
    for authority in certificates("--ca-file", file)? {
        store.add_cert(authority).map_err(unusable)?;
    }
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

/// The own certificate, those that lead from it to an authority, and its key.
fn present(builder: &mut SslConnectorBuilder, cert: &Path, key: &Path) -> Result<(), String> {
    let mut chain = certificates("--cert-file", cert)?.into_iter();
    if let Some(own) = chain.next() {
        builder.set_certificate(&own).map_err(unusable)?;
    }
    for authority in chain {
        builder.add_extra_chain_cert(authority).map_err(unusable)?;
    }
    let pem = read_file(key, LIMIT)?;
    // A passphrase is given, if only an empty one: without, OpenSSL would ask on the terminal.
    let read = PKey::private_key_from_pem_passphrase(&pem, b"");
    let read = read.map_err(|_| {
        format!(
            "--key-file {}: no private key in PEM without a passphrase",
            key.display()
        )
    })?;
    builder
        .set_private_key(&read)
        .and_then(|()| builder.check_private_key())
        .map_err(|_| {
            format!(
                "--key-file {}: not the key of the certificate in {}",
                key.display(),
                cert.display()
            )
        })
}

fn certificates(flag: &str, file: &Path) -> Result<Vec<X509>, String> {
    let none = || format!("{flag} {}: no certificate in PEM", file.display());
    let found = X509::stack_from_pem(&read_file(file, LIMIT)?).map_err(|_| none())?;
    if found.is_empty() { Err(none()) } else { Ok(found) }
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to map_err")]
fn unusable(error: ErrorStack) -> String {
    format!("TLS cannot be used: {}", Reasons(&error))
}

/// A handshake that failed: OpenSSL names the certificate's fault apart from the error.
fn refused(error: &openssl::ssl::Error, verdict: X509VerifyResult, host: &str) -> String {
    if verdict == X509VerifyResult::OK {
        return broken(error);
    }
    let fault = verdict.error_string();
    let hint = if fault.to_ascii_lowercase().contains("mismatch") {
        "call it by a name that its certificate has"
    } else if fault.contains("expired") {
        "the listener needs a new one"
    } else if fault.contains("not yet valid") {
        "look at the clocks of both machines"
    } else {
        "name its authority by --ca-file"
    };
    format!("the certificate that {host:?} shows is not trusted: {verdict}: {hint}")
}

fn broken(error: &openssl::ssl::Error) -> String {
    match (error.ssl_error(), error.io_error()) {
        (Some(stack), _) => said(stack),
        (None, Some(error)) => format!("TLS: {error} during the handshake"),
        (None, None) => "TLS: the connection was closed during the handshake".to_owned(),
    }
}

/// What TLS itself says about a connection that broke later, as far as an error holds it: a listener that refuses a client's certificate
/// does so after the client's part of the handshake (RFC 8446).
pub(super) fn later(error: &(dyn Error + 'static)) -> Option<String> {
    let mut causes = std::iter::successors(Some(error), |cause: &&(dyn Error + 'static)| (*cause).source());
    causes.find_map(|cause| {
        let inner = cause.downcast_ref::<std::io::Error>().and_then(|error| error.get_ref());
        let inner = inner.and_then(|inner| inner.downcast_ref::<openssl::ssl::Error>());
        inner.and_then(|error| error.ssl_error()).map(said)
    })
}

fn said(stack: &ErrorStack) -> String {
    let reasons = Reasons(stack).to_string();
    let hint = if reasons.contains("wrong version number") || reasons.contains("packet length too long") {
        ": does it speak TLS? Else say http://"
    } else if reasons.contains("certificate required") || reasons.contains("handshake failure") {
        ": it wants a client certificate: --cert-file and --key-file"
    } else if reasons.contains("unknown ca") || reasons.contains("bad certificate") || reasons.contains("decrypt error")
    {
        ": it does not trust the client certificate of --cert-file"
    } else {
        ""
    };
    format!("TLS: {reasons}{hint}")
}

/// OpenSSL's own words, without its file names and line numbers.
struct Reasons<'a>(&'a ErrorStack);

impl fmt::Display for Reasons<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said: Vec<_> = self.0.errors().iter().filter_map(|error| error.reason()).collect();
        f.write_str(if said.is_empty() { "OpenSSL gives no reason" } else { "" })?;
        f.write_str(&said.join(", "))
    }
}
