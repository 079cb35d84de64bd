// A recorded game that plays itself: a step at a time, and still whenever somebody minds.

const STEP_MS = 1500;
const REST_STEPS = 3;

function attach(box) {
  const board = box.querySelector("[data-selfplay-board]");
  const says = box.querySelector("[data-selfplay-says]");
  const button = box.querySelector("[data-selfplay-pause]");
  const tabs = [...box.querySelectorAll("[data-selfplay-frames]")];
  let tab = tabs.find((one) => one.ariaCurrent) ?? tabs[0];
  let recording = null;
  let at = 0;
  let rest = REST_STEPS;
  let wants = !matchMedia("(prefers-reduced-motion: reduce)").matches;
  let isWatched = true;
  let isPointedAt = false;

  function show() {
    const drawn = recording.frames[at].map((part) => recording.parts[part]).join("");
    board.innerHTML = `${recording.root}${drawn}</svg>`;
    says.textContent = recording.says[at];
  }

  async function load() {
    const wanted = tab;
    const answer = await fetch(wanted.dataset.selfplayFrames);
    const loaded = answer.ok ? await answer.json() : null;
    if (wanted === tab) recording = loaded;
    return wanted === tab && loaded;
  }

  function step() {
    if (!recording || !wants || !isWatched || isPointedAt || document.hidden) return;
    if (at === recording.frames.length - 1 && rest-- > 0) return;
    rest = REST_STEPS;
    at = (at + 1) % recording.frames.length;
    show();
  }

  function label() {
    button.textContent = wants ? button.dataset.pause : button.dataset.go;
  }

  async function choose(chosen) {
    tabs.forEach((one) => one.removeAttribute("aria-current"));
    tab = chosen;
    tab.ariaCurrent = "true";
    board.ariaLabel = tab.dataset.label;
    box.querySelector("[data-selfplay-rules]").href = tab.dataset.rules;
    recording = null;
    if (!(await load())) return;
    at = wants ? 0 : recording.frames.length - 1;
    show();
  }

  for (const one of tabs) {
    one.addEventListener("click", (event) => {
      event.preventDefault();
      choose(one);
    });
  }
  button.addEventListener("click", () => {
    wants = !wants;
    label();
  });
  board.addEventListener("pointerenter", () => (isPointedAt = true));
  board.addEventListener("pointerleave", () => (isPointedAt = false));
  new IntersectionObserver(([entry]) => (isWatched = entry.isIntersecting)).observe(board);
  label();
  button.hidden = false;
  load().then((loaded) => loaded && (at = loaded.frames.length - 1));
  setInterval(step, STEP_MS);
}

document.querySelectorAll("[data-selfplay]").forEach(attach);
