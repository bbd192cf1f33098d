// How are numbers, names and parts of the page written?
//
// Text is only set as text, never as HTML.
"use strict";

// A longer name of a row or a column takes several lines.
const LONG_NAME = 30;
const DARK = matchMedia("(prefers-color-scheme: dark)");
const NARROW = matchMedia("(max-width: 40rem)"); // as in the style
const byId = (id) => document.getElementById(id);

// Infinities travel as text.
const number = (value) => (typeof value === "number" ? value : value === "inf" ? Infinity : -Infinity);

function percent(share, digits = 2) {
  if (Number.isNaN(share)) return "–";
  const text = (100 * share).toFixed(digits);
  // A share below 1 is never shown as 100%, and one above 0 never as 0%.
  if (share < 1 && Number(text) >= 100) return `> ${(100 - 10 ** -digits).toFixed(digits)}%`;
  if (share > 0 && Number(text) === 0) return `< ${(10 ** -digits).toFixed(digits)}%`;
  return `${text}%`;
}

// One formatter for all: making one takes longer than writing a number.
const COUNT = new Intl.NumberFormat("en-GB");
const count = (value) => COUNT.format(value);

// A share on an axis, without zeros at its end.
const percentTick = (share) => `${Number((100 * share).toFixed(3))}%`;

// Four significant digits, as on the terminal.
function decimal(value) {
  if (value === Infinity) return "∞";
  if (value === -Infinity) return "−∞";
  const size = Math.abs(value);
  const text = size !== 0 && (size < 1e-3 || size >= 1e6) ? value.toExponential(3) : value.toPrecision(4);
  return text.replace("-", "−");
}

// A value of a feature as it was given: whole numbers whole, others with four significant digits.
function shortValue(value) {
  if (Number.isInteger(value)) return String(value).replace("-", "−");
  return (Math.abs(value) >= 1e4 ? String(Math.round(value)) : String(Number(value.toPrecision(4)))).replace("-", "−");
}

// Plotly reads some HTML in its texts: names must not look like it.
const plain = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

// Leave out the middle of a long text: names often differ at their ends.
function short(text, most = 36) {
  const half = Math.floor(most / 2);
  return text.length <= most ? text : `${text.slice(0, half)}…${text.slice(1 - half)}`;
}

function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

// Write a rounded number, and the exact one as an attribute.
function write(target, text, value) {
  if (target.dataset.value === String(value) && target.firstChild) return;
  target.textContent = text;
  target.dataset.value = String(value);
}

function heading(text, scope) {
  const made = element("th", text, text.length > LONG_NAME ? "long-name" : "");
  made.scope = scope;
  return made;
}

function download(name, type, text) {
  const link = element("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function decompress(id) {
  const letters = atob(byId(id).textContent);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

