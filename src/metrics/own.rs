//! The process's own figures, by the `prometheus` crate.

use prometheus::Gauge;
use prometheus::Opts;
use prometheus::Registry;
use prometheus::TextEncoder;

use super::catalog::cluster::BUILD_INFO;
use super::catalog::families;
use super::reloads::Reloads;

/// What the process says of itself.
#[derive(Debug)]
pub(super) struct Own(Registry);

impl Own {
    pub(super) fn new() -> Self {
        let help = families()
            .find(|family| family.name == BUILD_INFO)
            .map_or("", |family| family.help);
        let opts = Opts::new(BUILD_INFO, help).const_label("version", env!("CARGO_PKG_VERSION"));
        let opts = match option_env!("TIDEMARK_REVISION") {
            Some(revision) => opts.const_label("revision", revision),
            None => opts,
        };
        let build = Gauge::with_opts(opts).expect("name and labels are valid");
        build.set(1.0);
        let registry = Registry::new();
        registry.register(Box::new(build)).expect("the registry is empty");
        #[cfg(target_os = "linux")]
        registry
            .register(Box::new(prometheus::process_collector::ProcessCollector::for_self()))
            .expect("no name is taken");
        Self(registry)
    }

    /// How reading the configuration anew goes is told too.
    pub(super) fn add(&self, reloads: &Reloads) {
        reloads.register(&self.0);
    }

    /// The figures as of now, as text.
    pub(super) fn text(&self) -> String {
        TextEncoder::new()
            .encode_to_string(&self.0.gather())
            .expect("figures are written to memory")
    }
}
