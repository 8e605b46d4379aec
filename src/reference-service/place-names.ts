import { countEdits } from '../lib/edit-distance.ts';

/** One edit makes another word of a shorter name. */
const shortestWithSlips = 5;

/** A name or a text as names are compared: lower-case words with one space between, without accents and punctuation. */
export function toComparable(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/**
 * Edits between what was typed and the name, both comparable: 0 where it is the name or begins a word of it, undefined
 * where it takes more than `mostEdits`. The beginning of a longer name counts as a name.
 */
export function measureDistance(typed: string, name: string, mostEdits: number): number | undefined {
  if (` ${name}`.includes(` ${typed}`)) return 0;
  if (mostEdits < 1) return undefined;
  const beginning = name.slice(0, typed.length);
  const edits = Math.min(countEdits(typed, name, mostEdits), countEdits(typed, beginning, mostEdits));
  return edits <= mostEdits ? edits : undefined;
}

/** True where a phrase is the name but for a slip: an edit for every four letters, two at most, never in the first. */
export function isNearly(phrase: string, name: string): boolean {
  if (phrase === name) return true;
  if (name.length < shortestWithSlips || phrase[0] !== name[0]) return false;
  const mostEdits = Math.min(2, Math.floor(name.length / 4));
  return countEdits(phrase, name, mostEdits) <= mostEdits;
}
