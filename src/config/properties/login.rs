//! `sasl.…`: who the client is, by a JAAS login module or by librdkafka's settings.

use super::checked;
use super::jaas::Module;
use super::needed;
use super::syntax::Properties;
use crate::config::Bearer;
use crate::config::Material;
use crate::config::Mechanism;
use crate::config::MskIam;
use crate::config::PasswordLogin;
use crate::config::PasswordMechanism;
use crate::config::Sasl;
use crate::config::TokenEndpoint;
use crate::config::TokenSource;
use crate::config::files;
use crate::config::read::either;
use crate::config::schema::is_extension;
use crate::config::schema::is_url;

/// A password or secret in the client file, for messages.
const JAAS_PASSWORD: &str = "password in sasl.jaas.config";
const URL: &str = "sasl.oauthbearer.token.endpoint.url";

/// Java code that does what tidemark does anyway.
const KNOWN_HANDLERS: [&str; 2] = [
    "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler",
    "org.apache.kafka.common.security.oauthbearer.secured.OAuthBearerLoginCallbackHandler",
];

pub(super) fn sasl(properties: &Properties, problems: &mut Vec<String>) -> Option<Sasl> {
    let words = Mechanism::WORDS;
    let served = either(words.map(|(word, _)| word));
    let Some((key, given)) = properties.first(&["sasl.mechanism", "sasl.mechanisms"]) else {
        problems.push(format!("sasl.mechanism: missing: {served}"));
        return None;
    };
    let Some((_, mechanism)) = words.into_iter().find(|(word, _)| *word == given) else {
        problems.push(format!("{key}: must be {served}"));
        return None;
    };
    if let Some(handler) = properties.get("sasl.login.callback.handler.class")
        && !KNOWN_HANDLERS.contains(&handler)
    {
        problems.push("sasl.login.callback.handler.class: is Java code that tidemark does not know".to_owned());
    }
    let module = match properties.get("sasl.jaas.config").map(Module::parse) {
        Some(None) => {
            problems.push("sasl.jaas.config: must be one login module: CLASS required KEY=\"VALUE\" …;".to_owned());
            return None;
        }
        module => module.flatten(),
    };
    let from = Given { properties, module };
    match mechanism {
        Mechanism::Plain => from.password(PasswordMechanism::Plain, "PlainLoginModule", problems),
        Mechanism::ScramSha256 => from.password(PasswordMechanism::ScramSha256, "ScramLoginModule", problems),
        Mechanism::ScramSha512 => from.password(PasswordMechanism::ScramSha512, "ScramLoginModule", problems),
        Mechanism::OAuthBearer => from.bearer(problems),
        Mechanism::AwsMskIam => from.msk(problems),
    }
}

struct Given<'a> {
    properties: &'a Properties,
    module: Option<Module>,
}

