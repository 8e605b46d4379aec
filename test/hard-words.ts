/** Words at which readers of pages and comments stopped and read again, with what to write. */
const hardWords: readonly (readonly [words: RegExp, instead: string])[] = [
  [/\banew\b/i, 'again'],
  [/\bwhoever\b/i, 'anyone who, or the person by name'],
  [/\bsomebody\b/i, 'name the person: the owner, another user, anyone'],
  [/\b(that|those) of\b/i, 'repeat the noun'],
  [/\bis none\b|\bthere is no(ne|t)\b/i, 'say what is missing'],
  [/\bstands?\b(?! for\b)/i, 'is, is up'],
  [/\bmends?\b/i, 'fix'],
  [/\bby itself\b/i, 'leave it out, or automatically'],
  [/\bas it was\b/i, 'unchanged, as before'],
  [/\bshall\b/i, 'must, or the present tense'],
];

/** Each kind of hard word in a text, with what to write: `"anew"; rather: again`. */
export function findHardWords(text: string): readonly string[] {
  return hardWords.flatMap(([words, instead]) => {
    const match = words.exec(text);
    return match === null ? [] : [`"${match[0]}"; rather: ${instead}`];
  });
}
