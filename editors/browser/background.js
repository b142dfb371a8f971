// Injects the checker into the tab whose button was pressed, and passes its texts to the server.

import { check } from "./server.js";

const api = globalThis.browser ?? globalThis.chrome;

api.action.onClicked.addListener(async (tab) => {
  const target = { tabId: tab.id };
  await api.scripting.insertCSS({ target, files: ["marks.css"] });
  await api.scripting.executeScript({ target, files: ["passage.js", "panel.js", "content.js"] });
});

// Web pages cannot send messages here: the manifest names none in externally_connectable.
api.runtime.onMessage.addListener((message, sender, respond) => {
  if (sender.id !== api.runtime.id || typeof message?.check !== "string") return false;
  Promise.resolve(message.check)
    .then(check)
    .then((report) => respond({ report }))
    .catch((error) => respond({ error: error.message }));
  return true;
});

api.runtime.onInstalled.addListener(({ reason }) => {
  if (reason === "install") api.runtime.openOptionsPage();
});
