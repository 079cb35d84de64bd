// The button that has this browser told, and the mark at this browser in the list.

const offer = document.querySelector("[data-push]");
const list = document.querySelector("[data-browsers]");

function say(text) {
  offer.querySelector("[data-push-says]").textContent = text;
}

function key(text) {
  const padded = text.replaceAll("-", "+").replaceAll("_", "/");
  return Uint8Array.from(atob(padded), (letter) => letter.charCodeAt(0));
}

async function markOf(endpoint) {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(endpoint));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function subscribe() {
  if ((await Notification.requestPermission()) !== "granted") return say(offer.dataset.denied);
  try {
    const worker = await navigator.serviceWorker.register(offer.dataset.worker);
    await navigator.serviceWorker.ready;
    const subscription = await worker.pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: key(offer.dataset.key),
    });
    await store(subscription);
  } catch {
    say(offer.dataset.failed);
  }
}

async function store(subscription) {
  const answer = await fetch(offer.dataset.address, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "X-CSRFToken": document.querySelector("[name=csrfmiddlewaretoken]").value,
    },
    body: JSON.stringify(subscription),
  });
  if (answer.ok) return location.reload();
  say((await answer.json()).error);
}

async function showThisBrowser(subscription) {
  const row = list?.querySelector(`[data-browser="${await markOf(subscription.endpoint)}"]`);
  if (!row) return;
  offer.querySelector("[data-push-button]").hidden = true;
  row.querySelector("[data-this-browser]").hidden = false;
  row.querySelector("form").addEventListener("submit", () => subscription.unsubscribe());
}

async function begin() {
  if (!("PushManager" in window && "serviceWorker" in navigator)) return say(offer.dataset.unable);
  const button = offer.querySelector("[data-push-button]");
  button.hidden = false;
  button.querySelector("button").addEventListener("click", subscribe);
  const worker = await navigator.serviceWorker.getRegistration(offer.dataset.worker);
  const subscription = await worker?.pushManager.getSubscription();
  if (subscription) await showThisBrowser(subscription);
}

if (offer) begin();
