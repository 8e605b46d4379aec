/*
 * Stands in for node:http2 in the bundle: undici asks for it at load, and it costs memory that an agent which speaks
 * HTTP/1.1 never uses.
 */
export const constants = {};
export function connect(): never {
  throw new Error('HTTP/2 is not part of this program');
}

/** Named by the reference service's HTTP server, which never sees one either. */
export class Http2ServerRequest {}
