import { attempt } from './attempt.ts';

/** The value of a JSON text; undefined where it is not JSON. */
export function parseJson(text: string): unknown {
  return attempt(() => JSON.parse(text));
}
