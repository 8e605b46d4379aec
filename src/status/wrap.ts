import { toPlainText } from '../lib/plain-text.ts';

export interface WrapOptions {
  readonly width: number;
  /** Text before the first line; the other lines begin with as many blanks. */
  readonly first: string;
}

/**
 * Breaks text at blanks; a word that is too long for a line is broken anywhere. Control characters
 * become `?`.
 */
export function wrapText(text: string, options: WrapOptions): readonly string[] {
  return wrapPhrases(text.split(/\s/), options);
}

/** Breaks text between phrases, and inside a phrase only where it is too long for a line. */
export function wrapPhrases(phrases: readonly string[], options: WrapOptions): readonly string[] {
  const room = options.width - options.first.length;
  const lines: string[] = [];
  for (const piece of phrases.flatMap((phrase) => splitPhrase(toPlainText(phrase), room))) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + piece.length <= room)
      lines[lines.length - 1] = `${last} ${piece}`;
    else lines.push(piece);
  }
  const rest = ' '.repeat(options.first.length);
  return (lines.length === 0 ? [''] : lines).map((line, index) =>
    `${index === 0 ? options.first : rest}${line}`.trimEnd(),
  );
}

function splitPhrase(phrase: string, room: number): readonly string[] {
  if (phrase === '') return [];
  if (phrase.length <= room) return [phrase];
  return phrase.split(' ').flatMap((word) => word.match(new RegExp(`.{1,${room}}`, 'gs')) ?? []);
}
