"""A key has one number for each text, which only its owner knows and anyone can check."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games import vrf
from games.ed25519 import NEUTRAL, encoded

# RFC 9381, B.3: secret key, text, proof, the first half of the output.
VECTORS = [
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "",
        "8657106690b5526245a92b003bb079ccd1a92130477671f6fc01ad16f26f723f26f8a57ccaed74ee1b190bed1f479d"
        "9727d2d0f9b005a6e456a35d4fb0daab1268a1b0db10836d9826a528ca76567805",
        "90cf1df3b703cce59e2a35b925d411164068269d7b2d29f3301c03dd757876ff",
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "72",
        "f3141cd382dc42909d19ec5110469e4feae18300e94f304590abdced48aed5933bf0864a62558b3ed7f2fea45c92a4"
        "65301b3bbf5e3e54ddf2d935be3b67926da3ef39226bbc355bdc9850112c8f4b02",
        "eb4440665d3891d668e7e0fcaf587f1b4bd7fbfe",
    ),
]
SECRET = bytes(range(32))
PUBLIC = vrf.public_key(SECRET)
NUMBER, PROOF = vrf.prove(SECRET, b"text")


@pytest.mark.parametrize("vector", VECTORS)
def test_the_proofs_and_numbers_of_the_standard_come_out(vector):
    secret, text, proof, number = map(bytes.fromhex, vector)
    drawn = vrf.prove(secret, text)
    assert drawn == (vrf.number(vrf.public_key(secret), text, proof), proof)
    assert drawn[0].startswith(number)


@given(st.integers(0, 8 * vrf.PROOF_BYTES - 1))
def test_any_changed_bit_of_a_proof_shows(bit):
    changed = bytearray(PROOF)
    changed[bit // 8] ^= 1 << bit % 8
    assert vrf.number(PUBLIC, b"text", bytes(changed)) is None


def test_a_proof_is_good_for_its_text_and_key_alone():
    assert vrf.number(PUBLIC, b"text", PROOF) == NUMBER
    assert vrf.number(PUBLIC, b"other", PROOF) is None
    assert vrf.number(vrf.public_key(bytes(32)), b"text", PROOF) is None
    assert vrf.number(PUBLIC, b"text", PROOF[:-1]) is None
    assert vrf.number(PUBLIC[:-1], b"text", PROOF) is None


def test_a_key_of_small_order_is_refused():
    assert vrf.number(encoded(NEUTRAL), b"text", PROOF) is None
