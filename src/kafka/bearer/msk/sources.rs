//! Where credentials of AWS come from, in the order of its own tools: the environment, a web identity (EKS), a profile, the container (ECS, EKS),
//! the instance (EC2).

use std::collections::HashMap;
use std::path::PathBuf;

use hyper::Method;
use serde_json::Value;

use super::Credentials;
use super::KEPT;
use crate::config::Material;
use crate::config::Tls;
use crate::config::environment;
use crate::kafka::bearer::exchange::Answer;
use crate::kafka::bearer::exchange::Ask;
use crate::kafka::bearer::refused;
use crate::kafka::trouble::Trouble;
use crate::model::Moment;

/// Where a container finds its credentials when it is told only a path.
const CONTAINER: &str = "http://169.254.170.2";
/// Where an instance finds its own.
const INSTANCE: &str = "http://169.254.169.254";

/// The variables of this process that AWS's tools look at.
pub(super) struct Environment(HashMap<String, String>);

impl Environment {
    pub(super) fn of_process() -> Self {
        Self::of(
            environment()
                .into_iter()
                .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?))),
        )
    }

    pub(super) fn of(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        let wanted =
            |(name, value): &(String, String)| (name.starts_with("AWS_") || name == "HOME") && !value.is_empty();
        Self(variables.into_iter().filter(wanted).collect())
    }

    pub(super) fn region(&self) -> Option<String> {
        self.get("AWS_REGION").or_else(|| self.get("AWS_DEFAULT_REGION"))
    }

    fn get(&self, name: &str) -> Option<String> {
        self.0.get(name).cloned()
    }

    fn credentials_file(&self) -> Option<PathBuf> {
        let named = self.get("AWS_SHARED_CREDENTIALS_FILE").map(PathBuf::from);
        named.or_else(|| Some(PathBuf::from(self.get("HOME")?).join(".aws/credentials")))
    }
}

/// The first that are there.
pub(super) async fn credentials(from: &Environment, region: &str, now: Moment) -> Result<Credentials, Trouble> {
    if let Some(found) = Credentials::of_names(|name| from.get(&name.to_uppercase())) {
        return Ok(found);
    }
    if let (Some(file), Some(role)) = (from.get("AWS_WEB_IDENTITY_TOKEN_FILE"), from.get("AWS_ROLE_ARN")) {
        return web_identity(from, region, (&file, &role), now).await;
    }
    if let Some(found) = profile(from)? {
        return Ok(found);
    }
    if let Some(url) = container(from) {
        return of_container(from, url, now).await;
    }
    if from.get("AWS_EC2_METADATA_DISABLED").as_deref() == Some("true") {
        return Err(refused(
            "sasl: no credentials of AWS in the environment, a profile or a container",
        ));
    }
    instance(from, now).await
}

fn profile(from: &Environment) -> Result<Option<Credentials>, Trouble> {
    let name = from.get("AWS_PROFILE");
    let text = from
        .credentials_file()
        .and_then(|file| Material::file("AWS credentials", file).bytes().ok());
    let text = text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let found = text.and_then(|text| Credentials::of_profile(&text, name.as_deref().unwrap_or("default")));
    match (found, name) {
        (None, Some(_)) => Err(refused("sasl: AWS_PROFILE names no profile with an access key")),
        (found, _) => Ok(found),
    }
}

