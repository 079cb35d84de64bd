// The boards to try moves on: each gets a picker, again after every move.

import { attachPicker } from "./picker.js";

function attach(trial) {
  trial.dataset.attached = "";
  const field = trial.querySelector("[data-picker-text]");
  if (!field) return;
  attachPicker(trial, {
    choices: JSON.parse(trial.querySelector("script[type='application/json']").textContent),
    more: (prefix) => fetchMore(trial, prefix),
    write: (text) => (field.value = text),
  });
}

async function fetchMore(trial, prefix) {
  const state = trial.querySelector("[name=state]").value;
  const query = new URLSearchParams({ state, prefix });
  const answer = await fetch(`${trial.dataset.choices}?${query}`);
  if (!answer.ok) throw new Error(answer.statusText);
  return answer.json();
}

function attachAll() {
  for (const trial of document.querySelectorAll("[data-trial]:not([data-attached])")) attach(trial);
}

// A part of the page that is replaced is not read out; one that stays and changes is.
function tell() {
  const says = document.querySelector("[data-trial-says]");
  const story = document.querySelector("[data-trial-story]");
  if (says && story) says.textContent = story.innerText;
}

attachAll();
document.addEventListener("htmx:afterSettle", () => {
  attachAll();
  tell();
});
