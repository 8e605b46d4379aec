// Texts from outside reach terminals, pages and logs. Characters that cannot be seen can move the
// cursor, reverse the writing, hide a part or break a line. U+FE0F, which makes a character an
// emoji, is harmless and stays.
const unseen = /(?!\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Makes text safe to show: line breaks become blanks, anything else that cannot be seen becomes
 * `?`.
 */
export function toPlainText(text: string): string {
  return text.replace(/\s/g, ' ').replace(unseen, '?');
}

/**
 * A copy of the value in which every text, names of fields too, is safe to show; see `toPlainText`.
 */
export function toPlainValue<T>(value: T): T {
  return clean(value) as T;
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') return toPlainText(value);
  if (Array.isArray(value)) return value.map(clean);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [toPlainText(name), clean(inner)]),
  );
}

/** A date or another object with a class has no text of its own that is shown. */
function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const parent: unknown = Object.getPrototypeOf(value);
  return parent === Object.prototype || parent === null;
}

/** Begins every order to a terminal. */
const escapeSign = '\u001b';

/**
 * Text on several lines, as commands write it, in which nothing can move a terminal's cursor or
 * hide a part: line breaks, tabs and colours stay, anything else that cannot be seen becomes `?`.
 */
export function toPlainLines(text: string): string {
  // The colours that `paint` writes, and the end of each, are the only orders that a command's text
  // may hold. The lines of CSV end in two signs.
  const meant = new RegExp(`(${escapeSign}\\[3[1239]m|\\r?\\n|\\t)`);
  return text
    .split(meant)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(unseen, '?')))
    .join('');
}

/** The value as JSON without characters that cannot be seen: they are written as `\u009b`. */
export function toPlainJson(value: unknown, indent?: number): string {
  return escapeUnseen(JSON.stringify(value, undefined, indent) ?? 'null');
}

/** Writes what cannot be seen in JSON text as `\u009b`. Line breaks between the values are kept. */
export function escapeUnseen(json: string): string {
  // Writes a character, or each half of a surrogate pair, as an escape.
  const toEscape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return json.replace(unseen, (sign) =>
    sign === '\n' ? sign : sign.split('').map(toEscape).join(''),
  );
}