async fn web_identity(
    from: &Environment,
    region: &str,
    (file, role): (&str, &str),
    now: Moment,
) -> Result<Credentials, Trouble> {
    let token = Material::file("AWS_WEB_IDENTITY_TOKEN_FILE", file)
        .secret()
        .map_err(refused)?;
    let session = from
        .get("AWS_ROLE_SESSION_NAME")
        .unwrap_or_else(|| "tidemark".to_owned());
    let own = from.get("AWS_ENDPOINT_URL_STS");
    let encoded = |text: &str| percent_encoding::utf8_percent_encode(text, KEPT).to_string();
    let ask = Ask {
        method: Method::POST,
        url: own.unwrap_or_else(|| format!("https://sts.{region}.amazonaws.com/")),
        headers: vec![
            ("content-type", "application/x-www-form-urlencoded".to_owned()),
            ("accept", "application/json".to_owned()),
        ],
        body: format!(
            "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn={}&RoleSessionName={}&WebIdentityToken={}",
            encoded(role),
            encoded(&session),
            encoded(token.expose())
        ),
        tls: Tls::default(),
    };
    let said = json("AWS STS", ask.send().await)?;
    Credentials::of_token_service(&said, now).ok_or_else(|| refused("sasl: AWS STS answers without credentials"))
}

fn container(from: &Environment) -> Option<String> {
    let relative = from.get("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
    relative
        .map(|path| format!("{CONTAINER}{path}"))
        .or_else(|| from.get("AWS_CONTAINER_CREDENTIALS_FULL_URI"))
}

async fn of_container(from: &Environment, url: String, now: Moment) -> Result<Credentials, Trouble> {
    let token = match from.get("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE") {
        Some(file) => {
            let material = Material::file("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", file);
            Some(material.secret().map_err(refused)?.expose().to_owned())
        }
        None => from.get("AWS_CONTAINER_AUTHORIZATION_TOKEN"),
    };
    let headers = token.map(|token| ("authorization", token)).into_iter().collect();
    let said = json("the container's credentials", get(url, headers).await)?;
    Credentials::of_role(&said, now)
        .ok_or_else(|| refused("sasl: the container's credentials: an answer without credentials"))
}

/// By sessions alone (IMDSv2).
async fn instance(from: &Environment, now: Moment) -> Result<Credentials, Trouble> {
    let own = from.get("AWS_EC2_METADATA_SERVICE_ENDPOINT");
    let base = own.unwrap_or_else(|| INSTANCE.to_owned());
    let base = base.trim_end_matches('/');
    let what = "the instance's credentials";
    let ask = Ask {
        method: Method::PUT,
        url: format!("{base}/latest/api/token"),
        headers: vec![("x-aws-ec2-metadata-token-ttl-seconds", "300".to_owned())],
        body: String::new(),
        tls: Tls::default(),
    };
    let session = text(what, ask.send().await)?;
    let header = || vec![("x-aws-ec2-metadata-token", session.clone())];
    let path = format!("{base}/latest/meta-data/iam/security-credentials/");
    let role = text(what, get(path.clone(), header()).await)?;
    let role = role.lines().next().unwrap_or_default().trim().to_owned();
    let said = json(what, get(path + &role, header()).await)?;
    Credentials::of_role(&said, now).ok_or_else(|| refused(format_args!("sasl: {what}: an answer without credentials")))
}

async fn get(url: String, headers: Vec<(&'static str, String)>) -> Result<Answer, Trouble> {
    let ask = Ask {
        method: Method::GET,
        url,
        headers,
        body: String::new(),
        tls: Tls::default(),
    };
    ask.send().await
}

/// The body of a good answer. What a bad one says is not passed on: it may hold what it was told.
fn body(what: &str, answer: Result<Answer, Trouble>) -> Result<bytes::Bytes, Trouble> {
    let answer = answer.map_err(|trouble| refused(format_args!("sasl: {what}: {trouble}")))?;
    match answer.status {
        200 => Ok(answer.body),
        status => Err(refused(format_args!("sasl: {what}: answers {status}"))),
    }
}

fn text(what: &str, answer: Result<Answer, Trouble>) -> Result<String, Trouble> {
    Ok(String::from_utf8_lossy(&body(what, answer)?).trim().to_owned())
}

fn json(what: &str, answer: Result<Answer, Trouble>) -> Result<Value, Trouble> {
    serde_json::from_slice(&body(what, answer)?).map_err(|_| refused(format_args!("sasl: {what}: answers no JSON")))
}
