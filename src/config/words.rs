//! The words that stand for choices in a configuration: one table each, for reading and for printing.

use super::ClientAuth;
use super::Granularity;
use super::Isolation;
use super::LeftTopics;
use super::LogFormat;
use super::LogLevel;
use super::Mechanism;
use super::PasswordMechanism;
use super::TimeSource;
use super::TlsVersion;

macro_rules! words {
    ($type:ident, $count:literal: $($variant:ident = $word:literal),+) => {
        impl $type {
            /// Every choice and its word.
            pub const WORDS: [(&'static str, Self); $count] = [$(($word, Self::$variant)),+];

            /// Its word in a configuration.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),+
                }
            }
        }
    };
}

words!(LogLevel, 5: Error = "error", Warn = "warn", Info = "info", Debug = "debug", Trace = "trace");
words!(LogFormat, 2: Text = "text", Json = "json");
words!(LeftTopics, 2: Keep = "keep", Drop = "drop");
words!(Isolation, 2: ReadUncommitted = "read_uncommitted", ReadCommitted = "read_committed");
words!(TimeSource, 2: Record = "record", Arrival = "arrival");
words!(Granularity, 3: Partition = "partition", Topic = "topic", Group = "group");
words!(
    Mechanism, 5:
    Plain = "PLAIN",
    ScramSha256 = "SCRAM-SHA-256",
    ScramSha512 = "SCRAM-SHA-512",
    OAuthBearer = "OAUTHBEARER",
    AwsMskIam = "AWS_MSK_IAM"
);
words!(
    PasswordMechanism, 3:
    Plain = "PLAIN",
    ScramSha256 = "SCRAM-SHA-256",
    ScramSha512 = "SCRAM-SHA-512"
);
words!(TlsVersion, 2: Tls12 = "TLS12", Tls13 = "TLS13");
words!(ClientAuth, 5: NoClientCert = "NoClientCert", RequestClientCert = "RequestClientCert", RequireAnyClientCert = "RequireAnyClientCert",
    VerifyClientCertIfGiven = "VerifyClientCertIfGiven", RequireAndVerifyClientCert = "RequireAndVerifyClientCert");
