// The move picker: a move is put together from what the rules offer next, by pointing at spots
// of the board, by keyboard or by buttons. It knows no game; it asks for the next tokens.
//
// In `root` it looks for [data-picker-board], [data-picker-buttons] and [data-picker-undo].
// `choices` are the first tokens, each {token, spots, whole}; `more(prefix)` promises
// {choices, board}: the tokens that can follow, and the board as it looks by then;
// `write(text, whole)` is told what is picked so far and whether it is a move already.

export function attachPicker(root, { choices, more, write }) {
  const board = root.querySelector("[data-picker-board]");
  const buttons = root.querySelector("[data-picker-buttons]");
  const undo = root.querySelector("[data-picker-undo]");
  const steps = [{ text: "", whole: false, choices, drawing: board.innerHTML }];
  let pointed = [];

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

  async function take(choice) {
    const text = now().text + choice.token;
    const from = now();
    const next = await more(text).catch(() => null);
    if (now() !== from) return; // Something else was picked meanwhile.
    if (!next) return write(text, choice.whole); // What is written can still be sent and answered.
    steps.push({ text, whole: choice.whole, choices: next.choices, drawing: next.board });
    pointed = [];
    redraw();
  }

  function goBack() {
    if (!pointed.length && steps.length > 1) steps.pop();
    pointed = [];
    redraw();
  }

  function redraw() {
    const hadFocus = board.contains(document.activeElement);
    board.innerHTML = now().drawing;
    show();
    write(now().text, now().whole);
    if (hadFocus) (board.querySelector("[tabindex]") ?? buttons.querySelector("button") ?? undo).focus();
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

  board.addEventListener("click", (event) => {
    const spot = spotOf(event);
    if (spot) point(spot);
  });
  board.addEventListener("keydown", (event) => {
    const spot = ["Enter", " "].includes(event.key) && spotOf(event);
    if (!spot) return;
    event.preventDefault();
    point(spot);
  });
  undo.addEventListener("click", goBack);
  show();
}
