// Replaces node:http2 in the bundle: undici loads it, and it costs memory that nothing here uses.
export const constants = {};
export function connect(): never {
  throw new Error('HTTP/2 is not part of this program');
}

export class Http2ServerRequest {}
