// The page behind a letter's link: a picker on the board. Nothing is sent but by its buttons.

import { attachPicker } from "./picker.js";

const root = document.querySelector("[data-answer]");
const form = root.querySelector("[data-move]");
const choices = form?.querySelector("script[type='application/json']");

async function fetchMore(prefix) {
  const query = new URLSearchParams({ ply: form.elements.ply.value, prefix });
  const answer = await fetch(`${form.dataset.choices}?${query}`);
  if (!answer.ok) throw new Error(answer.statusText);
  return answer.json();
}

if (choices) {
  const field = form.querySelector("[data-picker-text]");
  attachPicker(root, {
    choices: JSON.parse(choices.textContent),
    more: fetchMore,
    write: (text, whole) => {
      field.value = text;
      form.querySelector("[data-confirm]").classList.toggle("is-ready", whole);
    },
  });
}
