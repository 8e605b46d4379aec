import type { Id } from './id.ts';
import { idLength } from './id.ts';

/** Room that is asked for where the caller names none: most messages besides packets fit. */
const usualSize = 256;
/** A field's number and a length, each in at most five bytes. */
const longestHeader = 10;

/**
 * Writes one message **from its end to its start**: a message's length comes before its content,
 * and written backwards it is known when its turn comes, so nothing is measured or moved. Callers
 * write the field with the highest number first, and of a repeated field the last value first; the
 * bytes then are in ascending order. Values that are absent, 0 or empty are not written, as proto3
 * wants it.
 *
 * A message within the message: `const end = encoder.mark()`, its fields, `encoder.wrap(field,
 * end)`. `finish()` gives the bytes; the encoder is not used again. Made with a buffer, it writes
 * into that while there is room: the bytes are valid until that is written to again.
 */
export class Encoder {
  #bytes: Buffer;
  /** Where the last written byte is; everything before it is free. */
  #at: number;

  constructor(room: number | Buffer = usualSize) {
    this.#bytes = typeof room === 'number' ? Buffer.allocUnsafe(room) : room;
    this.#at = this.#bytes.length;
  }

  integer(field: number, value: number | undefined): void {
    if (value) this.present(field, value);
  }

  /** A number of a field whose presence says something: 0 is written too. */
  present(field: number, value: number): void {
    this.#varint(value);
    this.#varint(field * 8);
  }

  bytes(field: number, value: Uint8Array | undefined): void {
    if (value === undefined || value.length === 0) return;
    this.#reserve(value.length);
    this.#at -= value.length;
    this.#bytes.set(value, this.#at);
    this.#header(field, value.length);
  }

  /** Bytes that the caller fills in before anything else is written. */
  hole(field: number, length: number): Buffer {
    // Also for the header: a later reserve would move everything away from under the caller.
    this.#reserve(length + longestHeader);
    this.#at -= length;
    const bytes = this.#bytes.subarray(this.#at, this.#at + length);
    this.#header(field, length);
    return bytes;
  }

  id(field: number, id: Id | undefined): void {
    if (id === undefined) return;
    this.#reserve(idLength);
    this.#at -= idLength;
    // Sixteen bytes are written sooner than a call of Node's own code begins.
    for (let at = 0; at < idLength; at++) this.#bytes[this.#at + at] = id.charCodeAt(at);
    this.#header(field, idLength);
  }

  mark(): number {
    return this.#bytes.length - this.#at;
  }

  /** Makes a message of what was written since the mark, also where that is nothing. */
  wrap(field: number, mark: number): void {
    this.#header(field, this.mark() - mark);
  }

  finish(): Buffer {
    return this.#bytes.subarray(this.#at);
  }

  #header(field: number, length: number): void {
    this.#varint(length);
    this.#varint(field * 8 + 2);
  }

  #varint(value: number): void {
    // Nearly all of them: numbers of fields, and lengths below 128.
    if (value < 0x80 && this.#at > 0) {
      this.#bytes[--this.#at] = value;
      return;
    }
    const size = sizeOf(value);
    this.#reserve(size);
    this.#at -= size;
    let at = this.#at;
    let rest = value;
    // Up to 31 bits by shifts, which are quick; what is above them by division.
    for (; rest > 0x7fff_ffff; rest = Math.floor(rest / 128))
      this.#bytes[at++] = (rest % 128) | 0x80;
    for (; rest > 0x7f; rest >>>= 7) this.#bytes[at++] = (rest & 0x7f) | 0x80;
    this.#bytes[at] = rest;
  }

  #reserve(size: number): void {
    if (size <= this.#at) return;
    const written = this.mark();
    const larger = Buffer.allocUnsafe(2 * this.#bytes.length + size);
    this.#bytes.copy(larger, larger.length - written, this.#at);
    this.#at = larger.length - written;
    this.#bytes = larger;
  }
}

function sizeOf(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++;
  return size;
}
