"""Signs or verifies one mail with dkimpy; the mail comes in on standard input.

  dkimpy.py verify NAME RECORD                          says pass or fail
  dkimpy.py sign SELECTOR DOMAIN KEYFILE ALGORITHM FORM writes the signed mail

DNS is what the arguments say, and nothing else.
"""

import base64
import sys

import dkim


def verify(mail, name, record):
    def answer(asked, timeout=5):
        return record.encode() if asked.decode().rstrip(".") == name else None

    return b"pass\n" if dkim.verify(mail, dnsfunc=answer) else b"fail\n"


def sign(mail, selector, domain, file, algorithm, form):
    with open(file, "rb") as pem:
        key = pem.read()
    if algorithm == "ed25519-sha256":
        # dkimpy wants the seed alone: the last 32 bytes of the PKCS #8 form.
        lines = [line for line in key.splitlines() if not line.startswith(b"-")]
        key = base64.b64encode(base64.b64decode(b"".join(lines))[-32:])
    header = dkim.sign(
        mail,
        selector.encode(),
        domain.encode(),
        key,
        signature_algorithm=algorithm.encode(),
        canonicalize=tuple(form.encode().split(b"/")),
    )
    return header + mail


work = {"verify": verify, "sign": sign}[sys.argv[1]]
sys.stdout.buffer.write(work(sys.stdin.buffer.read(), *sys.argv[2:]))
