import { parseJson } from '../lib/parse-json.ts';
import { createGathered } from './gathered.ts';
import { createJsonScan } from './json-scan.ts';

/** A complete value: an item of the list, or another whole field. */
export interface Found {
  readonly isItem: boolean;
  readonly key: string;
  readonly value: unknown;
  readonly bytes: number;
  /** True for a value that was left out because it is larger than accepted. */
  readonly isTooLarge?: true;
}

/** Why reading stopped: the text is not JSON, or a key or number is larger than accepted. */
export type Fault = 'not-json' | 'too-large';

/** The largest text of one value, in bytes. */
export const itemLimitBytes = 1024 ** 2;
/** In the measure of `createJsonScan`. */
const mostWeightOfItem = 20_000;

/**
 * Which characters may come next in each place, and which place each leads to. Any other character
 * has to begin a value or key. Places that begin with `first-` may also end at once.
 */
const signs = {
  start: { '{': 'first-key' },
  'first-key': { '}': 'end' },
  key: {},
  colon: { ':': 'value' },
  value: {},
  'next-key': { ',': 'key', '}': 'end' },
  'first-item': { ']': 'next-key' },
  item: {},
  'next-item': { ',': 'item', ']': 'next-key' },
  end: {},
} as const;
type Place = keyof typeof signs;
const keyPlaces: readonly Place[] = ['first-key', 'key'];
const valuePlaces: readonly Place[] = ['value', 'first-item', 'item'];

const blank = /^[\t\n\r ]$/;
const byteOrderMark = [0xef, 0xbb, 0xbf];
/** Characters of numbers and of `true`, `false` and `null`. */
const scalar = /^[-+.\deEtrufalsn]$/;

/**
 * Reads a JSON object that arrives in pieces and has a list named `list`. It keeps nothing that it
 * has handed out. A value that is larger than accepted is skipped, in no more memory than others.
 */
export function createListReader(list: string) {
  const gathered = createGathered();
  const scan = createJsonScan(mostWeightOfItem);
  /** The kind of the value that has begun; undefined between values. */
  let kind: ReturnType<typeof findKind>;
  /** True while the rest of a value is skipped. */
  let isSkipping = false;
  let place: Place = 'start';
  let key = '';
  let found: Found[] = [];

  /**
   * The place after a character between values; undefined where a value begins, or where the
   * character is not allowed.
   */
  const takeSign = (letter: string): Place | undefined => {
    if (place === 'value' && letter === '[' && key === list) return 'first-item';
    const next = (signs[place] as Readonly<Record<string, Place>>)[letter];
    if (next === 'next-key') found.push({ isItem: false, key: list, value: [], bytes: 0 });
    return next;
  };
  const take = (whole: Pick<Found, 'value' | 'bytes' | 'isTooLarge'>): void => {
    if (keyPlaces.includes(place)) {
      key = String(whole.value);
      place = 'colon';
      return;
    }
    const isItem = place !== 'value';
    found.push({ isItem, key: isItem ? list : key, ...whole });
    place = isItem ? 'next-item' : 'next-key';
  };
  /** The index after what was understood of the rest. */
  const stepBetween = (chunk: Buffer, at: number): number | Fault => {
    const letter = letterAt(chunk, at);
    if (blank.test(letter) || (place === 'start' && byteOrderMark.includes(chunk[at] ?? 0)))
      return at + 1;
    const next = takeSign(letter);
    if (next !== undefined) {
      place = next;
      return at + 1;
    }
    const mayBegin = keyPlaces.includes(place) ? letter === '"' : valuePlaces.includes(place);
    kind = mayBegin ? findKind(letter) : undefined;
    return kind === undefined ? 'not-json' : at;
  };
  const stepInside = (chunk: Buffer, at: number): number | Fault => {
    const isNested = kind === 'nested';
    const end = isNested ? scan.follow(chunk, at) : skipScalar(chunk, at);
    const fault = gather(chunk.subarray(at, end));
    if (fault !== undefined) return fault;
    if (isNested ? !scan.isClosed() : end === chunk.length) return end;
    return finish() ?? end;
  };
  /** Keeps a piece of the value, or begins to skip it. */
  const gather = (piece: Buffer): Fault | undefined => {
    const isNested = kind === 'nested';
    if (!isSkipping) gathered.add(piece);
    if (gathered.length <= itemLimitBytes && !(isNested && scan.isTooMuch())) return undefined;
    if (!isNested || keyPlaces.includes(place)) return 'too-large';
    isSkipping = true;
    gathered.clear();
    return undefined;
  };
  /** Takes the value that has ended. */
  const finish = (): Fault | undefined => {
    kind = undefined;
    if (isSkipping) {
      isSkipping = false;
      take({ value: undefined, bytes: 0, isTooLarge: true });
      return undefined;
    }
    const bytes = gathered.length;
    const value = parseJson(gathered.take());
    if (value === undefined) return 'not-json';
    take({ value, bytes });
    return undefined;
  };
  return {
    /** The values that this piece completes, and what is wrong with what follows them. */
    read(chunk: Buffer): { readonly found: readonly Found[]; readonly fault: Fault | undefined } {
      found = [];
      let at: number | Fault = 0;
      while (typeof at === 'number' && at < chunk.length) {
        at = kind === undefined ? stepBetween(chunk, at) : stepInside(chunk, at);
      }
      return { found, fault: typeof at === 'number' ? undefined : at };
    },
    isEnded: () => place === 'end',
  };
}

/** undefined for a character that begins no value. */
function findKind(letter: string): 'nested' | 'scalar' | undefined {
  if ('"{['.includes(letter)) return 'nested';
  return scalar.test(letter) ? 'scalar' : undefined;
}

/** The index after the scalar. */
function skipScalar(chunk: Buffer, start: number): number {
  let end = start;
  while (end < chunk.length && scalar.test(letterAt(chunk, end))) end += 1;
  return end;
}

function letterAt(chunk: Buffer, index: number): string {
  return String.fromCharCode(chunk[index] ?? 0);
}
