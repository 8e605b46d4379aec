import { type Dialect, toWireList } from './dialect.ts';

/** A list in parts, each made when it is asked for: thousands of rows are never held at once. */
export type Pages<Item> = Iterable<readonly Item[]>;

/** The pages as this dialect writes them. Whether there is anything is found out now: an empty list may be null. */
export function toWirePages<Item>(dialect: Dialect, pages: Pages<Item>): Pages<Item> | Item[] | null {
  const rest = Iterator.from(pages);
  const first = rest.next();
  if (first.done === true) return toWireList<Item>(dialect, []);
  return startWith(first.value, rest);
}

/** True for what is no value of JSON but a list in pages. */
export function isPages(value: unknown): value is Pages<unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Symbol.iterator in value;
}

function* startWith<Item>(first: readonly Item[], rest: Pages<Item>) {
  yield first;
  yield* rest;
}
