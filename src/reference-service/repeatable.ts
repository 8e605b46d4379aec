import { createCipheriv, hash } from 'node:crypto';

/**
 * Figures that look random, but repeat for one seed and the same order of calls. So nothing secret
 * may be made from them.
 */
export interface Random {
  /** From 0 up to, but not including, 1. */
  unit(): number;
  /** A whole number between the two, or one of them. */
  integer(least: number, most: number): number;
  /** True with this probability, 0 to 1. */
  chance(probability: number): boolean;
  /**
   * One of the items.
   * @throws RangeError without items
   */
  pick<T>(items: readonly T[]): T;
  bytes(length: number): Buffer;
  /** A UUID as text. */
  uuid(): string;
}

/** A source of figures; one seed always gives equal figures. */
export function createRandom(seed: string): Random {
  const cipher = createCipheriv('aes-256-ctr', hash('sha256', seed, 'buffer'), Buffer.alloc(16));
  const zeros = Buffer.alloc(4096);
  let pool = Buffer.alloc(0);
  function bytes(length: number): Buffer {
    // One turn of the cipher makes thousands of figures.
    if (pool.length < length) pool = cipher.update(zeros);
    const taken = pool.subarray(0, length);
    pool = pool.subarray(length);
    return taken;
  }
  const unit = () => bytes(4).readUInt32LE() / 2 ** 32;
  const integer = (least: number, most: number) => least + Math.floor(unit() * (most - least + 1));
  return {
    unit,
    integer,
    chance: (probability: number) => unit() < probability,
    pick<T>(items: readonly T[]): T {
      const item = items[integer(0, items.length - 1)];
      if (item === undefined) throw new RangeError('there is nothing to pick from');
      return item;
    },
    bytes,
    uuid: () => toUuid(bytes(16), 4),
  };
}

/**
 * A UUID as text (of the kind that is made from a name by SHA-1). One path always gives one UUID.
 */
export function toStableId(...path: readonly string[]): string {
  return toUuid(hash('sha1', ['tributary', ...path].join('/'), 'buffer').subarray(0, 16), 5);
}

/** Makes 16 bytes a UUID, which changes some of their bits, and returns its text. */
function toUuid(bytes: Buffer, version: 4 | 5): string {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | (version << 4);
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
