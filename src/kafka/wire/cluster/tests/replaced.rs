//! The name of a bootstrap server leads somewhere else: its address has changed, and with it every broker.

use std::sync::Mutex as StdMutex;

use tokio::io::copy_bidirectional;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use super::*;

/// Stands for a name: whoever connects to it gets to wherever it leads at that moment.
struct Name {
    address: String,
    leads: Arc<StdMutex<String>>,
}

impl Name {
    async fn leading_to(first: String) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let leads = Arc::new(StdMutex::new(first));
        let now = Arc::clone(&leads);
        tokio::spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((mut client, _)) = listener.accept().await {
                let to = now.lock().unwrap().clone();
                connections.spawn(async move {
                    if let Ok(mut server) = TcpStream::connect(to).await {
                        let _ = copy_bidirectional(&mut client, &mut server).await;
                    }
                });
            }
        });
        Self { address, leads }
    }

    fn lead_to(&self, other: String) {
        *self.leads.lock().unwrap() = other;
    }
}

fn first(cluster: &sim::Cluster) -> String {
    cluster.bootstrap().split(',').next().unwrap().to_owned()
}

/// The client's brokers once they are that many.
async fn until(client: &mut Client, count: usize) {
    let patience = Instant::now() + Duration::from_secs(30);
    while client.brokers(soon()).await.map(|brokers| brokers.len()) != Ok(count) {
        assert!(Instant::now() < patience, "never {count} brokers");
        pause().await;
    }
}

#[tokio::test]
async fn all_brokers_replaced_by_others_are_found_by_the_same_name() {
    let old = start(model(3));
    let name = Name::leading_to(first(&old)).await;
    let mut client = Client::new(Arc::new(config(&name.address, SHORT)));
    until(&mut client, 3).await;
    drop(old);
    let new = start(model(2));
    name.lead_to(first(&new));
    until(&mut client, 2).await;
    // And no request goes to one that is no more.
    client.take_calls();
    assert_eq!(client.brokers(soon()).await.map(|brokers| brokers.len()), Ok(2));
    assert!(client.list_groups(soon()).await.missing.is_empty());
    assert_eq!(errors(&client.take_calls()), []);
}

#[tokio::test]
async fn brokers_that_fall_silent_while_the_name_leads_elsewhere_are_left_within_two_polls() {
    let old = start(model(3));
    let name = Name::leading_to(first(&old)).await;
    let mut client = Client::new(Arc::new(config(&name.address, SHORT)));
    until(&mut client, 3).await;
    assert!(client.list_groups(soon()).await.missing.is_empty());
    old.fault(When::any(), Fault::Silence);
    let new = start(model(2));
    name.lead_to(first(&new));
    let begun = Instant::now();
    until(&mut client, 2).await;
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}
