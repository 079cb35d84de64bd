// Keys for the links that say which ([data-key]), and the way back; whoever is writing or picking keeps his own.

const BUSY = "input, textarea, select, [contenteditable], [data-picker-board] [tabindex]";

export function attachKeys(root = document) {
  root.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest(BUSY)) return;
    const link = root.querySelector(`a[data-key="${CSS.escape(event.key)}"]`);
    if (!link) return;
    event.preventDefault();
    link.click();
  });
}

// A page kept by htmx would come back without what the scripts had attached to it.
export function goBackByLoading() {
  htmx.config.historyCacheSize = 0;
  htmx.config.refreshOnHistoryMiss = true;
}