impl Given<'_> {
    fn password(&self, mechanism: PasswordMechanism, class: &str, problems: &mut Vec<String>) -> Option<Sasl> {
        let (username, password) = match &self.module {
            Some(module) => {
                is(module, class, problems)?;
                if module.option("tokenauth").is_some_and(|on| on == "true") {
                    problems.push("sasl.jaas.config: delegation tokens (tokenauth) are not served".to_owned());
                }
                (
                    option(module, "username", problems),
                    option(module, "password", problems).map(|text| Material::inline(JAAS_PASSWORD, text)),
                )
            }
            None => (
                needed(self.properties, "sasl.username", "or sasl.jaas.config", problems),
                needed(self.properties, "sasl.password", "or sasl.jaas.config", problems)
                    .map(|text| Material::inline("sasl.password", text)),
            ),
        };
        Some(Sasl::Password(PasswordLogin {
            mechanism,
            username: username?.to_owned(),
            password: password?,
        }))
    }

    fn bearer(&self, problems: &mut Vec<String>) -> Option<Sasl> {
        if let Some(module) = &self.module {
            is(module, "OAuthBearerLoginModule", problems)?;
            if module.options().any(|(key, _)| key.starts_with("ssl.")) {
                problems.push(
                    "sasl.jaas.config: ssl.… of the token endpoint is not served here: use the sections tls and sasl"
                        .to_owned(),
                );
            }
        }
        let extensions = self.extensions(problems);
        let url = needed(self.properties, URL, "the endpoint that gives tokens", problems)?;
        let source = match url.strip_prefix("file:") {
            Some(path) => {
                let path = path.strip_prefix("//").unwrap_or(path);
                TokenSource::Held(Material::file(URL, checked(URL, path, files::secret, problems)?))
            }
            None => TokenSource::Endpoint(self.endpoint(url, problems)?),
        };
        Some(Sasl::Bearer(Bearer { source, extensions }))
    }

    fn msk(&self, problems: &mut Vec<String>) -> Option<Sasl> {
        if let Some(module) = &self.module {
            is(module, "IAMLoginModule", problems)?;
            for (key, _) in module.options() {
                problems.push(format!(
                    "sasl.jaas.config: {key}: is not served: the credentials are those that the process runs under"
                ));
            }
        }
        Some(Sasl::Bearer(Bearer {
            source: TokenSource::MskIam(MskIam { region: None }),
            extensions: Vec::new(),
        }))
    }

    fn endpoint(&self, url: &str, problems: &mut Vec<String>) -> Option<TokenEndpoint> {
        if !is_url(url) {
            problems.push(format!(
                "{URL}: must be a URL that begins with https://, http:// or file://"
            ));
        }
        let id = self.one_of(
            "clientId",
            &[
                "sasl.oauthbearer.client.credentials.client.id",
                "sasl.oauthbearer.client.id",
            ],
        );
        let secret = self.one_of(
            "clientSecret",
            &[
                "sasl.oauthbearer.client.credentials.client.secret",
                "sasl.oauthbearer.client.secret",
            ],
        );
        for (found, what) in [(&id, "client.id"), (&secret, "client.secret")] {
            if found.is_none() {
                problems.push(format!(
                    "sasl.oauthbearer.client.credentials.{what}: missing, and not in sasl.jaas.config either"
                ));
            }
        }
        let ca_file = match self.properties.first(&["https.ca.location"]) {
            Some((key, path)) => Some(checked(key, path, files::certificates, problems)?),
            None => None,
        };
        Some(TokenEndpoint {
            url: url.to_owned(),
            client_id: id?,
            client_secret: Material::inline("client secret in client_properties", secret?),
            scope: self.one_of("scope", &["sasl.oauthbearer.scope"]),
            ca_file,
        })
    }

    /// An option of the login module, or a setting of the client.
    fn one_of(&self, option: &str, keys: &[&'static str]) -> Option<String> {
        let of_module = self.module.as_ref().and_then(|module| module.option(option));
        of_module
            .or_else(|| self.properties.first(keys).map(|(_, value)| value))
            .map(str::to_owned)
    }

    fn extensions(&self, problems: &mut Vec<String>) -> Vec<String> {
        let of_module = self.module.iter().flat_map(Module::options);
        let mut extensions: Vec<String> = of_module
            .filter_map(|(key, value)| Some(format!("{}={value}", key.strip_prefix("extension_")?)))
            .collect();
        let listed = self.properties.get("sasl.oauthbearer.extensions").unwrap_or_default();
        extensions.extend(
            listed
                .split(',')
                .map(str::trim)
                .filter(|pair| !pair.is_empty())
                .map(str::to_owned),
        );
        if !extensions.iter().all(|pair| is_extension(pair)) {
            problems.push("extensions of the token: must be key=value as RFC 7628 has them".to_owned());
        }
        extensions
    }
}

fn is(module: &Module, class: &str, problems: &mut Vec<String>) -> Option<()> {
    if module.class != class {
        problems.push(format!("sasl.jaas.config: must be a {class} for this sasl.mechanism"));
        return None;
    }
    Some(())
}

fn option<'a>(module: &'a Module, key: &str, problems: &mut Vec<String>) -> Option<&'a str> {
    let value = module.option(key);
    if value.is_none() {
        problems.push(format!("sasl.jaas.config: {key} is missing"));
    }
    value
}
