// What every page may need: htmx's CSRF header, the browser's time zone
// and its share in the dice, copy and back buttons.

const COPIED_FOR_MS = 2000;

document.addEventListener("htmx:configRequest", (event) => {
  const token = document.querySelector("[name=csrfmiddlewaretoken]");
  if (token) event.detail.headers["X-CSRFToken"] = token.value;
});

function fillBrowserZone() {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
  for (const input of document.querySelectorAll("[data-browser-zone]")) {
    if (!input.value) input.value = zone;
  }
}

// <button hidden data-copy="#secret" data-copied="Copied">Copy</button>
function offerCopying() {
  if (!navigator.clipboard) return;
  for (const button of document.querySelectorAll("[data-copy]")) {
    const label = button.textContent;
    button.hidden = false;
    button.addEventListener("click", () => copy(button, label));
  }
}

async function copy(button, label) {
  const source = document.querySelector(button.dataset.copy);
  await navigator.clipboard.writeText(source.textContent.trim());
  button.textContent = button.dataset.copied;
  setTimeout(() => (button.textContent = label), COPIED_FOR_MS);
}

function offerGoingBack() {
  if (history.length < 2) return;
  for (const button of document.querySelectorAll("[data-back]")) {
    button.hidden = false;
    button.addEventListener("click", () => history.back());
  }
}

// A menu that stays open after a click elsewhere or Escape is in the way.
function closeMenus() {
  const openMenus = () => document.querySelectorAll(".menu[open]");
  document.addEventListener("click", (event) => {
    for (const menu of openMenus()) if (!menu.contains(event.target)) menu.open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of openMenus()) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });
}

// On a phone the navigation is wider than the screen.
function showWhereOneIs() {
  const here = document.querySelector(".nav [aria-current]");
  const nav = here?.closest("nav");
  if (!nav) return;
  const [place, frame] = [here.getBoundingClientRect(), nav.getBoundingClientRect()];
  nav.scrollLeft += place.left - frame.left - (frame.width - place.width) / 2;
}

// The dice are nobody's choice if each player's browser adds something of its own to them.
function addSalts() {
  const addTo = (event) => {
    for (const input of event.target.querySelectorAll("[data-salt]")) {
      // What somebody has typed is theirs; what was drawn for an earlier form is not sent again.
      if (input.type !== "hidden" && input.value) continue;
      const bytes = crypto.getRandomValues(new Uint8Array(24));
      input.value = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    }
  };
  document.addEventListener("submit", addTo, { capture: true });
}

fillBrowserZone();
addSalts();
offerCopying();
offerGoingBack();
closeMenus();
showWhereOneIs();
