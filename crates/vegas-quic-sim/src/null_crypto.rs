//! QUIC without its cryptography, for simulation only: packets are neither encrypted nor authenticated, and no end
//! proves its identity. What the network observes stays: the handshake's flights (RFC 9001, section 4) and their sizes,
//! and a tag of 16 bytes on each packet. A packet also opens only with the key and the number with which it was sealed.
//! That is how QUIC drops a packet that arrives after its keys are discarded, or when its shortened number already
//! stands for another packet.
//!
//! Real TLS draws keys, so that one scenario would not give equal runs; it would also take most of the time.

use std::any::Any;
use std::sync::Arc;

use bytes::BytesMut;
use quinn_proto::crypto::{
    AeadKey, ClientConfig, CryptoError, ExportKeyingMaterialError, HandshakeTokenKey, HeaderKey, HmacKey, KeyPair,
    Keys, PacketKey, ServerConfig, Session, UnsupportedVersion,
};
use quinn_proto::transport_parameters::TransportParameters;
use quinn_proto::{ConnectError, ConnectionId, Side, TransportError};

/// Sessions and tokens without protection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NullCrypto;

/// A packet key: the handshake's, or the one after this number of key updates.
#[derive(Clone, Copy, Debug)]
struct NullKey {
    updates: u64,
}

const TAG_BYTES: usize = 16;
const TAG: [u8; TAG_BYTES] = *b"simulated packet";

/// The least sizes, bytes, of TLS's messages with a self-signed ECDSA certificate: ClientHello or ServerHello; from
/// EncryptedExtensions to the server's Finished; the client's Finished.
const HELLO_BYTES: usize = 250;
const SERVER_FLIGHT_BYTES: usize = 650;
const FINISHED_BYTES: usize = 36;

/// One end's handshake.
struct NullSession {
    side: Side,
    parameters: Vec<u8>,
    peer: Option<TransportParameters>,
    /// Bytes from the peer that do not make up a whole message yet.
    received: Vec<u8>,
    /// The number of messages read, and below it of flights written.
    read: u8,
    written: u8,
    key_updates: u64,
}

impl NullSession {
    fn new(side: Side, parameters: &TransportParameters) -> Self {
        let mut encoded = Vec::new();
        parameters.write(&mut encoded);
        NullSession { side, parameters: encoded, peer: None, received: Vec::new(), read: 0, written: 0, key_updates: 0 }
    }

    /// Handles a message. The client waits for the server's hello and flight, the server for the client's hello and
    /// Finished.
    fn on_message(&mut self, content: &[u8]) -> Result<(), TransportError> {
        let carries_parameters = match self.side {
            Side::Client => self.read == 1,
            Side::Server => self.read == 0,
        };
        if carries_parameters {
            self.peer = Some(TransportParameters::read(self.side, &mut &content[..])?);
        }
        self.read += 1;
        Ok(())
    }
}

/// Appends a message: the lengths of the message and of its content, the content, and zeros up to the least size.
fn message(buf: &mut Vec<u8>, content: &[u8], least: usize) {
    let start = buf.len();
    let size = least.max(content.len() + 4);
    buf.extend_from_slice(&(size as u16).to_be_bytes());
    buf.extend_from_slice(&(content.len() as u16).to_be_bytes());
    buf.extend_from_slice(content);
    buf.resize(start + size, 0);
}

impl Session for NullSession {
    fn initial_keys(&self, _: &ConnectionId, _: Side) -> Keys {
        keys()
    }

    fn handshake_data(&self) -> Option<Box<dyn Any>> {
        None
    }

    fn peer_identity(&self) -> Option<Box<dyn Any>> {
        None
    }

    fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
        None
    }

    fn early_data_accepted(&self) -> Option<bool> {
        None
    }

    fn is_handshaking(&self) -> bool {
        self.read < 2
    }

    fn read_handshake(&mut self, buf: &[u8]) -> Result<bool, TransportError> {
        self.received.extend_from_slice(buf);
        while let [a, b, c, d, ..] = self.received[..] {
            let (size, content) = (usize::from(u16::from_be_bytes([a, b])), usize::from(u16::from_be_bytes([c, d])));
            if self.received.len() < size {
                break;
            }
            let whole: Vec<u8> = self.received.drain(..size).collect();
            self.on_message(&whole[4..4 + content])?;
        }
        Ok(false)
    }

    fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
        Ok(self.peer)
    }

    fn write_handshake(&mut self, buf: &mut Vec<u8>) -> Option<Keys> {
        match (self.side, self.written, self.read) {
            (Side::Client, 0, _) => message(buf, &self.parameters, HELLO_BYTES),
            (Side::Client, 1, 1..) => {}
            (Side::Client, 2, 2..) => message(buf, &[], FINISHED_BYTES),
            (Side::Server, 0, 1..) => message(buf, &[], HELLO_BYTES),
            (Side::Server, 1, 1..) => message(buf, &self.parameters, SERVER_FLIGHT_BYTES),
            _ => return None,
        }
        self.written += 1;
        // a client's hello has no keys
        (self.side == Side::Server || self.written > 1).then(keys)
    }

    fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
        self.key_updates += 1;
        Some(packet_keys(self.key_updates))
    }

    fn is_valid_retry(&self, _: &ConnectionId, _: &[u8], _: &[u8]) -> bool {
        false
    }

    fn export_keying_material(&self, _: &mut [u8], _: &[u8], _: &[u8]) -> Result<(), ExportKeyingMaterialError> {
        Err(ExportKeyingMaterialError)
    }
}

