import type { Id } from './id.ts';
import { idLength } from './id.ts';
import { WireError } from './wire-error.ts';

/** The four ways in which a field is written that the network uses; groups are refused. */
const varintKind = 0;
const fixed64Kind = 1;
const lengthKind = 2;
const fixed32Kind = 5;

/** 64 bits in sevens. A longer varint is not of this wire, and may never end. */
const longestVarint = 10;
/** Field numbers have 29 bits and their kind three. */
const largestTag = 0xffff_ffff;

/**
 * Reads the fields of one encoded message in the order in which they were written, without copying.
 * Call `next()` until it is false; after each true, `field` is the field's number, and one of the
 * readers gives its value. A field that nobody reads is skipped. It throws a WireError where the
 * bytes end early, and where a field has another kind than its reader expects.
 *
 * It goes into no message unasked: how deep messages nest is decided by the code that calls
 * `inner()`, not by the sender of the bytes.
 *
 * It is a class because one is made for each message of each packet, and closures would cost more.
 */
export class Scanner {
  field = 0;
  readonly #bytes: Buffer;
  readonly #limit: number;
  #at: number;
  #kind = varintKind;
  /** The value of a varint. */
  #value = 0;
  /** Where the value of a field with a length starts; it ends at `#at`. */
  #start = 0;

  constructor(bytes: Buffer, start = 0, limit = bytes.length) {
    this.#bytes = bytes;
    this.#at = start;
    this.#limit = limit;
  }

  next(): boolean {
    if (this.#at >= this.#limit) return false;
    const tag = this.#readVarint();
    if (tag > largestTag || tag < 8) throw new WireError('a field has an impossible number');
    this.#kind = tag & 7;
    this.field = tag >>> 3;
    if (this.#kind === varintKind) this.#value = this.#readVarint();
    else this.#skip(this.#readLength());
    return true;
  }

  /** A number of at most 53 bits: no field in use has a larger one. */
  integer(): number {
    this.#expect(varintKind);
    if (this.#value > Number.MAX_SAFE_INTEGER) throw new WireError('a number is too large');
    return this.#value;
  }

  flag(): boolean {
    this.#expect(varintKind);
    return this.#value !== 0;
  }

  /** A view of the bytes: to keep them longer than the message, copy them. */
  bytes(): Buffer {
    this.#expect(lengthKind);
    return this.#bytes.subarray(this.#start, this.#at);
  }

  id(): Id {
    this.#expect(lengthKind);
    if (this.#at - this.#start !== idLength) throw new WireError('an id has not 16 bytes');
    return this.#bytes.toString('latin1', this.#start, this.#at) as Id;
  }

  /** The message in this field, to be scanned in its turn. */
  inner(): Scanner {
    this.#expect(lengthKind);
    return new Scanner(this.#bytes, this.#start, this.#at);
  }

  #expect(kind: number): void {
    if (this.#kind !== kind) throw new WireError(`field ${this.field} is of another kind`);
  }

  #readLength(): number {
    if (this.#kind === lengthKind) return this.#readVarint();
    if (this.#kind === fixed64Kind) return 8;
    if (this.#kind === fixed32Kind) return 4;
    throw new WireError('a field is of an unknown kind');
  }

  #skip(length: number): void {
    if (length > this.#limit - this.#at) throw new WireError('a field ends after its message');
    this.#start = this.#at;
    this.#at += length;
  }

  #readVarint(): number {
    let value = 0;
    let scale = 1;
    for (let count = 0; count < longestVarint; count++) {
      if (this.#at >= this.#limit) throw new WireError('a number ends after its message');
      const byte = this.#bytes[this.#at++] as number;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
    throw new WireError('a number does not end');
  }
}
