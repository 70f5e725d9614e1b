use super::*;
use crate::clock::SystemEntropy;
use std::os::unix::fs::PermissionsExt;

const TEXT: &[u8] = b"osbox move 101 ann secret f12";

fn ring(text: &str) -> KeyRing {
    KeyRing::load(text, std::path::Path::new("unused"), &SystemEntropy::default()).expect("keys")
}

fn hex(byte: &str) -> String {
    byte.repeat(32)
}

#[test]
fn a_key_is_made_once_and_private() {
    let data = tempfile::tempdir().expect("a folder");
    let (entropy, file) = (SystemEntropy::default(), data.path().join(KEY_FILE));
    let first = KeyRing::load("", &file, &entropy).expect("a new key");
    let again = KeyRing::load("", &file, &entropy).expect("the same key");
    assert_eq!(first.to_text(), again.to_text());
    let mode = |file| std::fs::metadata(file).expect("the file").permissions().mode() & 0o777;
    assert_eq!(mode(&file), 0o600);
    let rotated = again.rotated(&entropy).expect("another key");
    rotated.save(&file).expect("saved");
    assert_eq!(mode(&file), 0o600);
    assert_eq!(KeyRing::load("", &file, &entropy).expect("both keys").to_text(), rotated.to_text());
    assert_eq!(std::fs::read_dir(data.path()).expect("the folder").count(), 1);
    std::fs::write(data.path().join("secret.key.new"), "").expect("a draft");
    assert!(rotated.save(&file).is_err(), "somebody else is at it");
}

#[test]
fn what_was_signed_and_sealed_is_good_until_its_key_is_dropped() {
    let entropy = SystemEntropy::default();
    let before = ring(&hex("01"));
    let parts: [&[u8]; 2] = [b"reply", b"to ann"];
    let (signed, sealed) = (before.sign(&parts), before.seal(&entropy, TEXT).expect("sealed"));
    assert!(!sealed.windows(6).any(|w| w == b"secret"));
    let digest = before.digest(Purpose::Dedupe, &parts);
    // Servers accept each other's signatures while one of them has rotated already.
    let next = before.with_next(&entropy).expect("a next key");
    assert_eq!(next.sign(&parts).key, signed.key, "it is not used yet");
    let after = next.rotated(&entropy).expect("rotated");
    let (one, other) = (after.sign(&parts), next.sign(&parts));
    assert_ne!(one.key, other.key);
    for (ring, signed) in [(&next, one), (&after, other), (&after, signed)] {
        assert!(ring.is_signed(signed.key, &parts, &signed.mac[..12]));
        assert!(ring.is_signed_text(&parts, 8, &signed.to_text(8)));
        assert!(!ring.is_signed_text(&parts, 8, &to_hex(&signed.mac[..8])), "without the id of a key");
        assert!(!ring.is_signed(signed.key, &[b"reply", b"to bob"], &signed.mac[..12]));
        assert!(!ring.is_signed(signed.key ^ 1, &parts, &signed.mac[..12]), "another key's id");
        assert!(!ring.is_signed_text(&parts, 8, &signed.to_text(9)) && !ring.is_signed_text(&parts, 8, ""));
    }
    assert_eq!(after.unseal(&sealed).as_deref(), Some(TEXT));
    assert_eq!(next.unseal(&after.seal(&entropy, TEXT).expect("sealed")).as_deref(), Some(TEXT));
    assert_eq!(after.digest(Purpose::Dedupe, &parts), digest, "what is looked up does not change");
    assert!(!after.is_freshly_sealed(&sealed));

    let dropped = after.without(signed.key).expect("an old key");
    assert!(!dropped.is_signed(signed.key, &parts, &signed.mac[..12]));
    assert_eq!(dropped.unseal(&sealed), None);
    assert_eq!(dropped.digest(Purpose::Dedupe, &parts), digest);
    assert_eq!(dropped.without(one.key).err(), Some(DropError::Current));
    assert_eq!(dropped.without(signed.key).err(), Some(DropError::Unknown));
}

