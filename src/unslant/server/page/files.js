// Reads files that are opened or dropped.

import { byId } from "./dom.js";

export const MOST = 5_000_000;

/** Whether the server reads the file. */
export const isOffice = (name) => /\.(docx|odt)$/i.test(name);

export const tooLarge = (file) => `“${file.name}” is larger than 5 MB. Could it be read in parts?`;

const BINARY = { pdf: "a PDF", doc: "a Word document", rtf: "an RTF document", epub: "an e-book", pages: "a Pages document", png: "a picture", jpg: "a picture", jpeg: "a picture", zip: "an archive" };

/** The text of a file; throws an error with a message for the writer. */
export async function textOf(file) {
  if (file.size > MOST) throw new Error(tooLarge(file));
  const kind = BINARY[file.name.toLowerCase().match(/\.([a-z0-9]+)$/)?.[1]];
  if (kind) throw new Error(`“${file.name}” is ${kind}, which this page cannot read. Copy its text and paste it here, or save it as plain text.`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  const text = decoded(bytes);
  if (text.includes("\0") || text.startsWith("%PDF-")) throw new Error(`“${file.name}” does not look like a text file. Save it as plain text and try again.`);
  return text.replace(/\r\n?/g, "\n");
}

function decoded(bytes) {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** Accept files from the button and by dropping; `take(file, target)` gets each with the element it was dropped on. */
export function takeFiles(take) {
  const input = byId("file");
  byId("open").addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    if (input.files[0]) take(input.files[0], null);
    input.value = "";
  });
  const curtain = byId("drop");
  const holds = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  addEventListener("dragover", (event) => {
    if (!holds(event)) return;
    event.preventDefault();
    curtain.hidden = false;
  });
  addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) curtain.hidden = true;
  });
  addEventListener("drop", (event) => {
    curtain.hidden = true;
    if (!holds(event)) return;
    event.preventDefault();
    const under = document.elementsFromPoint(event.clientX, event.clientY).find((node) => node.localName === "textarea");
    if (event.dataTransfer.files[0]) take(event.dataTransfer.files[0], under ?? null);
  });
}

/** Download a file. */
export function save(name, type, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
