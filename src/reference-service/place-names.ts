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
 * Edits between what was typed and the nearest of the names, all comparable: 0 where it is one or begins a word of
 * one; undefined where it takes more than `mostEdits`. The beginning of a longer name counts as a name.
 */
export function toMatchDistance(typed: string, names: readonly string[], mostEdits: number): number | undefined {
  if (typed === '') return undefined;
  const edits = Math.min(...names.map((name) => toEdits(typed, name)));
  return edits <= mostEdits ? edits : undefined;
}

function toEdits(typed: string, name: string): number {
  if (` ${name}`.includes(` ${typed}`)) return 0;
  return Math.min(countEdits(typed, name), countEdits(typed, name.slice(0, typed.length)));
}

/** True where a phrase is the name but for a slip: an edit for every four letters, two at most, never in the first. */
export function isNearly(phrase: string, name: string): boolean {
  if (phrase === name) return true;
  if (name.length < shortestWithSlips || phrase[0] !== name[0]) return false;
  return countEdits(phrase, name) <= Math.min(2, Math.floor(name.length / 4));
}
