import { parseJson } from '../lib/parse-json.ts';
import { createGathered } from './gathered.ts';
import { createJsonScan } from './json-scan.ts';

/** A value that is complete: an item of the list, or another whole field. */
export interface Found {
  readonly isItem: boolean;
  readonly key: string;
  readonly value: unknown;
  /** Of its text. */
  readonly bytes: number;
}

/** Why nothing more is read: the text is not JSON, or one value of it is larger than is taken. */
export type Fault = 'not-json' | 'too-large';

/** The largest text of one value, in bytes. */
export const itemLimitBytes = 1024 ** 2;
/** As `createJsonScan` weighs it. */
const mostWeightOfItem = 20_000;

const blank = /^[\t\n\r ]$/;
/** The mark of the byte order is three more of them, each byte as one letter. */
const blankAtStart = /^[\t\n\r \u00ef\u00bb\u00bf]$/;
/** The letters and signs of numbers and of `true`, `false` and `null`. */
const scalar = /^[-+.\deEtrufalsn]$/;

/** A part of the reading: it yields where the text goes on in the next piece. */
type Reading<T> = Generator<undefined, T>;

/** Reads a JSON object that comes in pieces and holds a list named `list`; it keeps nothing of what it handed out. */
export function createListReader(list: string) {
  const gathered = createGathered();
  const scan = createJsonScan(mostWeightOfItem);
  let chunk: Buffer = Buffer.alloc(0);
  let at = 0;
  let found: Found[] = [];
  let fault: Fault | undefined;
  let isEnded = false;

  function* readObject(): Reading<void> {
    yield* peek(blankAtStart);
    yield* expect('{');
    if (!(yield* accept('}'))) {
      do yield* readField();
      while (yield* accept(','));
      yield* expect('}');
    }
    isEnded = true;
    yield* peek();
    yield* fail('not-json');
  }
  function* readField(): Reading<void> {
    if ((yield* peek()) !== '"') return yield* fail('not-json');
    const key = String((yield* readValue()).value);
    yield* expect(':');
    if (key !== list || !(yield* accept('['))) {
      const value = yield* readValue();
      found.push({ isItem: false, key, ...value });
      return;
    }
    if (!(yield* accept(']'))) {
      do {
        const item = yield* readValue();
        found.push({ isItem: true, key, ...item });
      } while (yield* accept(','));
      yield* expect(']');
    }
    found.push({ isItem: false, key, value: [], bytes: 0 });
  }
  function* readValue(): Reading<Pick<Found, 'value' | 'bytes'>> {
    const letter = yield* peek();
    const isNested = '"{['.includes(letter);
    if (!isNested && !scalar.test(letter)) return yield* fail('not-json');
    yield* gather(isNested ? followNested : followScalar);
    const bytes = gathered.length;
    const value = parseJson(gathered.take());
    return value === undefined ? yield* fail('not-json') : { value, bytes };
  }
  /** Puts the text of a value together, which `follow` goes along; it says whether that was all of it. */
  function* gather(follow: () => boolean): Reading<void> {
    for (let isWhole = false; !isWhole; ) {
      if (at === chunk.length) yield;
      const start = at;
      isWhole = follow();
      gathered.add(chunk.subarray(start, at));
      if (gathered.length > itemLimitBytes || scan.isTooMuch()) yield* fail('too-large');
    }
  }
  function followNested(): boolean {
    at = scan.follow(chunk, at);
    return scan.isClosed();
  }
  function followScalar(): boolean {
    while (scalar.test(letterAt(chunk, at))) at += 1;
    return at < chunk.length;
  }
  /** The next letter that is not blank; it stays. */
  function* peek(passed = blank): Reading<string> {
    for (;;) {
      while (passed.test(letterAt(chunk, at))) at += 1;
      if (at < chunk.length) return letterAt(chunk, at);
      yield;
    }
  }
  /** True where the next letter is this one, which is taken then. */
  function* accept(letter: string): Reading<boolean> {
    const isNext = (yield* peek()) === letter;
    if (isNext) at += 1;
    return isNext;
  }
  function* expect(letter: string): Reading<void> {
    if (!(yield* accept(letter))) yield* fail('not-json');
  }
  /** Nothing more is read. */
  function* fail(why: Fault): Reading<never> {
    fault = why;
    for (;;) yield;
  }

  const reading = readObject();
  return {
    /** What is complete with this piece, and what is wrong with what follows it. */
    read(piece: Buffer): { readonly found: readonly Found[]; readonly fault: Fault | undefined } {
      [chunk, at, found] = [piece, 0, []];
      reading.next();
      return { found, fault };
    },
    /** True once the object is whole. */
    isEnded: () => isEnded,
  };
}

/** '' behind the last. */
function letterAt(chunk: Buffer, index: number): string {
  const byte = chunk[index];
  return byte === undefined ? '' : String.fromCharCode(byte);
}
