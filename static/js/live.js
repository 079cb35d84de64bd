// News as they happen: told by the stream, asked for now and then where there is none.
//
// <div data-live data-stream="…" data-every="10" data-known="7:3,9:12" hx-get="…" hx-trigger="news">
// asks when it hears of a ply that it does not know, and every so many seconds without a stream.

const WITH_STREAM_S = 30;
const TRY_AGAIN_MS = 60_000;
const GATHER_MS = 50;

export function attachLive(find) {
  let source = null;
  let lastAsked = Date.now();
  let gathering = null;

  const isOpen = () => source?.readyState === EventSource.OPEN;

  function ask() {
    gathering = null;
    lastAsked = Date.now();
    if (find()?.hasAttribute("hx-get")) htmx.trigger(find(), "news");
  }

  function hear(event) {
    const { game, ply } = JSON.parse(event.data);
    const known = (find()?.dataset.known ?? "").split(",");
    const wanted = event.type === "end" ? `${game}:end` : `${game}:${ply}`;
    if (!known.includes(wanted)) gathering ??= setTimeout(ask, GATHER_MS);
  }

  // A stream that never opened is closed for good; one that broke off comes again by itself.
  function open() {
    const address = find()?.dataset.stream;
    if (!address || document.hidden || source) return;
    source = new EventSource(address, { withCredentials: true });
    let hasOpened = false;
    source.addEventListener("open", () => (hasOpened = true));
    for (const kind of ["game", "end", "turn"]) source.addEventListener(kind, hear);
    source.addEventListener("error", () => {
      if (hasOpened && source?.readyState !== EventSource.CLOSED) return;
      close();
      setTimeout(open, TRY_AGAIN_MS);
    });
  }

  function close() {
    source?.close();
    source = null;
  }

  function askIfItIsTime() {
    const every = Number(find()?.dataset.every ?? 60);
    const seconds = isOpen() || document.hidden ? Math.max(every, WITH_STREAM_S) : every;
    if (Date.now() - lastAsked >= seconds * 1000) ask();
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return close();
    open();
    ask();
  });
  addEventListener("pagehide", close);
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    open();
    ask();
  });
  open();
  setInterval(askIfItIsTime, 1000);
}
