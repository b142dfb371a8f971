// Stores the address and the token, and tries them.

import { connect, saveSettings, settings } from "./server.js";

const byId = (name) => document.getElementById(name);

settings().then(({ address, token }) => {
  byId("address").value = address;
  byId("token").value = token;
});

byId("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  byId("state").textContent = "Connecting…";
  try {
    await saveSettings(byId("address").value, byId("token").value);
    await connect();
    byId("state").textContent = "Connected. Press the button of the extension on any page to check it.";
  } catch (error) {
    byId("state").textContent = error.message;
  }
});
