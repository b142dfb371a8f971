// How the text is judged: the profile, and whether quotations are checked. Kept in this browser for the next text.

import { profileOf, profiles } from "./api.js";
import { byId, el } from "./dom.js";

const KEPT = "unslant-settings";
const AUTO = "auto";
// The server looks at no more of a long text to choose its profile.
const SAMPLE = 20_000;

export class Settings extends EventTarget {
  /** Emits `change` when a text is to be judged differently. */
  constructor() {
    super();
    this.profile = AUTO;
    this.quotations = false;
    /** The profile that the server chose for the text as a whole. */
    this.detected = null;
    this.titles = new Map();
    try {
      const { profile = AUTO, quotations = false } = JSON.parse(localStorage.getItem(KEPT)) ?? {};
      Object.assign(this, { profile, quotations });
    } catch {
      // What was kept cannot be read; the settings are as at the first visit.
    }
    byId("profile").addEventListener("change", (event) => this.#set({ profile: event.target.value }));
    byId("quotations").addEventListener("change", (event) => this.#set({ quotations: event.target.checked }));
    this.#show();
  }

  /** Fetch the names of the profiles. */
  async load() {
    if (this.titles.size) return;
    try {
      for (const { name, title } of (await profiles()).profiles) this.titles.set(name, title);
    } catch {
      return; // The server may want a token first; then this is called again.
    }
    if (this.profile !== AUTO && !this.titles.has(this.profile)) this.profile = AUTO;
    this.#show();
  }

  /** Ask which profile the whole text gets, because the parts of it that are sent must not be judged by several. */
  async detect(text, format) {
    const sample = text.slice(0, SAMPLE);
    const key = `${format}\n${sample}`;
    if (this.profile !== AUTO || !sample.trim() || key === this.asked) return;
    this.asked = key;
    let found;
    try {
      found = (await profileOf(sample, format)).profile;
    } catch {
      this.asked = null;
      return; // The check itself tells the writer what is wrong.
    }
    if (this.asked !== key || found === this.detected) return;
    this.detected = found;
    this.#show();
    this.dispatchEvent(new Event("change"));
  }

  /** What a request says. */
  get sent() {
    const profile = this.profile === AUTO ? this.detected : this.profile;
    return { ...(profile && { profile }), ...(this.quotations && { quotations: true }) };
  }

  #set(values) {
    Object.assign(this, values);
    localStorage.setItem(KEPT, JSON.stringify({ profile: this.profile, quotations: this.quotations }));
    this.#show();
    this.dispatchEvent(new Event("change"));
  }

  #show() {
    const now = this.titles.get(this.detected);
    const auto = el("option", { value: AUTO }, now ? `By the text: ${now}` : "By the text");
    byId("profile").replaceChildren(auto, ...[...this.titles].map(([name, title]) => el("option", { value: name }, title)));
    byId("profile").value = this.titles.has(this.profile) ? this.profile : AUTO;
    byId("quotations").checked = this.quotations;
  }
}
