//! The certificates of clients: whether they are asked for, whose are trusted, and what names may come.

use std::net::IpAddr;
use std::path::Path;

use openssl::error::ErrorStack;
use openssl::ssl::SslAcceptorBuilder;
use openssl::ssl::SslRef;
use openssl::ssl::SslVerifyMode;
use openssl::x509::GeneralNameRef;
use openssl::x509::X509;

use crate::config::ClientAuth;

use super::TlsError;
use super::at;

/// Trusts the authorities of a file.
pub(super) fn trust(acceptor: &mut SslAcceptorBuilder, path: &Path) -> Result<(), TlsError> {
    let pem = std::fs::read(path).map_err(|problem| TlsError::Unreadable {
        path: path.to_owned(),
        problem,
    })?;
    for authority in X509::stack_from_pem(&pem).map_err(at(path))? {
        acceptor.add_client_ca(&authority)?;
        acceptor.cert_store_mut().add_cert(authority)?;
    }
    Ok(())
}

/// Asks clients for their certificates, or does not.
pub(super) fn ask(acceptor: &mut SslAcceptorBuilder, auth: ClientAuth) -> Result<(), ErrorStack> {
    let required = SslVerifyMode::PEER | SslVerifyMode::FAIL_IF_NO_PEER_CERT;
    match auth {
        ClientAuth::NoClientCert => return Ok(()),
        ClientAuth::RequestClientCert => acceptor.set_verify_callback(SslVerifyMode::PEER, |_, _| true),
        ClientAuth::RequireAnyClientCert => acceptor.set_verify_callback(required, |_, _| true),
        ClientAuth::VerifyClientCertIfGiven => acceptor.set_verify(SslVerifyMode::PEER),
        ClientAuth::RequireAndVerifyClientCert => acceptor.set_verify(required),
    }
    // Sessions are bound to this listener, as OpenSSL asks of servers that verify clients.
    acceptor.set_session_id_context(b"tidemark")
}

/// Whether the client's certificate, where it showed one, has one of the names. Who need not show one needs no name either.
pub(super) fn is_welcome(client: &SslRef, names: &[String]) -> bool {
    let Some(certificate) = client.peer_certificate().filter(|_| !names.is_empty()) else {
        return true;
    };
    let own = certificate.subject_alt_names();
    own.is_some_and(|own| {
        own.iter()
            .any(|name| names.iter().any(|allowed| is_called(name, allowed)))
    })
}

fn is_called(name: &GeneralNameRef, allowed: &str) -> bool {
    let texts = [name.dnsname(), name.email(), name.uri()];
    let address = name.ipaddress().and_then(address);
    texts.contains(&Some(allowed)) || address.is_some_and(|address| allowed.parse() == Ok(address))
}

fn address(bytes: &[u8]) -> Option<IpAddr> {
    let four = <[u8; 4]>::try_from(bytes).map(IpAddr::from);
    four.or_else(|_| <[u8; 16]>::try_from(bytes).map(IpAddr::from)).ok()
}
