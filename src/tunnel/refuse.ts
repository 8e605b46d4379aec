import { TributaryError } from '../lib/errors.ts';

/** Ends the reading of an issued text, with the rule that it breaks. @throws wireguard-text-refused */
export function refuse(why: string): never {
  throw new TributaryError(
    'wireguard-text-refused',
    `the WireGuard configuration that the service issued is refused: ${why}`,
  );
}
