// Building and finding elements. Text only ever becomes a text node: nothing here parses markup.

/** Make an element; `properties` are DOM properties, except `data`, `aria` and `on`, which are maps. */
export function el(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name === "data") Object.assign(node.dataset, value);
    else if (name === "aria") for (const [key, said] of Object.entries(value)) node.setAttribute(`aria-${key}`, said);
    else if (name === "on") for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    else if (name in node) node[name] = value;
    else node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** The element with this id; a missing one is a mistake in the page, so it fails at once. */
export function byId(id) {
  const node = document.getElementById(id);
  if (!node) throw new Error(`the page has no #${id}`);
  return node;
}

/** Draw one of the icons of icons.svg. */
export function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const drawing = document.createElementNS(space, "svg");
  drawing.setAttribute("class", "icon");
  drawing.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(space, "use");
  use.setAttribute("href", `page/icons.svg#${name}`);
  drawing.append(use);
  return drawing;
}

/** Say something to screen readers, politely; saying the same twice in a row is heard twice. */
export function announce(message) {
  const region = byId("announcer");
  region.textContent = region.textContent === message ? `${message}\u00a0` : message;
}

/** Let the browser breathe: paint and take input before going on. */
export function breathe() {
  if (globalThis.scheduler?.yield) return globalThis.scheduler.yield();
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Wait until the browser has painted; where nothing is painted, as in a hidden tab, just a moment. */
export function nextFrame() {
  if (document.hidden) return breathe();
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
}

/** Run when there is nothing better to do. */
export function whenIdle(task) {
  if (globalThis.requestIdleCallback) requestIdleCallback(task, { timeout: 500 });
  else setTimeout(task, 50);
}

/** Call once things have been quiet for `wait` milliseconds; `now()` skips the wait, `stop()` forgets it. */
export function debounced(task, wait) {
  let timer = 0;
  const call = () => {
    clearTimeout(timer);
    timer = setTimeout(task, wait);
  };
  call.stop = () => clearTimeout(timer);
  call.now = () => {
    clearTimeout(timer);
    task();
  };
  return call;
}
