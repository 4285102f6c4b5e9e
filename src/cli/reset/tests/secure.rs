//! Through an endpoint over TLS: whom it trusts, whom it wants to see, and what is said when that does not fit.

use rcgen::BasicConstraints;
use rcgen::CertificateParams;
use rcgen::CertifiedIssuer;
use rcgen::DnType;
use rcgen::IsCa;
use rcgen::KeyPair;

use super::*;
use crate::http::Tls;

/// An authority, a certificate by it for the listener, and one for a client.
struct Papers {
    folder: tempfile::TempDir,
}

impl Papers {
    fn new() -> Self {
        Self::with(|_| ())
    }

    /// With something else about the listener's certificate.
    fn with(change: impl FnOnce(&mut CertificateParams)) -> Self {
        let mut authority = CertificateParams::new(Vec::new()).expect("valid");
        authority.distinguished_name.push(DnType::CommonName, "an authority");
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(authority, KeyPair::generate().expect("a key")).expect("signed");
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, pem: String| fs::write(folder.path().join(name), pem).expect("written");
        write("ca.pem", issuer.pem());
        let mut listener = CertificateParams::new(vec!["localhost".into()]).expect("valid");
        change(&mut listener);
        let mut client = CertificateParams::new(Vec::new()).expect("valid");
        client.distinguished_name.push(DnType::CommonName, "Ann, on call");
        client.distinguished_name.push(DnType::OrganizationName, "ops");
        for (name, params) in [("listener", listener), ("client", client)] {
            let key = KeyPair::generate().expect("a key");
            write(
                &format!("{name}.pem"),
                params.signed_by(&key, &issuer).expect("signed").pem(),
            );
            write(&format!("{name}.key"), key.serialize_pem());
        }
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn listener(&self, clients: Option<&Self>) -> Tls {
        let clients = clients.map(|clients| clients.path("ca.pem"));
        Tls::new(
            &self.path("listener.pem"),
            &self.path("listener.key"),
            clients.as_deref(),
        )
        .expect("good files")
    }
}

/// What is typed besides `--admin` and `--token-file`.
fn files(ca: Option<&Papers>, client: Option<&Papers>) -> EndpointArgs {
    EndpointArgs {
        ca_file: ca.map(|papers| papers.path("ca.pem")),
        cert_file: client.map(|papers| papers.path("client.pem")),
        key_file: client.map(|papers| papers.path("client.key")),
        ..EndpointArgs::default()
    }
}

/// A plan through the listener at that name: status, and what is said.
async fn plan(bench: &Bench, tls: Option<Tls>, host: &str, args: &EndpointArgs) -> (ExitStatus, String) {
    let token = bench.file("token", "correct horse\n");
    let port = bench.listen_with(&token, tls).await.port();
    let way = Endpoint::new(&format!("{host}:{port}"), &token, args).expect("an endpoint");
    let line = ["plan", "--group", "g", "--committed", "--to-earliest"];
    let (status, _, err) = bench.run(&Way::Endpoint(way), false, &line).await;
    (status, err)
}

#[tokio::test]
async fn a_listener_is_trusted_by_the_named_authority_and_its_name() {
    let (bench, papers) = (Bench::new(), Papers::new());
    let tls = || Some(papers.listener(None));
    let args = files(Some(&papers), None);
    assert_eq!(
        plan(&bench, tls(), "https://localhost", &args).await,
        (ExitStatus::Done, String::new())
    );

    let (status, told) = plan(&bench, tls(), "https://127.0.0.1", &args).await;
    assert_eq!(status, ExitStatus::Failed);
    assert!(told.contains("\"127.0.0.1\"") && told.contains("mismatch"), "{told}");
    assert!(told.ends_with("call it by a name that its certificate has\n"), "{told}");

    let (status, told) = plan(&bench, tls(), "https://localhost", &files(Some(&Papers::new()), None)).await;
    assert_eq!(status, ExitStatus::Failed);
    assert!(
        told.contains("not trusted") && told.ends_with("name its authority by --ca-file\n"),
        "{told}"
    );
    // Nor is it by the system's.
    let (status, told) = plan(&bench, tls(), "https://localhost", &files(None, None)).await;
    assert_eq!(status, ExitStatus::Failed);
    assert!(
        told.contains("not trusted") && told.ends_with("name its authority by --ca-file\n"),
        "{told}"
    );
    assert_eq!(bench.committed(), [20, 21, 40]);
}

#[tokio::test]
async fn a_certificate_that_has_ended_is_called_that() {
    let bench = Bench::new();
    let papers = Papers::with(|params| params.not_after = rcgen::date_time_ymd(2020, 1, 1));
    let (status, told) = plan(
        &bench,
        Some(papers.listener(None)),
        "https://localhost",
        &files(Some(&papers), None),
    )
    .await;
    assert_eq!(status, ExitStatus::Failed);
    assert!(
        told.contains("expired") && told.ends_with("the listener needs a new one\n"),
        "{told}"
    );
}

#[tokio::test]
async fn a_client_shows_its_certificate_and_the_audit_log_says_whose_it_was() {
    let (bench, papers, others) = (Bench::new(), Papers::new(), Papers::new());
    let tls = || Some(papers.listener(Some(&papers)));
    let (status, told) = plan(&bench, tls(), "https://localhost", &files(Some(&papers), Some(&papers))).await;
    assert_eq!((status, told.as_str()), (ExitStatus::Done, ""));
    let line: Value = serde_json::from_str(fs::read_to_string(bench.log()).expect("a log").trim()).expect("one line");
    assert_eq!(
        (&line["who"], &line["certificate"]),
        (&json!("on-call"), &json!("CN=Ann\\, on call, O=ops"))
    );

    let (status, told) = plan(&bench, tls(), "https://localhost", &files(Some(&papers), None)).await;
    assert_eq!(status, ExitStatus::Failed);
    assert!(
        told.ends_with("it wants a client certificate: --cert-file and --key-file\n"),
        "{told}"
    );

    let (status, told) = plan(&bench, tls(), "https://localhost", &files(Some(&papers), Some(&others))).await;
    assert_eq!(status, ExitStatus::Failed);
    assert!(
        told.ends_with("it does not trust the client certificate of --cert-file\n"),
        "{told}"
    );
    assert_eq!(fs::read_to_string(bench.log()).expect("a log").lines().count(), 1);
}

#[tokio::test]
async fn tls_where_there_is_none_and_the_other_way_round_is_said() {
    let (bench, papers) = (Bench::new(), Papers::new());
    let (status, told) = plan(&bench, None, "https://localhost", &files(Some(&papers), None)).await;
    assert_eq!(status, ExitStatus::Failed);
    assert!(told.ends_with("does it speak TLS? Else say http://\n"), "{told}");
    let (status, told) = plan(
        &bench,
        Some(papers.listener(None)),
        "http://localhost",
        &files(None, None),
    )
    .await;
    assert_eq!(status, ExitStatus::Failed);
    assert!(told.ends_with("(if it speaks TLS, say https://)\n"), "{told}");
}

#[test]
fn files_that_are_not_what_they_should_be_are_named() {
    let (papers, others) = (Papers::new(), Papers::new());
    fs::write(papers.path("token"), "token").expect("written");
    let said = |url: &str, args: &EndpointArgs| {
        Endpoint::new(url, &papers.path("token"), args)
            .err()
            .expect("a problem")
    };
    let mut wrong = files(Some(&papers), Some(&papers));
    assert!(said("http://h:1", &wrong).ends_with("--ca-file, --cert-file and --key-file are for https://"));
    wrong.ca_file = Some(papers.path("token"));
    assert!(said("https://h", &wrong).ends_with("token: no certificate in PEM"));
    wrong.ca_file = Some(papers.path("nowhere"));
    assert!(said("https://h", &wrong).contains("nowhere: No such file"));
    wrong = files(Some(&papers), Some(&papers));
    wrong.key_file = Some(others.path("client.key"));
    assert!(said("https://h", &wrong).contains("client.key: not the key of the certificate in "));
    wrong.key_file = Some(papers.path("client.pem"));
    let told = said("https://h", &wrong);
    assert!(
        told.ends_with("client.pem: no private key in PEM without a passphrase"),
        "{told}"
    );
}
