// Texts from outside reach terminals, pages and logs. What cannot be seen in them can move the
// cursor, turn the writing round, hide a part or break a line. The mark that makes a sign an emoji
// (U+FE0F) is harmless, and stays.
const unseen = /(?!\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Text made safe to be shown: blanks in the place of line breaks, `?` of anything else that cannot
 * be seen.
 */
export function toPlainText(text: string): string {
  return text.replace(/\s/g, ' ').replace(unseen, '?');
}

/**
 * The value as JSON in which nothing is that cannot be seen: what a text holds of that is written
 * `\u009b`.
 */
export function toPlainJson(value: unknown, indent?: number): string {
  return escapeUnseen(JSON.stringify(value, undefined, indent) ?? 'null');
}

/** Writes what cannot be seen in JSON text as `\u009b`. Line breaks between the values are kept. */
export function escapeUnseen(json: string): string {
  // Of a sign, or of each half of a pair.
  const toEscape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return json.replace(unseen, (sign) =>
    sign === '\n' ? sign : sign.split('').map(toEscape).join(''),
  );
}
