//! A run as a qlog file that qvis reads: qlog 0.3 in JSON (draft-ietf-quic-qlog-main-schema-02, and the recovery events
//! of draft-ietf-quic-qlog-quic-events-02). Times are in ms, as qlog has them; data volumes in bytes.

use serde_json::{Map, Value, json};
use vegas_core::units::Time;

use crate::observed::{Moment, Observed};

/// The events of the sender: its window and packets in flight, its states, the losses that it found, and the first
/// packets that it sent, a number that bounds the file. Packets are numbered in the order of departure.
pub fn qlog_json(title: &str, observed: &Observed) -> String {
    let mut events: Vec<(Time, Value)> = Vec::new();
    let mut before: Option<&Moment> = None;
    for moment in &observed.moments {
        events.extend(state(before, moment).map(|event| (moment.at, event)));
        events.push((moment.at, metrics(moment, observed.totals.packet_bytes)));
        before = Some(moment);
    }
    for (number, at) in observed.sent.iter().enumerate() {
        let header = json!({ "packet_type": "1RTT", "packet_number": number });
        let data = json!({ "header": header, "raw": { "length": observed.totals.packet_bytes } });
        events.push((*at, event(*at, "transport:packet_sent", data)));
    }
    for loss in &observed.losses {
        let trigger = if loss.timeout { "pto_expired" } else { "reordering_threshold" };
        let data = json!({ "trigger": trigger, "packets": loss.lost });
        events.push((loss.at, event(loss.at, "recovery:packet_lost", data)));
    }
    events.sort_by_key(|(at, _)| *at);
    let events: Vec<Value> = events.into_iter().map(|(_, event)| event).collect();
    let trace = json!({
        "vantage_point": { "name": "sender", "type": "client" },
        "common_fields": { "time_format": "relative", "reference_time": 0 },
        "events": events,
    });
    let file = json!({ "qlog_version": "0.3", "qlog_format": "JSON", "title": title, "traces": [trace] });
    format!("{file}\n")
}

fn event(at: Time, name: &str, data: Value) -> Value {
    json!({ "time": at.as_nanos() as f64 / 1e6, "name": name, "data": data })
}

fn state(before: Option<&Moment>, now: &Moment) -> Option<Value> {
    let old = before.and_then(|before| before.inside).map(|inside| inside.state);
    let new = now.inside?.state;
    let data = json!({ "old": old.map(|state| state.name()), "new": new.name() });
    (old != Some(new)).then(|| event(now.at, "recovery:congestion_state_updated", data))
}

fn metrics(moment: &Moment, packet_bytes: u64) -> Value {
    let bytes = |segments: f64| (segments * packet_bytes as f64).round() as u64;
    let mut data = Map::new();
    let mut set = |name: &str, value: Value| drop(data.insert(name.into(), value));
    set("congestion_window", json!(bytes(moment.window)));
    set("bytes_in_flight", json!(bytes(moment.in_flight.into())));
    if let Some(rtt) = moment.rtt {
        set("latest_rtt", json!(rtt.as_nanos() as f64 / 1e6));
    }
    if let Some(pace) = moment.pace {
        set("pacing_rate", json!(bytes(pace) * 8));
    }
    if let Some(us) = moment.inside.and_then(|inside| inside.min_rtt_us) {
        set("min_rtt", json!(us as f64 / 1e3));
    }
    event(moment.at, "recovery:metrics_updated", Value::Object(data))
}