fn keys() -> Keys {
    Keys { header: KeyPair { local: Box::new(NullCrypto), remote: Box::new(NullCrypto) }, packet: packet_keys(0) }
}

fn packet_keys(updates: u64) -> KeyPair<Box<dyn PacketKey>> {
    KeyPair { local: Box::new(NullKey { updates }), remote: Box::new(NullKey { updates }) }
}

impl ClientConfig for NullCrypto {
    fn start_session(
        self: Arc<Self>,
        _version: u32,
        _server_name: &str,
        params: &TransportParameters,
    ) -> Result<Box<dyn Session>, ConnectError> {
        Ok(Box::new(NullSession::new(Side::Client, params)))
    }
}

impl ServerConfig for NullCrypto {
    fn initial_keys(&self, _version: u32, _: &ConnectionId) -> Result<Keys, UnsupportedVersion> {
        Ok(keys())
    }

    fn retry_tag(&self, _version: u32, _: &ConnectionId, _packet: &[u8]) -> [u8; 16] {
        TAG
    }

    fn start_session(self: Arc<Self>, _version: u32, params: &TransportParameters) -> Box<dyn Session> {
        Box::new(NullSession::new(Side::Server, params))
    }
}

impl NullKey {
    fn tag(self, packet: u64) -> [u8; TAG_BYTES] {
        let mut tag = [0; TAG_BYTES];
        tag[..8].copy_from_slice(&packet.to_be_bytes());
        tag[8..].copy_from_slice(&self.updates.to_be_bytes());
        tag
    }
}

impl PacketKey for NullKey {
    fn encrypt(&self, packet: u64, buf: &mut [u8], _header_len: usize) {
        let content = buf.len() - TAG_BYTES;
        buf[content..].copy_from_slice(&self.tag(packet));
    }

    fn decrypt(&self, packet: u64, _header: &[u8], payload: &mut BytesMut) -> Result<(), CryptoError> {
        let content = payload.len().checked_sub(TAG_BYTES).ok_or(CryptoError)?;
        if payload[content..] != self.tag(packet) {
            return Err(CryptoError);
        }
        payload.truncate(content);
        Ok(())
    }

    fn tag_len(&self) -> usize {
        TAG_BYTES
    }

    fn confidentiality_limit(&self) -> u64 {
        u64::MAX
    }

    fn integrity_limit(&self) -> u64 {
        u64::MAX
    }
}

impl HeaderKey for NullCrypto {
    fn decrypt(&self, _pn_offset: usize, _packet: &mut [u8]) {}

    fn encrypt(&self, _pn_offset: usize, _packet: &mut [u8]) {}

    fn sample_size(&self) -> usize {
        16
    }
}

/// The tokens of stateless resets, one for each connection id; a simulated host sends none.
impl HmacKey for NullCrypto {
    fn sign(&self, data: &[u8], signature_out: &mut [u8]) {
        signature_out.fill(0xff);
        let length = data.len().min(signature_out.len());
        signature_out[..length].copy_from_slice(&data[..length]);
    }

    fn signature_len(&self) -> usize {
        32
    }

    fn verify(&self, _data: &[u8], _signature: &[u8]) -> Result<(), CryptoError> {
        Err(CryptoError)
    }
}

/// The tokens of address validation; a simulated host sends none.
impl HandshakeTokenKey for NullCrypto {
    fn aead_from_hkdf(&self, _random_bytes: &[u8]) -> Box<dyn AeadKey> {
        Box::new(NullCrypto)
    }
}

impl AeadKey for NullCrypto {
    fn seal(&self, data: &mut Vec<u8>, _additional_data: &[u8]) -> Result<(), CryptoError> {
        data.extend_from_slice(&TAG);
        Ok(())
    }

    fn open<'a>(&self, data: &'a mut [u8], _additional_data: &[u8]) -> Result<&'a mut [u8], CryptoError> {
        let content = data.len().checked_sub(TAG_BYTES).ok_or(CryptoError)?;
        Ok(&mut data[..content])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_opens_with_its_own_key_and_number_only() {
        let key = NullKey { updates: 1 };
        let mut sealed = b"content, and room for a tag     ".to_vec();
        key.encrypt(7, &mut sealed, 0);
        let opens = |key: NullKey, packet: u64, sealed: &[u8]| {
            let mut payload = BytesMut::from(sealed);
            key.decrypt(packet, &[], &mut payload).map(|()| payload)
        };
        assert_eq!(opens(key, 7, &sealed).unwrap(), b"content, and roo"[..]);
        assert!(opens(NullKey { updates: 2 }, 7, &sealed).is_err(), "after a key update");
        assert!(opens(key, 7 + 256, &sealed).is_err(), "of which a byte is the same number");
        assert!(opens(key, 7, &sealed[..10]).is_err());
    }

    #[test]
    fn both_ends_have_the_same_key_after_as_many_updates() {
        let parameters = TransportParameters::read(Side::Server, &mut &[][..]).unwrap();
        let mut ends = [Side::Client, Side::Server].map(|side| NullSession::new(side, &parameters));
        for _ in 0..2 {
            let [client, server] = ends.each_mut().map(|end| end.next_1rtt_keys().unwrap());
            let mut packet = vec![0; 20];
            client.local.encrypt(1, &mut packet, 0);
            assert!(server.remote.decrypt(1, &[], &mut BytesMut::from(&packet[..])).is_ok());
        }
    }
}
