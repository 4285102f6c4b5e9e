//! `check-config` and `print-config`.

use super::CliError;
use super::Context;
use super::ExitStatus;
use super::write;
use crate::config;
use crate::config::Config;
use crate::config::Loaded;

/// `check-config`: what is doubtful, then that all is well. What is wrong comes back as an error.
pub(super) fn config(context: Context<'_>) -> Result<ExitStatus, CliError> {
    let loaded = config::load(&context.args.source(), &[], context.environment)?;
    write(context.out, &verdict(&loaded))
}

/// `print-config`
pub(super) fn print(context: Context<'_>) -> Result<ExitStatus, CliError> {
    let loaded = config::load(&context.args.source(), &[], context.environment)?;
    write(context.out, &config::print(&loaded.config))
}

fn verdict(loaded: &Loaded) -> String {
    let warnings: String = loaded
        .warnings
        .iter()
        .map(|warning| format!("warning: {warning}\n"))
        .collect();
    let Config { clusters, admin, .. } = &loaded.config;
    let plural = if clusters.len() == 1 { "" } else { "s" };
    let names: Vec<&str> = clusters.iter().map(|cluster| &*cluster.name).collect();
    let admin = match admin {
        Some(admin) => format!("resets on {}", admin.listen),
        None => "no resets".to_owned(),
    };
    format!(
        "{warnings}ok: {} cluster{plural} ({}), {admin}\n",
        clusters.len(),
        names.join(", ")
    )
}
