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
