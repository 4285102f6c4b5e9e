//! The Helm chart, rendered; and the other manifests.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;
use yaml_rust2::YamlLoader;

use super::json;
use super::path;
use super::text;
use super::yaml;
use crate::support::cli;
use crate::support::have;

/// Everything on that is off by default.
const EVERYTHING: &str = r#"
replicas: 2
config:
  objectives: [{groups: "orders-.*", lag: 60s}]
  clusters:
    - name: main
      bootstrap_servers: kafka:9093
      tls: {ca_file: /etc/tidemark/secrets/kafka/ca.crt}
secrets: [{name: kafka, secretName: tidemark-kafka}]
env: [{name: TIDEMARK__LOG__FORMAT, value: json}]
service: {annotations: {a: b}}
serviceAccount: {annotations: {a: b}}
podAnnotations: {a: b}
podLabels: {a: b}
nodeSelector: {a: b}
tolerations: [{key: a, operator: Exists}]
priorityClassName: high
imagePullSecrets: [{name: registry}]
extraVolumes: [{name: audit, emptyDir: {}}]
extraVolumeMounts: [{name: audit, mountPath: /var/lib/tidemark}]
serviceMonitor: {enabled: true, externalUrl: "https://tidemark.example", labels: {release: prometheus}}
prometheusRule: {enabled: true, labels: {release: prometheus}}
dashboards: {enabled: true, annotations: {k8s-sidecar-target-directory: kafka}}
networkPolicy: {from: [{namespaceSelector: {matchLabels: {name: monitoring}}}], kafka: [{ipBlock: {cidr: 10.0.0.0/8}}]}
"#;
/// A Helm that Go installed takes itself for an old Kubernetes.
const KUBERNETES: &str = "1.31.0";
/// Kinds that Kubernetes itself has no schema of.
const OF_OPERATORS: [&str; 3] = ["ServiceMonitor", "PrometheusRule", "ScaledObject"];

fn helm(arguments: &[&str]) -> Result<String, String> {
    let run = Command::new("helm")
        .args(arguments)
        .current_dir(path("deploy/helm"))
        .output()
        .expect("helm starts");
    if run.status.success() {
        return Ok(String::from_utf8(run.stdout).expect("UTF-8"));
    }
    Err(String::from_utf8_lossy(&run.stderr).into_owned())
}

fn values(folder: &TempDir, text: &str) -> String {
    let file = folder.path().join("values.yaml");
    fs::write(&file, text).expect("a file");
    file.display().to_string()
}

fn rendered(text: &str) -> Result<Vec<Value>, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let values = values(&folder, text);
    let out = helm(&[
        "template",
        "release",
        "tidemark",
        "--namespace",
        "kafka",
        "--kube-version",
        KUBERNETES,
        "-f",
        &values,
    ])?;
    let documents = YamlLoader::load_from_str(&out).expect("YAML");
    Ok(documents.iter().map(json).filter(|it| !it.is_null()).collect())
}

fn of_kind<'a>(documents: &'a [Value], kind: &str) -> Vec<&'a Value> {
    documents.iter().filter(|it| it["kind"] == kind).collect()
}

#[test]
fn helm_has_nothing_to_say_about_the_chart() {
    if have(&["helm"]) {
        let folder = tempfile::tempdir().expect("a folder");
        for text in ["{}", EVERYTHING] {
            helm(&[
                "lint",
                "--strict",
                "--kube-version",
                KUBERNETES,
                "tidemark",
                "-f",
                &values(&folder, text),
            ])
            .expect("a clean chart");
        }
    }
}

#[test]
fn by_default_there_is_one_hardened_pod_and_nothing_of_operators() {
    if !have(&["helm"]) {
        return;
    }
    let documents = rendered("{}").expect("a chart");
    assert!(
        documents
            .iter()
            .all(|it| !OF_OPERATORS.iter().any(|kind| it["kind"] == *kind))
    );
    let deployment = of_kind(&documents, "Deployment")[0];
    let pod = &deployment["spec"]["template"]["spec"];
    assert_eq!(pod["automountServiceAccountToken"], false);
    assert_eq!(pod["securityContext"]["runAsNonRoot"], true);
    assert_eq!(pod["securityContext"]["seccompProfile"]["type"], "RuntimeDefault");
    let container = &pod["containers"][0];
    let context = &container["securityContext"];
    assert_eq!(context["readOnlyRootFilesystem"], true);
    assert_eq!(context["allowPrivilegeEscalation"], false);
    assert_eq!(context["capabilities"]["drop"][0], "ALL");
    // The scrape listener alone: nobody reaches an admin listener through service or policy.
    let ports = |it: &Value| it["ports"].as_array().expect("ports").len();
    assert_eq!(ports(container), 1);
    assert_eq!(ports(&of_kind(&documents, "Service")[0]["spec"]), 1);
    let policy = &of_kind(&documents, "NetworkPolicy")[0]["spec"];
    assert_eq!(policy["ingress"].as_array().map(Vec::len), Some(1));
    assert_eq!(policy["ingress"][0]["ports"].as_array().map(Vec::len), Some(1));
}

