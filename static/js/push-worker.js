// Shows messages while no page is open, and opens the page that one is about.

self.addEventListener("push", (event) => {
  const { title, body, url, tag } = event.data.json();
  const icon = "/static/img/logo.svg";
  event.waitUntil(self.registration.showNotification(title, { body, tag, icon, data: { url } }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data.url));
});

async function open(url) {
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const page = pages.find((one) => one.url === url);
  return page ? page.focus() : self.clients.openWindow(url);
}
