import { WireError } from './wire-error.ts';

declare const isId: unique symbol;

/**
 * An id of the network: 16 bytes, as a string of 16 characters with one byte each. So it is the key
 * of a Map, and `<` compares it as the network does, byte by byte. It is not readable text: people
 * are shown `toUuid`.
 */
export type Id = string & { readonly [isId]: true };

export const idLength = 16;

export function toId(bytes: Buffer): Id {
  if (bytes.length !== idLength) throw new WireError('an id has not 16 bytes');
  return bytes.toString('latin1') as Id;
}

/** The bytes that an id stands for, in a buffer of their own. */
function toIdBytes(id: Id): Buffer {
  return Buffer.from(id, 'latin1');
}

/** The text form that people and HTTP headers use: a UUID in lower case. */
export function toUuid(id: Id): string {
  const hex = toIdBytes(id).toString('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)];
  return [...parts, hex.slice(20)].join('-');
}

/** Reads a UUID. @throws WireError for any other text. */
export function fromUuid(text: string): Id {
  if (!uuid.test(text)) throw new WireError('not a UUID');
  return toId(Buffer.from(text.replaceAll('-', ''), 'hex'));
}

/** When the maker of an id made it, in Unix ms by its own clock. */
export function toMadeAt(id: Id): number {
  return toIdBytes(id).readUIntBE(0, timeLength);
}

/** Random bytes, as `randomBytes` of `node:crypto` gives them; a test passes its own. */
export type RandomBytes = (length: number) => Buffer;

/**
 * Makes ids that grow with each call, whatever the clock does: a peer ignores a sequence whose id
 * is not above the last one that it saw. `largest` is the largest id of an earlier life, if it is
 * known; the new ones are above it. `next(wallMs)` takes the clock's Unix ms; `largest()` is what
 * to keep for the next life.
 */
export function createIdSource(of: {
  readonly randomBytes: RandomBytes;
  readonly largest?: Id | undefined;
}): IdSource {
  const last = of.largest === undefined ? Buffer.alloc(idLength) : toIdBytes(of.largest);
  const random = createRandomPool(of.randomBytes);
  return {
    next(wallMs) {
      const madeAt = Math.max(0, Math.floor(wallMs)) % 2 ** 48;
      if (madeAt > last.readUIntBE(0, timeLength)) {
        last.writeUIntBE(madeAt, 0, timeLength);
        for (let at = timeLength; at < idLength; at++) last[at] = random();
      } else add(last, 1 + random() * 2 ** 24 + (random() << 16) + (random() << 8) + random());
      return toId(last);
    },
    largest: () => (last.every((byte) => byte === 0) ? undefined : toId(last)),
  };
}

export interface IdSource {
  next(wallMs: number): Id;
  largest(): Id | undefined;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** The first 48 bits of an id are the time. */
const timeLength = 6;

/** Random bytes one by one, of one large draw: an id is made for each packet. */
function createRandomPool(randomBytes: RandomBytes): () => number {
  let pool: Buffer = Buffer.alloc(0);
  let used = 0;
  return () => {
    if (used === pool.length) {
      pool = randomBytes(poolLength);
      used = 0;
    }
    return pool[used++] as number;
  };
}

/** Where the clock does not go on, an id grows by up to 2^32. */
function add(id: Buffer, step: number): void {
  let carry = step;
  for (let at = idLength - 4; at >= 0 && carry > 0; at -= 4) {
    const sum = id.readUInt32BE(at) + carry;
    id.writeUInt32BE(sum % 2 ** 32, at);
    carry = Math.floor(sum / 2 ** 32);
  }
}

const poolLength = 4096;
