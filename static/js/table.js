// The page of a game: a picker on the board, keys for the replay, news read out as they come.

import { attachKeys, goBackByLoading } from "./keys.js";
import { attachLive } from "./live.js";
import { attachPicker } from "./picker.js";
import { attachReplay } from "./replay.js";

const SENT_FOR_MS = 5000;

const table = document.querySelector("[data-table]");

function attachMove() {
  const form = table.querySelector("[data-move]:not([data-attached])");
  const choices = form?.querySelector("script[type='application/json']");
  if (!choices) return;
  form.dataset.attached = "";
  const field = form.querySelector("[data-picker-text]");
  attachPicker(table, {
    choices: JSON.parse(choices.textContent),
    more: (prefix) => fetchMore(form, prefix),
    write: (text, whole) => {
      field.value = text;
      form.querySelector("[data-confirm]").classList.toggle("is-ready", whole);
      form.querySelector("[data-picker-ready]").hidden = !whole;
    },
    settle: (text) => {
      if ("playsAtOnce" in form.dataset && field.value === text) form.requestSubmit();
    },
  });
}

async function fetchMore(form, prefix) {
  const query = new URLSearchParams({ ply: form.elements.ply.value, prefix });
  const answer = await fetch(`${form.dataset.choices}?${query}`);
  if (!answer.ok) throw new Error(answer.statusText);
  return answer.json();
}

// A part of the page that is replaced is not read out; one that stays and changes is.
const storyNow = () =>
  [...table.querySelectorAll("#table-board .alert, [data-table-story]")]
    .map((part) => part.innerText)
    .join(" ");
let told = storyNow();
function tell() {
  const story = storyNow();
  if (story !== told) document.querySelector("[data-table-says]").textContent = story;
  told = story;
}

function showCurrentLine() {
  const list = table.querySelector(".moves");
  const current = list?.querySelector("[aria-current]");
  if (current) list.scrollTop = current.offsetTop - list.clientHeight / 2;
}

// Whoever was at the board when it was replaced goes on from there.
let wasAtTheBoard = false;
function keepFocus() {
  if (!wasAtTheBoard || document.activeElement !== document.body) return;
  const board = table.querySelector("[data-picker-board]");
  board.tabIndex = -1;
  board.focus({ preventScroll: true });
}

function refresh() {
  attachMove();
  keepFocus();
  showCurrentLine();
  tell();
}

// A second click must not say or do it twice; if nothing comes of the first, it may be tried again.
function sendOnce(event) {
  if ("sent" in event.target.dataset) event.preventDefault();
  event.target.dataset.sent = "";
  setTimeout(() => delete event.target.dataset.sent, SENT_FOR_MS);
}

// An answer to a move that is no part of this page is shown as the page that it is.
function takeAnswer(event) {
  const { elt, xhr } = event.detail;
  if (!elt.matches?.("[data-move]")) return;
  event.detail.shouldSwap = xhr.responseText.includes('id="table-move"');
  if (!event.detail.shouldSwap) elt.submit();
}

const chat = table.querySelector(".chat");
if (chat) chat.scrollTop = chat.scrollHeight;
goBackByLoading();
refresh();
attachReplay(document);
attachKeys();
attachLive(() => document.getElementById("table-listen"));
table.addEventListener("submit", sendOnce);
document.addEventListener("focusin", (event) => {
  wasAtTheBoard = Boolean(event.target.closest("#table-board, #table-move"));
});
document.addEventListener("htmx:beforeSwap", takeAnswer);
document.addEventListener("htmx:sendError", (event) => {
  if (event.detail.elt.matches("[data-move]")) event.detail.elt.submit();
});
// Not before: until it has settled, what is new still has the classes of what it replaced.
document.addEventListener("htmx:afterSettle", refresh);