#[test]
fn the_configuration_of_the_chart_is_one_that_tidemark_takes() {
    if !have(&["helm"]) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for text in ["{}", EVERYTHING] {
        let documents = rendered(text).expect("a chart");
        let config = of_kind(&documents, "ConfigMap")
            .into_iter()
            .find_map(|it| it["data"]["tidemark.yaml"].as_str())
            .expect("a configuration")
            // The secret is on the cluster.
            .replace("ca_file: /etc/tidemark/secrets/kafka/ca.crt", "verify_hostname: true");
        let file = folder.path().join("tidemark.yaml");
        fs::write(&file, config).expect("a file");
        let run = cli(&["check-config", "-c", &file.display().to_string()]);
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    }
}

#[test]
fn the_chart_ships_every_rule_and_dashboard_of_the_project() {
    if !have(&["helm"]) {
        return;
    }
    let documents = rendered(EVERYTHING).expect("a chart");
    let groups = &of_kind(&documents, "PrometheusRule")[0]["spec"]["groups"];
    let ours = ["recording", "alerts"].map(|file| yaml(&text(&format!("deploy/prometheus/rules/{file}.yml"))));
    let ours: Vec<Value> = ours
        .iter()
        .flat_map(|it| it["groups"].as_array().cloned().expect("groups"))
        .collect();
    assert_eq!(groups, &Value::Array(ours));
    for board in ["overview", "group", "topic", "exporter"] {
        let name = format!("tidemark-{board}.json");
        let shipped = of_kind(&documents, "ConfigMap")
            .into_iter()
            .find_map(|it| it["data"][&name].as_str());
        let ours = text(&format!("dashboards/{name}"));
        assert_eq!(shipped.map(str::trim), Some(ours.trim()), "{name}");
    }
    let monitor = of_kind(&documents, "ServiceMonitor")[0];
    let relabel = &monitor["spec"]["endpoints"][0]["metricRelabelings"][0];
    assert_eq!(relabel["replacement"], "https://tidemark.example");
}

#[test]
fn values_that_mean_nothing_are_refused() {
    if !have(&["helm"]) {
        return;
    }
    for (wrong, named) in [
        ("replica: 2", "replica"),
        ("config: {clusters: []}", "clusters"),
        (
            "config: {listen: '1.2.3.4:1', clusters: [{name: a, bootstrap_servers: 'b:1'}]}",
            "listen",
        ),
        ("networkPolicy: {kafkaPorts: [0]}", "kafkaPorts"),
    ] {
        let error = rendered(wrong).expect_err(wrong);
        assert!(error.contains(named), "{error}");
    }
}

#[test]
fn kubernetes_takes_what_is_rendered_and_the_manifests_for_autoscaling() {
    if !have(&["helm", "kubernetes-validate"]) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut documents = rendered(EVERYTHING).expect("a chart");
    documents.extend(rendered("{}").expect("a chart"));
    documents.push(yaml(&text("deploy/kubernetes/hpa.yaml")));
    let known = documents
        .iter()
        .filter(|it| !OF_OPERATORS.iter().any(|kind| it["kind"] == *kind));
    let files: Vec<PathBuf> = known
        .enumerate()
        .map(|(index, document)| {
            let file = folder.path().join(format!("{index}.yaml"));
            // JSON is YAML too.
            fs::write(&file, document.to_string()).expect("a file");
            file
        })
        .collect();
    assert!(files.len() > 10, "{}", files.len());
    let run = Command::new("kubernetes-validate")
        .arg("--strict")
        .args(&files)
        .output();
    let run = run.expect("kubernetes-validate starts");
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&run.stdout),
        String::from_utf8_lossy(&run.stderr)
    );
    assert!(run.status.success(), "{said}");
}

#[test]
fn the_configurations_of_compose_and_of_the_package_are_taken() {
    for file in ["deploy/compose/tidemark.yaml", "deploy/systemd/tidemark.yaml"] {
        let run = cli(&["check-config", "-c", &path(file).display().to_string()]);
        assert!(run.status.success(), "{file}: {}", String::from_utf8_lossy(&run.stderr));
    }
    let compose = yaml(&text("deploy/compose.yaml"));
    let mounted = compose.to_string();
    for file in ["deploy/compose/prometheus.yml", "deploy/prometheus/alertmanager.yml"] {
        let inside = file.trim_start_matches("deploy/");
        assert!(mounted.contains(inside) && path(file).exists(), "{file}");
    }
}
