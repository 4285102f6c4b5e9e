//! Which cluster a command is about.

use super::*;
use crate::config::Source;

fn config(names: &[&str]) -> Config {
    let variables = names.iter().enumerate().flat_map(|(index, name)| {
        let key = |key| format!("TIDEMARK__CLUSTERS__{index}__{key}").into();
        [(key("NAME"), name.into()), (key("BOOTSTRAP_SERVERS"), "k:1".into())]
    });
    let variables: Vec<(OsString, OsString)> = variables.collect();
    load(&Source::Brokers("k:1".to_owned()), &[], variables).unwrap().config
}

fn named(name: &str) -> ClusterArgs {
    ClusterArgs {
        cluster: Some(name.to_owned()),
    }
}

#[test]
fn the_only_cluster_need_not_be_named() {
    let config = config(&["main"]);
    assert_eq!(
        ClusterArgs::default().one(&config).map(|cluster| &*cluster.name),
        Ok("main")
    );
    assert_eq!(named("main").one(&config).map(|cluster| &*cluster.name), Ok("main"));
}

#[test]
fn one_of_several_must_be_named_where_one_is_needed() {
    let config = config(&["main", "other"]);
    assert_eq!(named("other").one(&config).map(|cluster| &*cluster.name), Ok("other"));
    assert_eq!(
        ClusterArgs::default().one(&config).unwrap_err().to_string(),
        "there are several clusters, name one by --cluster: main, other"
    );
    assert_eq!(ClusterArgs::default().some(&config).map(|all| all.len()), Ok(2));
}

#[test]
fn a_name_that_is_none_is_told_with_those_that_are() {
    let config = config(&["main", "other"]);
    for told in [named("x").one(&config).err(), named("x").some(&config).err()] {
        let told = told.map(|usage| usage.to_string());
        assert_eq!(
            told.as_deref(),
            Some("there is no cluster \"x\"; configured: main, other")
        );
    }
}
