//! TLS without authorities: the server signs its own certificate, a new one at each start, and prints its SHA-256; the
//! client accepts that certificate and no other.

use std::fmt;
use std::sync::Arc;

use quinn::crypto::rustls::QuicClientConfig;
use rustls::DigitallySignedStruct;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use sha2::{Digest, Sha256};

use crate::Fallible;

/// The name in the certificate; no resolver looks it up.
pub(crate) const SERVER_NAME: &str = "vegaslab";

/// A certificate's SHA-256.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint([u8; 32]);

impl Fingerprint {
    fn of(certificate: &CertificateDer<'_>) -> Self {
        Fingerprint(Sha256::digest(certificate).into())
    }

    /// Parses 64 hexadecimal digits; colons between them are ignored.
    pub(crate) fn from_hex(text: &str) -> Result<Self, String> {
        let digits: Vec<u8> = text.bytes().filter(|byte| *byte != b':').collect();
        let wrong = || format!("{text:?} is no fingerprint; write the 64 hexadecimal digits that the server prints");
        let mut bytes = [0; 32];
        if digits.len() != 2 * bytes.len() {
            return Err(wrong());
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
            let value = |digit: u8| char::from(digit).to_digit(16);
            let (high, low) = value(pair[0]).zip(value(pair[1])).ok_or_else(wrong)?;
            *byte = (16 * high + low) as u8;
        }
        Ok(Fingerprint(bytes))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Makes a certificate, its key and its fingerprint.
pub(crate) fn certificate() -> Fallible<(CertificateDer<'static>, PrivateKeyDer<'static>, Fingerprint)> {
    let made = rcgen::generate_simple_self_signed([SERVER_NAME.to_owned()])?;
    let certificate = made.cert.der().clone();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der())?;
    let fingerprint = Fingerprint::of(&certificate);
    Ok((certificate, key, fingerprint))
}

/// Returns the configuration of a client that accepts one certificate.
pub(crate) fn client(pinned: Fingerprint) -> Fallible<QuicClientConfig> {
    let provider = Arc::new(ring::default_provider());
    let verifier = Pinned { fingerprint: pinned, provider: Arc::clone(&provider) };
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    Ok(QuicClientConfig::try_from(config)?)
}

#[derive(Debug)]
struct Pinned {
    fingerprint: Fingerprint,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let offered = Fingerprint::of(end_entity);
        if offered == self.fingerprint {
            return Ok(ServerCertVerified::assertion());
        }
        Err(rustls::Error::General(format!("the server's certificate is {offered}, not the one that was asked for")))
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _cert: &CertificateDer<'_>,
        _dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Err(rustls::Error::General("QUIC has TLS 1.3 only".into()))
    }

    /// Verifies that the server holds the certificate's key.
    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<rustls::SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_is_read_as_it_is_printed() {
        let (_, _, fingerprint) = certificate().unwrap();
        assert_eq!(Fingerprint::from_hex(&fingerprint.to_string()), Ok(fingerprint));
        let (_, _, another) = certificate().unwrap();
        assert_ne!(another, fingerprint);
        for wrong in ["", "12", "zz", &"g".repeat(64), &"0".repeat(63), &"é".repeat(32)] {
            assert!(Fingerprint::from_hex(wrong).unwrap_err().contains("64 hexadecimal digits"), "{wrong}");
        }
        assert_eq!(Fingerprint::from_hex(&["00"; 32].join(":")), Ok(Fingerprint([0; 32])));
    }
}
