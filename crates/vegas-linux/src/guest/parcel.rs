//! A request or an answer as bytes: the length of a head, the head as JSON, and the files that it lists.

use serde_json::{Value, json};

use crate::Error;

/// A request or an answer.
#[derive(Debug, PartialEq)]
pub(crate) struct Parcel {
    /// The data but the files; its key `files` lists their names and lengths.
    pub(crate) head: Value,
    pub(crate) files: Vec<(String, Vec<u8>)>,
}

impl Parcel {
    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Result<Self, Error> {
        Parcel::read(&bytes).ok_or_else(|| Error("the request cannot be read".into()))
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let (length, rest) = bytes.split_first_chunk()?;
        let (head, mut rest) = rest.split_at_checked(u64::from_le_bytes(*length) as usize)?;
        let head: Value = serde_json::from_slice(head).ok()?;
        let mut files = Vec::new();
        for file in head["files"].as_array()? {
            let (content, behind) = rest.split_at_checked(file[1].as_u64()? as usize)?;
            files.push((file[0].as_str()?.into(), content.into()));
            rest = behind;
        }
        Some(Parcel { head, files })
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut head = self.head.clone();
        head["files"] = self.files.iter().map(|(name, content)| json!([name, content.len()])).collect();
        let head = head.to_string();
        let mut bytes = (head.len() as u64).to_le_bytes().to_vec();
        bytes.extend(head.as_bytes());
        self.files.iter().for_each(|(_, content)| bytes.extend(content));
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parcel_comes_back_and_a_torn_one_is_refused() {
        let files = vec![("a/b.toml".to_owned(), b"x = 1".to_vec()), ("empty".to_owned(), Vec::new())];
        let sent = Parcel { head: json!({ "arguments": ["run", "a/b.toml"] }), files };
        let bytes = sent.to_bytes();
        let read = Parcel::from_bytes(bytes.clone()).expect("a parcel");
        assert_eq!((&read.files, &read.head["arguments"]), (&sent.files, &sent.head["arguments"]));
        for length in 0..bytes.len() {
            assert!(Parcel::from_bytes(bytes[..length].to_vec()).is_err(), "{length} of {} bytes", bytes.len());
        }
    }
}
