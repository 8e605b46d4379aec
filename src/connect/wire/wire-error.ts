/**
 * A message that cannot be read or that breaks a bound of the wire. The reader drops that one
 * message and counts it; nothing else ends by it.
 */
export class WireError extends Error {
  override readonly name = 'WireError';
}
