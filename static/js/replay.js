// A game that plays itself, until somebody takes a step.

const STEP_EVERY_MS = 1200;

export function attachReplay(root) {
  let timer = null;
  let isStepping = false;

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
    if (root.querySelector("[data-replay] .htmx-request")) return; // The last step is not there yet.
    if (!on()) return stop();
    isStepping = true;
    on().click();
    isStepping = false;
  }

  function start() {
    if (!on()) root.querySelector("[data-replay] a[data-key=Home]")?.click();
    timer = setInterval(step, STEP_EVERY_MS);
    show();
  }

  root.addEventListener("click", (event) => {
    if (event.target.closest("[data-replay-play]")) timer === null ? start() : stop();
    else if (timer !== null && !isStepping && event.target.closest("a, button")) stop();
  });
  root.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && timer !== null) stop();
  });
  root.addEventListener("htmx:afterSettle", show);
  show();
}
