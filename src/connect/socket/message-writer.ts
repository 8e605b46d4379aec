import { randomFillSync } from 'node:crypto';

/**
 * Writes binary messages to a WebSocket's line, beside what the WebSocket writes itself: both write
 * whole frames (RFC 6455). What is sent in one turn of the event loop goes to the line in one
 * piece, and is hidden word by word. The WebSocket would make a buffer of each message, hide it
 * byte by byte, and hand each to the stream.
 */
export interface MessageWriter {
  /** Writes it before this turn of the event loop ends; its bytes must stay as they are so long. */
  send(message: Buffer): void;
  /** Bytes that the line has not been given yet. */
  gatheredBytes(): number;
}

export interface MessageWriterOptions {
  readonly write: (bytes: Buffer) => void;
  /** A client hides what it sends by a new key for each message; a server does not. */
  readonly hides: boolean;
}

export function createMessageWriter({ write, hides }: MessageWriterOptions): MessageWriter {
  let messages: Buffer[] = [];
  let size = 0;
  const writeKey = createKeys();

  const flush = (): void => {
    const bytes = Buffer.allocUnsafeSlow(size);
    const words = new Int32Array(bytes.buffer, 0, size >> 2);
    let at = 0;
    for (const message of messages) {
      at = writeHead(bytes, at, { length: message.length, hides });
      if (hides) at = writeKey(bytes, at);
      message.copy(bytes, at);
      if (hides) hide({ bytes, words }, at, message.length);
      at += message.length;
    }
    messages = [];
    size = 0;
    write(bytes);
  };

  return {
    send(message) {
      if (message.length > longestMessage) throw new RangeError('a message above 65,535 bytes');
      if (messages.length === 0) process.nextTick(flush);
      messages.push(message);
      size += headLength(message.length) + (hides ? keyLength : 0) + message.length;
    },
    gatheredBytes: () => size,
  };
}

/** What a head with two bytes of length can say; the network's messages are far below it. */
const longestMessage = 0xffff;
/** The first byte has these 7 bits of length, or says that two bytes of it follow. */
const longestShort = 125;
const lengthFollows = 126;
const wholeBinaryMessage = 0x82;
const isHidden = 0x80;
const keyLength = 4;

function headLength(length: number): number {
  return length <= longestShort ? 2 : 4;
}

/** @returns where the head ends */
function writeHead(
  bytes: Buffer,
  at: number,
  of: { readonly length: number; readonly hides: boolean },
): number {
  const isShort = of.length <= longestShort;
  bytes[at] = wholeBinaryMessage;
  bytes[at + 1] = (isShort ? of.length : lengthFollows) | (of.hides ? isHidden : 0);
  if (isShort) return at + 2;
  bytes[at + 2] = of.length >> 8;
  bytes[at + 3] = of.length & 0xff;
  return at + 4;
}

/** Writes a key that nobody can guess, and gives where it ends. */
function createKeys(): (bytes: Buffer, at: number) => number {
  // Drawn for a thousand messages at once: a draw costs more than to write one.
  const drawn = Buffer.alloc(1024 * keyLength);
  let next = drawn.length;
  return (bytes, at) => {
    if (next === drawn.length) {
      randomFillSync(drawn);
      next = 0;
    }
    for (let index = 0; index < keyLength; index++) bytes[at + index] = drawn[next++] as number;
    return at + keyLength;
  };
}

/** Hides what follows the key, in place: words where there are whole ones, bytes around them. */
function hide(
  { bytes, words }: { readonly bytes: Buffer; readonly words: Int32Array },
  from: number,
  length: number,
): void {
  const to = from + length;
  const keyAt = from - keyLength;
  const keyByte = (at: number): number => bytes[keyAt + ((at - from) & 3)] as number;
  const hideBytes = (first: number, end: number): void => {
    for (let at = first; at < end; at++) bytes[at] = (bytes[at] as number) ^ keyByte(at);
  };
  const lastWord = to >> 2;
  const firstWord = Math.min((from + 3) >> 2, lastWord);
  const middle = firstWord * 4;
  hideBytes(from, middle);
  // A word of this machine's own order, from the four bytes of the key that belong to it.
  const word = new Int32Array(
    Uint8Array.of(keyByte(middle), keyByte(middle + 1), keyByte(middle + 2), keyByte(middle + 3))
      .buffer,
  )[0] as number;
  for (let at = firstWord; at < lastWord; at++) words[at] = (words[at] as number) ^ word;
  hideBytes(Math.max(from, lastWord * 4), to);
}
