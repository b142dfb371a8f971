// How the text is judged: the profile, whether quotations are checked, and the rules that are turned off. Kept in this browser for
// the next text.

import { about, profiles } from "./api.js";
import { byId, el } from "./dom.js";
import { ruleOf } from "./words.js";

const KEPT = "unslant-settings";
const AUTO = "auto";
// The server takes no longer text.
const LONGEST = 1_000_000;

export class Settings extends EventTarget {
  /** Emits `change` when a text is to be judged differently, `senses` when some of its words are, and `on` (an id) when a rule is turned on again. */
  constructor() {
    super();
    this.profile = AUTO;
    this.quotations = false;
    /** The profile that the server chose for the text as a whole. */
    this.detected = null;
    this.titles = new Map();
    /** The titles of the rules that are turned off, by id. */
    this.off = new Map();
    try {
      const { profile = AUTO, quotations = false, off = [] } = JSON.parse(localStorage.getItem(KEPT)) ?? {};
      Object.assign(this, { profile, quotations, off: new Map(off) });
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

  /** Ask what only the whole text says: its profile, and the words that it uses in a sense of its own. Its parts are judged by both. */
  async detect(text, format) {
    const key = `${format}\n${text}`;
    if (!text.trim() || key === this.asked) return;
    this.asked = key;
    let found;
    try {
      found = await about(text.slice(0, LONGEST), format);
    } catch {
      this.asked = null;
      return; // The check itself tells the writer what is wrong.
    }
    if (this.asked !== key) return;
    this.dispatchEvent(new CustomEvent("senses", { detail: found.senses }));
    if (found.profile === this.detected) return;
    this.detected = found.profile;
    this.#show();
    this.dispatchEvent(new Event("change"));
  }

  /** What a request says. */
  get sent() {
    return this.sentWith(this.detected);
  }

  /** What a request says about another text, for which the server would choose this profile. */
  sentWith(detected) {
    const profile = this.profile === AUTO ? detected : this.profile;
    return { ...(profile && { profile }), ...(this.quotations && { quotations: true }) };
  }

  /** Whether the rule of a finding is turned off. */
  isOff(finding) {
    return this.off.size > 0 && this.off.has(ruleOf(finding));
  }

  turnOff(finding, title) {
    this.off.set(ruleOf(finding), title);
    this.#set({});
  }

  turnOn(id) {
    if (!this.off.delete(id)) return;
    this.#set({});
    this.dispatchEvent(new CustomEvent("on", { detail: id }));
  }

  #set(values) {
    Object.assign(this, values);
    localStorage.setItem(KEPT, JSON.stringify({ profile: this.profile, quotations: this.quotations, off: [...this.off] }));
    this.#show();
    this.dispatchEvent(new Event("change"));
  }

  #show() {
    const now = this.titles.get(this.detected);
    const auto = el("option", { value: AUTO }, now ? `By the text: ${now}` : "By the text");
    byId("profile").replaceChildren(auto, ...[...this.titles].map(([name, title]) => el("option", { value: name }, title)));
    byId("profile").value = this.titles.has(this.profile) ? this.profile : AUTO;
    byId("quotations").checked = this.quotations;
    byId("rules-off").hidden = !this.off.size;
    const on = (id, title) => el("button", { type: "button", className: "quiet", aria: { label: `Turn on: ${title}` }, on: { click: () => this.turnOn(id) } }, "Turn on");
    byId("rules-off").querySelector("ul").replaceChildren(...[...this.off].map(([id, title]) => el("li", {}, el("span", {}, title), on(id, title))));
  }
}
