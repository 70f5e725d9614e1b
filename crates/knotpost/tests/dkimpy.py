"""Signs and verifies mails with dkimpy: a job a line of JSON in, its result a line of JSON out.

  {"mail": BASE64, "name": NAME, "record": RECORD}                        gives true or false
  {"mail": BASE64, "selector": S, "domain": D, "key": FILE,
   "algorithm": "rsa-sha256" or "ed25519-sha256", "form": "relaxed/simple"}  gives the signed mail, BASE64

DNS is what the jobs say, and nothing else.
"""

import base64
import json
import sys

import dkim


def verify(mail, job):
    def answer(asked, timeout=5):
        return job["record"].encode() if asked.decode().rstrip(".") == job["name"] else None

    return dkim.verify(mail, dnsfunc=answer)


def sign(mail, job):
    with open(job["key"], "rb") as pem:
        key = pem.read()
    if job["algorithm"] == "ed25519-sha256":
        # dkimpy wants the seed alone: the last 32 bytes of the PKCS #8 form.
        lines = [line for line in key.splitlines() if not line.startswith(b"-")]
        key = base64.b64encode(base64.b64decode(b"".join(lines))[-32:])
    header = dkim.sign(
        mail,
        job["selector"].encode(),
        job["domain"].encode(),
        key,
        signature_algorithm=job["algorithm"].encode(),
        canonicalize=tuple(job["form"].encode().split(b"/")),
    )
    return base64.b64encode(header + mail).decode()


for line in sys.stdin:
    job = json.loads(line)
    work = verify if "record" in job else sign
    print(json.dumps(work(base64.b64decode(job["mail"]), job)))
