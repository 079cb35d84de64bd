// The move picker: a move is put together from what the rules offer next, by pointing at spots
// of the board, by keyboard or by buttons. It knows no game; it asks for the next tokens.
//
// In `root` it looks for [data-picker-board], [data-picker-buttons] and [data-picker-undo].
// `choices` are the first tokens, each {token, spots, whole}; `more(prefix)` promises
// {choices, board}: the tokens that can follow, and the board as it looks by then;
// `write(text, whole)` is told at once what is picked so far and whether it is a move already;
// `settle(text)` is told of a move that is whole and cannot be gone on with.
//
// Keys go on where the hand is: arrows from spot to spot, and on to what comes next once one is
// picked. A finger or a mouse moves nothing but the pieces.

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const ASIDE = 1.5;

export function attachPicker(root, { choices, more, write, settle = () => {} }) {
  const board = root.querySelector("[data-picker-board]");
  const buttons = root.querySelector("[data-picker-buttons]");
  const undo = root.querySelector("[data-picker-undo]");
  const steps = [{ text: "", whole: false, choices, drawing: board.innerHTML }];
  let pointed = [];
  let hadFocus = false;
  let byKeys = false;
  board.tabIndex = -1;

  const parts = [board, buttons, undo];
  const holdsFocus = () => parts.some((part) => part.contains(document.activeElement));
  const now = () => steps.at(-1);
  const fitting = () =>
    now().choices.filter((choice) => pointed.every((spot) => choice.spots.includes(spot)));

  function point(spot) {
    pointed = pointed.includes(spot)
      ? pointed.filter((other) => other !== spot)
      : [...pointed, spot];
    const left = fitting();
    if (pointed.length && left.length === 1) take(left[0]);
    else show();
  }

  // What is picked is written before anything is asked, so that whoever is quick sends it whole.
  async function take(choice) {
    const step = { text: now().text + choice.token, whole: choice.whole, choices: [] };
    step.drawing = now().drawing;
    steps.push(step);
    pointed = [];
    hadFocus = holdsFocus();
    write(step.text, step.whole);
    board.setAttribute("aria-busy", "true");
    show();
    const next = await more(step.text).catch(() => null);
    if (now() !== step) return; // It was undone meanwhile.
    board.removeAttribute("aria-busy");
    if (!next) return; // What is written can still be sent and answered.
    step.choices = next.choices;
    step.drawing = next.board;
    redraw();
    if (step.whole && !step.choices.length) settle(step.text);
  }

  function goBack() {
    if (!pointed.length && steps.length > 1) steps.pop();
    pointed = [];
    hadFocus = holdsFocus();
    board.removeAttribute("aria-busy");
    redraw();
    write(now().text, now().whole);
  }

  function redraw() {
    board.innerHTML = now().drawing;
    show();
    const isElsewhere = document.activeElement !== document.body && !holdsFocus();
    if (!hadFocus || isElsewhere) return;
    if (byKeys) nextToFocus()?.focus();
    else board.focus({ preventScroll: true });
  }

  // Where a hand on the keyboard goes on: the next spot, or else what sends the move.
  function nextToFocus() {
    return (
      board.querySelector(".choice[tabindex='0']") ??
      buttons.querySelector("button") ??
      root.querySelector("[data-confirm]") ??
      (undo.hidden ? null : undo)
    );
  }

  function show() {
    const left = fitting();
    const live = new Set(left.flatMap((choice) => choice.spots));
    for (const element of board.querySelectorAll(".choice, .unfit")) showSpot(element, live);
    board.classList.toggle("is-pointed", pointed.length > 0);
    buttons.replaceChildren(...offered(left).map(button));
    buttons.hidden = !buttons.children.length;
    undo.hidden = steps.length === 1 && !pointed.length;
  }

  function showSpot(element, live) {
    const spot = element.dataset.spot;
    const isLive = live.has(spot);
    element.classList.toggle("choice", isLive);
    element.classList.toggle("unfit", !isLive);
    element.classList.toggle("pointed", pointed.includes(spot));
    element.setAttribute("tabindex", isLive ? 0 : -1);
    element.setAttribute("aria-pressed", pointed.includes(spot));
    element.setAttribute("aria-disabled", !isLive);
  }

  // What no spot can tell apart gets buttons: tokens without a spot, and those with the same.
  function offered(left) {
    const key = (choice) => [...choice.spots].sort().join();
    const same = left.every((choice) => key(choice) === key(left[0]));
    return pointed.length && same ? left : left.filter((choice) => !choice.spots.length);
  }

  function button(choice) {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "button button--small";
    made.textContent = (now().text + choice.token).trim();
    made.addEventListener("click", () => take(choice));
    return made;
  }

  function spotOf(event) {
    return event.target.closest(".choice[data-spot]")?.dataset.spot;
  }

  // The nearest spot that way. What lies aside counts for more, so that straight on goes first,
  // but not for so much more that the rows of a board with six sides would be skipped.
  function neighbour(from, [right, down]) {
    const start = middle(from);
    const way = (element) => {
      const [x, y] = middle(element).map((at, axis) => at - start[axis]);
      const ahead = x * right + y * down;
      return ahead > 1 ? ahead + ASIDE * (Math.abs(x * down) + Math.abs(y * right)) : Infinity;
    };
    const ways = [...board.querySelectorAll(".choice[data-spot]")].map((to) => [way(to), to]);
    const [least, nearest] = ways.reduce((one, other) => (other[0] < one[0] ? other : one));
    return least < Infinity ? nearest : from;
  }

  board.addEventListener("click", (event) => {
    const spot = spotOf(event);
    if (spot) point(spot);
  });
  board.addEventListener("keydown", (event) => {
    const spot = spotOf(event);
    if (!spot) return;
    if (ARROWS[event.key]) neighbour(event.target, ARROWS[event.key]).focus();
    else if (["Enter", " "].includes(event.key)) point(spot);
    else return;
    event.preventDefault();
  });
  for (const part of parts) {
    part.addEventListener("keydown", () => (byKeys = true), true);
    part.addEventListener("pointerdown", () => (byKeys = false), true);
  }
  undo.addEventListener("click", goBack);
  show();
  board.classList.add("is-live"); // Before, a click would be lost: the style lets none through.
}

function middle(element) {
  const box = element.getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
}
