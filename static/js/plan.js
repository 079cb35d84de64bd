// Conditional moves: a branch is put together on the board, step by step, into the form's fields.
// The server says what comes next: their move, a throw, my reply; the fields are what is kept.

import { attachPicker } from "./picker.js";

const root = document.querySelector("[data-plan]");
const form = root.querySelector("[data-plan-form]");

function attachPlan() {
  const part = (name) => form.querySelector(`[data-plan-${name}]`);
  const field = (name) => form.elements[name];
  const said = { stage: "", supposed: "", isAny: false };
  let asked = 0;

  async function fetchBoard(prefix) {
    const query = new URLSearchParams({
      seen: field("seen").value,
      at: field("at").value,
      move: field("move").value,
      dice: field("dice")?.value ?? "",
      supposed: said.supposed,
      prefix,
    });
    if (said.isAny) query.set("any", "");
    const answer = await fetch(`${root.dataset.board}?${query}`);
    const told = await answer.json();
    if (!answer.ok) throw new Error(told.error);
    return told;
  }

  // Looks at the branch as the fields have it by now; a later look makes an earlier one void.
  async function look() {
    const number = ++asked;
    try {
      const told = await fetchBoard("");
      if (number === asked) show(told);
    } catch (error) {
      if (number === asked) part("says").textContent = error.message;
    }
  }

  function show(told) {
    said.stage = told.stage;
    part("says").textContent = told.says;
    part("goes-on").value = told.stage === "goes-on" ? "yes" : "";
    part("steps").hidden = false;
    part("next").hidden = true;
    part("any").hidden = !["their-move", "their-throw", "my-throw"].includes(told.stage);
    part("restart").hidden = !isBegun();
    showTotals(told);
    draw(told);
  }

  const isBegun = () =>
    said.isAny || said.supposed || ["move", "dice", "then"].some((name) => field(name)?.value);

  // A fresh element each time: a picker keeps what it had been told.
  function draw(told) {
    const old = root.querySelector("[data-picker-board]");
    const board = old.cloneNode(false);
    board.removeAttribute("aria-busy");
    board.innerHTML = told.board || old.innerHTML;
    old.replaceWith(board);
    const undo = form.querySelector("[data-picker-undo]");
    undo.replaceWith(undo.cloneNode(true));
    const target = field(told.stage === "my-move" ? "then" : "move");
    const isReply = told.stage === "my-move";
    attachPicker(root, {
      choices: told.choices,
      more: (prefix) => fetchMore(isReply, prefix),
      write: (text, whole) => {
        target.value = text;
        part("restart").hidden = false;
        part("next").hidden = isReply || !whole;
        form.querySelector("[data-confirm]").classList.toggle("is-ready", isReply && whole);
      },
      settle: (text) => {
        if (!isReply && target.value === text) look();
      },
    });
  }

  // While a move of theirs is being picked, its field holds the beginning and is not asked about.
  async function fetchMore(isReply, prefix) {
    if (isReply) return fetchBoard(prefix);
    const half = field("move").value;
    field("move").value = "";
    const told = fetchBoard(prefix);
    field("move").value = half;
    return told;
  }

  function showTotals(told) {
    const chosen = new Set((field("dice")?.value ?? "").split(/[ ,]+/).filter(Boolean));
    part("totals").replaceChildren(...told.totals.map((total) => chip(total, told.stage, chosen)));
    part("totals").hidden = !told.totals.length;
  }

  function chip(total, stage, chosen) {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "button button--small plan-total";
    made.textContent = total;
    made.setAttribute("aria-pressed", chosen.has(String(total)));
    made.addEventListener("click", () => (stage === "their-throw" ? suppose(total) : mark(made, chosen)));
    return made;
  }

  function suppose(total) {
    said.supposed = String(total);
    look();
  }

  function mark(button, chosen) {
    const total = button.textContent;
    chosen.has(total) ? chosen.delete(total) : chosen.add(total);
    button.setAttribute("aria-pressed", chosen.has(total));
    field("dice").value = [...chosen].sort((a, b) => a - b).join(", ");
    part("next").hidden = !chosen.size;
  }

  function anything() {
    said.isAny = true;
    if (said.stage !== "my-throw") field("move").value = "";
    look().then(() => field("then").focus());
  }

  function restart() {
    for (const name of ["move", "dice", "then"]) if (field(name)) field(name).value = "";
    said.supposed = "";
    said.isAny = false;
    form.querySelector("[data-confirm]").classList.remove("is-ready");
    look();
  }

  part("next").addEventListener("click", look);
  part("any").addEventListener("click", anything);
  part("restart").addEventListener("click", restart);
  field("move").addEventListener("change", look);
  field("dice")?.addEventListener("change", look);
  look();
}

if (form) attachPlan();
