//! A directory with every kind of file that a configuration can name, and the way in from a text.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use crate::config::ConfigErrors;
use crate::config::Flag;
use crate::config::Loaded;
use crate::config::Source;
use crate::config::load;

/// What no message may ever hold.
pub(super) const SECRET: &str = "hunter2-secret";

pub(super) const CERTIFICATE: &str = "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n";
pub(super) const KEY: &str = "-----BEGIN PRIVATE KEY-----\nMA==\n-----END PRIVATE KEY-----\n";
const ENCRYPTED: &str = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMA==\n-----END ENCRYPTED PRIVATE KEY-----\n";
const ENCRYPTED_BY_OPENSSL: &str =
    "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMA==\n-----END RSA PRIVATE KEY-----\n";

const CLIENT: &str = r#"security.protocol=SASL_SSL
sasl.mechanism=PLAIN
sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="hunter2-secret";
"#;
const BAD_CLIENT: &str = "security.protocol=SASL_SSL\nsasl.mechanism=PLAIN\nsasl.username=u\nssl.truststore.location=/dev/null\nssl.crl.location=x\nsasl.password=\n";

/// A configuration file and its surroundings.
pub(super) struct Place {
    directory: TempDir,
    file: PathBuf,
    environment: Vec<(OsString, OsString)>,
    flags: Vec<Flag>,
}

impl Place {
    /// A YAML file; `$DIR` stands for the directory and `$SECRET` for the secret.
    pub(super) fn with(text: &str) -> Self {
        Self::with_file("tidemark.yaml", text)
    }

    /// The same for a file of that name.
    pub(super) fn with_file(name: &str, text: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join(name);
        let place = Self {
            file,
            directory,
            environment: Vec::new(),
            flags: Vec::new(),
        };
        place.fill();
        fs::write(&place.file, place.filled_in(text)).unwrap();
        place
    }

    fn fill(&self) {
        let files: [(&str, &[u8]); 13] = [
            (
                "web.yml",
                b"tls_server_config: {cert_file: cert.pem, key_file: key.pem}",
            ),
            ("password", SECRET.as_bytes()),
            ("token", b"a-token-of-sixteen-or-more\n"),
            ("token-again", b"a-token-of-sixteen-or-more"),
            ("empty", b"\n"),
            ("binary", b"\xff\xfe"),
            ("cert.pem", CERTIFICATE.as_bytes()),
            ("key.pem", KEY.as_bytes()),
            ("encrypted.pem", ENCRYPTED.as_bytes()),
            ("encrypted-openssl.pem", ENCRYPTED_BY_OPENSSL.as_bytes()),
            ("store.jks", b"\xfe\xed\xfe\xed\0\0\0\x02"),
            ("client.properties", CLIENT.as_bytes()),
            ("bad.properties", BAD_CLIENT.as_bytes()),
        ];
        for (name, content) in files {
            fs::write(self.directory.path().join(name), content).unwrap();
        }
    }

    /// The text with the placeholders replaced.
    pub(super) fn filled_in(&self, text: &str) -> String {
        let directory = self.directory.path().to_str().unwrap();
        text.replace("$DIR", directory).replace("$SECRET", SECRET)
    }

    /// Puts another file beside it.
    pub(super) fn beside(self, name: &str, text: &str) -> Self {
        fs::write(self.directory.path().join(name), self.filled_in(text)).unwrap();
        self
    }

    /// Sets a variable.
    pub(super) fn env(mut self, name: &str, value: &str) -> Self {
        let value = self.filled_in(value);
        self.environment.push((name.into(), value.into()));
        self
    }

    /// Sets a variable to something that is no text.
    pub(super) fn env_of_bytes(mut self, name: &str, value: OsString) -> Self {
        self.environment.push((name.into(), value));
        self
    }

    /// Gives a flag.
    pub(super) fn flag(mut self, name: &'static str, key: &'static str, value: &str) -> Self {
        let value = value.to_owned();
        self.flags.push(Flag { name, key, value });
        self
    }

    /// Loads the file.
    pub(super) fn load(&self) -> Result<Loaded, ConfigErrors> {
        self.load_from(&Source::File(self.file.clone()))
    }

    /// Loads something else with the same environment and flags.
    pub(super) fn load_from(&self, source: &Source) -> Result<Loaded, ConfigErrors> {
        load(source, &self.flags, self.environment.clone())
    }

    /// What is wrong with the file, a line each.
    pub(super) fn problems(&self) -> Vec<String> {
        match self.load() {
            Ok(_) => Vec::new(),
            Err(errors) => errors.problems.iter().map(ToString::to_string).collect(),
        }
    }
}
