// The analysis board: a picker after every step, a key to take back, each step read out.

import { attachKeys, goBackByLoading } from "./keys.js";
import { attachPicker } from "./picker.js";

function attach() {
  const root = document.querySelector("[data-analysis]:not([data-attached])");
  if (!root) return;
  root.dataset.attached = "";
  const field = root.querySelector("[data-picker-text]");
  if (!field) return;
  attachPicker(root, {
    choices: JSON.parse(root.querySelector("script[type='application/json']").textContent),
    more: (prefix) => fetchMore(root, prefix),
    write: (text) => (field.value = text),
    settle: (text) => {
      if (field.value === text) field.form.requestSubmit();
    },
  });
}

async function fetchMore(root, prefix) {
  const form = root.querySelector("form");
  const query = new URLSearchParams({
    ply: form.elements.ply.value,
    line: form.elements.line.value,
    prefix,
  });
  const answer = await fetch(`${root.dataset.choices}?${query}`);
  if (!answer.ok) throw new Error(answer.statusText);
  return answer.json();
}

function tell() {
  const story = document.querySelector("[data-analysis-story]");
  document.querySelector("[data-analysis-says]").textContent = story.innerText;
}

goBackByLoading();
attach();
attachKeys();
document.addEventListener("htmx:afterSettle", () => {
  attach();
  tell();
});
// A refused move comes as a page of its own, which is shown all the same.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.xhr.status === 422) event.detail.shouldSwap = true;
});
