// A button with data-passkey asks the browser for a passkey and sends its answer with the form.

const says = document.querySelector("[data-passkey-says]");
const PARTS = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"];

function bytes(text) {
  const plain = text.replaceAll("-", "+").replaceAll("_", "/");
  return Uint8Array.from(atob(plain), (letter) => letter.charCodeAt(0));
}

function text(buffer) {
  const plain = btoa(String.fromCharCode(...new Uint8Array(buffer)));
  return plain.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

const withBytes = (keys = []) => keys.map((key) => ({ ...key, id: bytes(key.id) }));

const ask = {
  create: (options) =>
    navigator.credentials.create({
      publicKey: {
        ...options,
        challenge: bytes(options.challenge),
        user: { ...options.user, id: bytes(options.user.id) },
        excludeCredentials: withBytes(options.excludeCredentials),
      },
    }),
  get: (options) =>
    navigator.credentials.get({
      publicKey: {
        ...options,
        challenge: bytes(options.challenge),
        allowCredentials: withBytes(options.allowCredentials),
      },
    }),
};

function answer({ id, type, response }) {
  const parts = PARTS.filter((part) => response[part]).map((part) => [part, text(response[part])]);
  return JSON.stringify({ id, rawId: id, type, response: Object.fromEntries(parts) });
}

async function optionsFor(button) {
  if (!button.dataset.options) {
    return JSON.parse(document.getElementById("passkey-options").textContent);
  }
  const response = await fetch(button.dataset.options, { headers: { Accept: "application/json" } });
  return (await response.json()).request_options;
}

async function use(button) {
  says.textContent = "";
  try {
    const { publicKey } = await optionsFor(button);
    button.form.elements.credential.value = answer(await ask[button.dataset.passkey](publicKey));
    button.form.requestSubmit(button);
  } catch {
    says.textContent = says.dataset.failed;
  }
}

function offer(button) {
  button.hidden = false;
  button.addEventListener("click", (event) => {
    event.preventDefault();
    use(button);
  });
}

const buttons = document.querySelectorAll("[data-passkey]");
if (window.PublicKeyCredential) {
  says.textContent = "";
  buttons.forEach(offer);
} else if (says.textContent) {
  says.textContent = says.dataset.unable;
}
