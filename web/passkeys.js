// "Log in with a passkey" and "Add a passkey": what the server asks, the browser answers into the hidden fields of the form.

const bytesOf = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));
const textOf = (bytes) =>
  btoa(Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** What the browser says when the user did not go on, or could not. */
const REASONS = {
  NotAllowedError: "Nothing was done: no passkey was chosen, or it took too long.",
  InvalidStateError: "This device has a passkey for your account already.",
  NotSupportedError: "This device makes no passkeys that this server can use.",
};

/** What the server asks; its refusal is a page. */
async function ask(form, fields) {
  const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(fields) });
  if (answer.ok && answer.headers.get("content-type")?.startsWith("application/json")) return answer.json();
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  throw new Error(page.querySelector(".alert, main p")?.textContent.trim() ?? `the server answered ${answer.status}`);
}

async function add(form) {
  const options = await ask(form, { act: form.dataset.passkey, present: form.elements.present?.value ?? "" });
  options.challenge = bytesOf(options.challenge);
  options.user.id = bytesOf(options.user.id);
  for (const known of options.excludeCredentials) known.id = bytesOf(known.id);
  const { response } = await navigator.credentials.create({ publicKey: options });
  form.elements.client_data.value = textOf(response.clientDataJSON);
  form.elements.attestation.value = textOf(response.attestationObject);
  // The password was given with the question.
  if (form.elements.present) form.elements.present.value = "";
}

async function logIn(form) {
  const options = await ask(form, { by: form.dataset.passkey });
  options.challenge = bytesOf(options.challenge);
  const credential = await navigator.credentials.get({ publicKey: options });
  form.elements.credential.value = textOf(credential.rawId);
  form.elements.client_data.value = textOf(credential.response.clientDataJSON);
  form.elements.data.value = textOf(credential.response.authenticatorData);
  form.elements.signature.value = textOf(credential.response.signature);
  form.elements.user_handle.value = textOf(credential.response.userHandle ?? new ArrayBuffer(0));
}

for (const form of document.querySelectorAll("form[data-passkey]")) {
  const says = form.querySelector("[role=status]");
  if (!window.PublicKeyCredential) {
    says.textContent = "This browser has no passkeys.";
    continue;
  }
  says.textContent = "";
  form.querySelector("div").hidden = false;
  const button = form.querySelector("button");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      await (form.dataset.passkey === "ask_passkey" ? add(form) : logIn(form));
      form.submit();
    } catch (error) {
      says.textContent = REASONS[error.name] ?? error.message;
    }
    button.disabled = false;
  });
}
