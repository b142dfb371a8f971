// Creates and finds elements. Text is only ever inserted as text nodes; nothing here parses markup.

/** Create an element; `properties` are DOM properties, except `data`, `aria` and `on`, which are maps. */
export function el(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name === "data") Object.assign(node.dataset, value);
    else if (name === "aria") for (const [key, text] of Object.entries(value)) node.setAttribute(`aria-${key}`, text);
    else if (name === "on") for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    else if (name in node) node[name] = value;
    else node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** The element with this id; throws if it is missing, which is a bug in the page. */
export function byId(id) {
  const node = document.getElementById(id);
  if (!node) throw new Error(`the page has no #${id}`);
  return node;
}

/** Create one of the icons in icons.svg. */
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

/** Announce a message to screen readers; a repeated message is announced again. */
export function announce(message) {
  const region = byId("announcer");
  region.textContent = region.textContent === message ? `${message}\u00a0` : message;
}

/** Yield to the browser, so that it can paint and handle input. */
export function breathe() {
  if (globalThis.scheduler?.yield) return globalThis.scheduler.yield();
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Wait until the browser has painted, or a moment if it does not paint, as in a hidden tab. */
export function nextFrame() {
  if (document.hidden) return breathe();
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
}

/** Run when the browser is idle. */
export function whenIdle(task) {
  if (globalThis.requestIdleCallback) requestIdleCallback(task, { timeout: 500 });
  else setTimeout(task, 50);
}

/** Debounce: call after `wait` milliseconds without another call; `now()` skips the wait, `stop()` cancels it. */
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