#[test]
fn what_was_not_sealed_here_is_not_opened() {
    let ring = ring(&hex("01"));
    let whole = ring.seal(&SystemEntropy::default(), TEXT).expect("sealed");
    for wrong in [&b""[..], b"short", b"kr1", &whole[..4], &whole[4..], &whole[..whole.len() - 1]] {
        assert_eq!(ring.unseal(wrong), None);
    }
}
#[test]
fn keys_are_read_in_any_order_and_only_when_they_make_sense() {
    let (a, b, c) = (hex("0a"), hex("0b"), hex("0c"));
    let ring = ring(&format!("digests:{c} old:{c}\nnext:{b} {a}"));
    assert_eq!(ring.to_text(), format!("current:{a}\nnext:{b}\nold:{c}\ndigests:{c}\n"));
    for wrong in [
        "00".to_owned(),
        format!("old:{a}"),
        format!("{a} {b}"),
        format!("{a} old:{a}"),
        format!("{a} next:{b} next:{c}"),
        format!("{a} digests:{b} digests:{c}"),
        format!("{a} former:{b}"),
        format!("{a} old:{b}z"),
    ] {
        assert!(
            KeyRing::load(&wrong, std::path::Path::new("unused"), &SystemEntropy::default()).is_err(),
            "{wrong}"
        );
    }
}

#[test]
fn digests_tell_their_parts_and_purposes_apart() {
    let key = ring(&hex("07"));
    assert_ne!(key.digest(Purpose::Tokens, &[b"ab", b"c"]), key.digest(Purpose::Tokens, &[b"a", b"bc"]));
    assert_ne!(key.digest(Purpose::Tokens, &[b"ab"]), key.digest(Purpose::Dedupe, &[b"ab"]));
}

/// Computed by Python's `hmac` and libsodium. Stored and mailed data of earlier versions depends on it: none
/// of this ever changes.
#[test]
fn digests_signatures_and_seals_are_those_of_every_version() {
    let parts: [&[u8]; 2] = [b"ab", b"c"];
    let expected = |purpose| match purpose {
        Purpose::Credentials => "f2526daee035c5972616251533a23a42882eb3f61093a940c99472ed902b43fb",
        Purpose::Dedupe => "91e3d9e615a8264a43558f269a6d69be1cf09067ebae130d2c7fedc2845b7393",
        Purpose::Idempotency => "8bb10a9ed8bccc2cd19924442d489c893bc7fb684c594530b7ad6b8f7170a1fa",
        Purpose::Tokens => "e5a64e58421cd0fa85d487f2688388c390855a4eadeb4f0f182630ae28ba2d50",
        Purpose::Sealing => "9f257c14e7b73053c4f64f7d517052cb0ee05fd97afb9427dce30a0457b1f455",
        Purpose::Push => "fc9f55deb476712a17a0c1d035d3834495bdb1baa6228d84fc5d48a0f5421fd7",
        Purpose::Fingerprint => "c0845a80a3fb95a8b33dd110b2a215b68efdee8134676cbd30c3ad9d1ad5eec4",
    };
    let key = ring(&hex("07"));
    for purpose in [
        Purpose::Credentials,
        Purpose::Dedupe,
        Purpose::Idempotency,
        Purpose::Tokens,
        Purpose::Sealing,
        Purpose::Push,
        Purpose::Fingerprint,
    ] {
        assert_eq!(to_hex(&key.digest(purpose, &parts)), expected(purpose), "{purpose:?}");
    }
    assert_eq!(key.digests_fingerprint(), "9cdb1f1e8554575767645c922dae0ae0");
    assert_eq!(key.sign(&parts).to_text(8), "9ce5a64e58421cd0fa");
    let sealed = [
        &b"kr1\x9c"[..],
        &[5; 12],
        b"\xcf\x4f\xca\xb3\xe4\x15\xd1\x36\xdd\x2c\xc2\x66\x06\x2f\x29\x08\x76\xe3\xae\xf3\x90\x65\x5c\x2b",
        b"\x9f\x56\x75\x7e\x25\xcd\xaf\x2b\xf1\x66\x55\x2f\xf4\xf6\x98\x40\x06\x5c\x91\x9a\x03",
    ];
    assert_eq!(key.unseal(&sealed.concat()).as_deref(), Some(TEXT));
}
