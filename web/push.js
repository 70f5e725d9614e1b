// "Tell this browser when it is my turn", on the settings page.

const box = document.querySelector("#push");
const says = box.querySelector("[role=status]");
const button = box.querySelector("button");

const bytesOf = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));
const KEY = bytesOf(box.dataset.key);

/** What keeps this browser from being told; nothing: undefined. */
function obstacle() {
  if (!window.isSecureContext) return "This needs a page opened with https:// (or on localhost).";
  if (!("serviceWorker" in navigator) || !("PushManager" in window) || !("Notification" in window))
    return "This browser shows no notifications of sites. On an iPhone or iPad, add this site to the Home Screen and open it from there.";
  if (Notification.permission === "denied")
    return "Notifications of this site are blocked in this browser. Allow them in its settings for this site, then open this page again.";
  return undefined;
}

async function subscription() {
  const registration = await navigator.serviceWorker.getRegistration("/");
  return (await registration?.pushManager.getSubscription()) ?? undefined;
}

/** Whether a subscription is bound to the present key of the server. */
function isOurs(one) {
  const key = new Uint8Array(one.options.applicationServerKey ?? []);
  return key.length === KEY.length && key.every((byte, place) => byte === KEY[place]);
}

/** The line of the list that is this browser. */
const lineOf = (one) => one && [...document.querySelectorAll("#browsers li")].find((line) => line.dataset.endpoint === one.endpoint);

function offer(words, label, act) {
  says.textContent = words;
  button.textContent = label;
  button.hidden = false;
  button.onclick = async () => {
    button.disabled = true;
    try {
      await act();
    } catch (error) {
      says.textContent = `That did not work: ${error.message}`;
    }
    button.disabled = false;
  };
}

async function post(fields) {
  const answer = await fetch("/settings", { method: "POST", body: new URLSearchParams(fields) });
  if (answer.ok) return location.reload();
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  throw new Error(page.querySelector(".alert p, main p")?.textContent ?? `the server answered ${answer.status}`);
}

async function switchOn() {
  if ((await Notification.requestPermission()) !== "granted") {
    says.textContent = obstacle() ?? "Notifications were not allowed, so nothing was changed.";
    return;
  }
  await navigator.serviceWorker.register("/service-worker.js");
  const { pushManager } = await navigator.serviceWorker.ready;
  let one = await pushManager.getSubscription();
  if (one && !isOurs(one)) {
    await one.unsubscribe();
    one = null;
  }
  one ??= await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: KEY });
  const { endpoint, keys } = one.toJSON();
  await post({ act: "new_browser", endpoint, p256dh: keys.p256dh, auth: keys.auth });
}

async function begin() {
  const why = obstacle();
  if (why) {
    says.textContent = why;
    return;
  }
  const one = await subscription();
  const line = lineOf(one);
  if (line && isOurs(one)) {
    line.querySelector("strong").hidden = false;
    offer("This browser tells you when it is your turn.", "Stop telling me here", async () => {
      await one.unsubscribe();
      await post({ act: "end_browser", id: line.dataset.id });
    });
  } else offer("This browser does not tell you yet.", "Tell this browser when it is my turn", switchOn);
}

begin().catch((error) => (says.textContent = `This browser cannot be asked: ${error.message}`));
