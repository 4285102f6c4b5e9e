//! The handle on a running simulated cluster.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::net::Ipv4Addr;
use std::net::SocketAddr;
use std::sync::Arc;

use kafka_protocol::messages::ApiKey;
use kafka_protocol::messages::BrokerId;
use tokio::net::TcpSocket;
use tokio::task::JoinHandle;

use crate::clock::Clock;

use super::fault::Fault;
use super::fault::FaultId;
use super::fault::When;
use super::model::Model;
use super::model::broker_id;
use super::server::Shared;
use super::server::accept;
use super::trace::Asked;

/// How many connections may wait to be accepted.
const BACKLOG: u32 = 1024;

/// A simulated cluster. Ends when it is dropped.
pub struct Cluster {
    shared: Arc<Shared>,
    ports: BTreeMap<i32, Port>,
}

/// A broker's port.
enum Port {
    /// Open, served by this task.
    Open(JoinHandle<()>),
    /// Closed to clients, and kept from others by a socket that does not listen.
    Closed(TcpSocket),
}

impl Cluster {
    /// Starts brokers for the model on loopback, each on a free port. The cluster's wall clock is the clock's at this moment and goes on with
    /// its `mono`, so that a jump of the clock's wall is one of the client's machine alone.
    ///
    /// # Errors
    ///
    /// When no port can be had.
    pub fn start(model: Model, clock: Clock) -> io::Result<Self> {
        let mut sockets = Vec::new();
        for id in model.broker_ids() {
            let socket = bound(0)?;
            sockets.push((id, socket.local_addr()?.port(), socket));
        }
        let ports = sockets.iter().map(|(id, port, _)| (id.0, *port)).collect();
        let shared = Arc::new(Shared::new(model, clock, ports));
        let mut ports = BTreeMap::new();
        for (id, _, socket) in sockets {
            ports.insert(id.0, Port::Open(serve(&shared, id, socket)?));
        }
        Ok(Self { shared, ports })
    }

    /// The addresses of all brokers, as `bootstrap.servers` takes them.
    pub fn bootstrap(&self) -> String {
        let ports = self.shared.ports.values();
        let addresses: Vec<String> = ports.map(|port| format!("127.0.0.1:{port}")).collect();
        addresses.join(",")
    }

    /// The address of one broker; `None` when there is none of this id.
    pub fn address(&self, broker: i32) -> Option<SocketAddr> {
        let port = self.shared.ports.get(&broker)?;
        Some((Ipv4Addr::LOCALHOST, *port).into())
    }

    /// Changes the model, at the present of its clock, between two requests.
    pub fn edit<T>(&self, change: impl FnOnce(&mut Model) -> T) -> T {
        let done = change(&mut self.shared.state().model);
        self.shared.changed.notify_waiters();
        done
    }

    /// Lets something go wrong from now on.
    pub fn fault(&self, when: When, fault: Fault) -> FaultId {
        let mut state = self.shared.state();
        let now = state.model.now();
        state.faults.add(when, fault, now)
    }

    /// Takes a fault back.
    pub fn mend(&self, fault: FaultId) {
        self.shared.state().faults.remove(fault);
    }

    /// Takes all faults back.
    pub fn mend_all(&self) {
        self.shared.state().faults.clear();
    }

    /// Gives what the model calls `name` other bytes on the wire, for names that are not UTF-8. False when the lengths differ.
    pub fn alias(&self, name: &str, wire: &[u8]) -> bool {
        self.shared.state().aliases.add(name, wire)
    }

    /// Every request so far, in order (the last 20,000).
    pub fn trace(&self) -> Vec<Asked> {
        self.shared.state().trace.all()
    }

    /// The requests since this was last called, in order.
    pub fn take_trace(&self) -> Vec<Asked> {
        self.shared.state().trace.take()
    }

    /// Only counts requests from now on; for benches.
    pub fn trace_counts_only(&self) {
        self.shared.state().trace.counts_only = true;
    }

    /// How many requests of this call came, to all brokers.
    pub fn count(&self, api: ApiKey) -> u64 {
        self.shared.state().trace.count(None, api)
    }

    /// How many requests of this call came to one broker.
    pub fn count_at(&self, broker: i32, api: ApiKey) -> u64 {
        self.shared.state().trace.count(Some(broker), api)
    }

    /// Closes a broker's port and its connections; the cluster does not know it yet. No effect on a closed one.
    ///
    /// # Errors
    ///
    /// When the port was lost to somebody else.
    pub async fn close(&mut self, broker: i32) -> io::Result<()> {
        let Some(Port::Open(_)) = self.ports.get(&broker) else {
            return Ok(());
        };
        if let Some(Port::Open(task)) = self.ports.remove(&broker) {
            task.abort();
            // The listener is gone only when the task is.
            let _ = task.await;
        }
        let port = self.shared.ports.get(&broker).copied().unwrap_or(0);
        self.ports.insert(broker, Port::Closed(bound(port)?));
        Ok(())
    }

    /// Opens a broker's port again, the same. No effect on an open one.
    ///
    /// # Errors
    ///
    /// When the system refuses.
    pub fn open(&mut self, broker: i32) -> io::Result<()> {
        match self.ports.remove(&broker) {
            Some(Port::Closed(socket)) => {
                let task = serve(&self.shared, broker_id(broker), socket)?;
                self.ports.insert(broker, Port::Open(task));
            }
            Some(open) => {
                self.ports.insert(broker, open);
            }
            None => {}
        }
        Ok(())
    }

    /// A broker dies and the cluster knows: its port is closed, its partitions have no leader, its groups no coordinator.
    ///
    /// # Errors
    ///
    /// When the port was lost to somebody else.
    pub async fn down(&mut self, broker: i32) -> io::Result<()> {
        self.close(broker).await?;
        // Ids that are none of the cluster's have no port either.
        let _ = self.edit(|model| model.lose_broker(broker));
        Ok(())
    }

    /// The broker is back, on the same port.
    ///
    /// # Errors
    ///
    /// When the system refuses.
    pub fn up(&mut self, broker: i32) -> io::Result<()> {
        self.open(broker)?;
        let _ = self.edit(|model| model.regain_broker(broker));
        Ok(())
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for port in self.ports.values() {
            if let Port::Open(task) = port {
                task.abort();
            }
        }
    }
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster")
            .field("bootstrap", &self.bootstrap())
            .finish_non_exhaustive()
    }
}

/// A socket bound to a port of loopback (0: a free one) that does not listen yet: clients are refused.
fn bound(port: u16) -> io::Result<TcpSocket> {
    let socket = TcpSocket::new_v4()?;
    // Connections of a broker that went down linger on its port.
    socket.set_reuseaddr(true)?;
    socket.bind((Ipv4Addr::LOCALHOST, port).into())?;
    Ok(socket)
}

fn serve(shared: &Arc<Shared>, broker: BrokerId, socket: TcpSocket) -> io::Result<JoinHandle<()>> {
    let listener = socket.listen(BACKLOG)?;
    Ok(tokio::spawn(accept(Arc::clone(shared), broker, listener)))
}
