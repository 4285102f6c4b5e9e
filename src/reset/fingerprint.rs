//! The fingerprint of a plan: a guard against accidents (an edit, a half-pasted file), no signature.

use super::canonical::canonical;
use super::document::Plan;

/// SHA-256, in lower-case hex, of the plan in canonical form.
#[expect(
    clippy::missing_panics_doc,
    reason = "the invariants hold for every plan, by its types"
)]
pub fn fingerprint(plan: &Plan) -> String {
    let document = serde_json::to_value(plan).expect("a plan has text keys only");
    let text = canonical(&document).expect("a plan holds integers only");
    hex(&openssl::sha::sha256(text.as_bytes()))
}

/// Bytes in lower-case hex.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
