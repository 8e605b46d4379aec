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
 * Edits between what was typed and the name, both comparable: 0 where it is the name or begins a word of it. The
 * beginning of a longer name counts as a name.
 */
export function measureDistance(typed: string, name: string): number {
  if (` ${name}`.includes(` ${typed}`)) return 0;
  return Math.min(countEdits(typed, name), countEdits(typed, name.slice(0, typed.length)));
}

/** True where a phrase is the name but for a slip: an edit for every four letters, two at most, never in the first. */
export function isNearly(phrase: string, name: string): boolean {
  if (phrase === name) return true;
  if (name.length < shortestWithSlips || phrase[0] !== name[0]) return false;
  return countEdits(phrase, name) <= Math.min(2, Math.floor(name.length / 4));
}
