// Keys for the links that say which ([data-key]), and a game that plays itself.

const STEP_EVERY_MS = 1200;

export function attachReplay(root) {
  let timer = null;

  const button = () => root.querySelector("[data-replay-play]");
  const on = () => root.querySelector("[data-replay] a[data-key=ArrowRight]");

  function show() {
    if (!button()) return;
    button().hidden = !on() && !root.querySelector("[data-replay] a[data-key=Home]");
    button().setAttribute("aria-pressed", timer !== null);
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    show();
  }

  function step() {
    if (on()) on().click();
    else stop();
  }

  function start() {
    if (!on()) root.querySelector("[data-replay] a[data-key=Home]")?.click();
    timer = setInterval(step, STEP_EVERY_MS);
    show();
  }

  root.addEventListener("click", (event) => {
    if (event.target.closest("[data-replay-play]")) timer === null ? start() : stop();
  });
  root.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.target.closest("input, textarea, select, [data-picker-board] [tabindex]")) return;
    const link = root.querySelector(`a[data-key="${CSS.escape(event.key)}"]`);
    if (!link) return;
    event.preventDefault();
    stop();
    link.click();
  });
  root.addEventListener("htmx:afterSettle", show);
  show();
}
