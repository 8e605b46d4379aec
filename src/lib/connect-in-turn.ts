import dns from 'node:dns/promises';
import { connect, isIP, type Socket } from 'node:net';
import { systemCodeOf } from './errors.ts';

/** Every address of a name, in the order in which they are tried. */
export type LookUp = (host: string) => Promise<readonly string[]>;

/** Where a connection is to lead. */
export interface ConnectTarget {
  /** A name or an address, an IPv6 one without brackets. */
  readonly host: string;
  readonly port: number;
  /** The longest that the connection takes once the name is resolved, in ms. */
  readonly timeoutMs: number;
  /** Every address of a name, in the system's order: by default the system's own lookup. */
  readonly lookUp?: LookUp | undefined;
}

/** No address of the name took a connection; `code` is the system's, of the most telling one. */
export class NoConnectionError extends Error {
  readonly code: string | undefined;
  /** Every address that was tried, in the order of the tries. */
  readonly tried: readonly string[];

  constructor(message: string, tried: readonly string[], cause?: unknown) {
    super(message, { cause });
    this.name = 'NoConnectionError';
    this.code = systemCodeOf(cause);
    this.tried = tried;
  }
}

/**
 * How long a name is waited for, in ms. The system asks three name servers twice, five seconds each
 * time, and answers only then where the last of them is the one that works.
 */
export const namePatienceMs = 35_000;
/** The next address begins so many ms after the one before, as RFC 8305 recommends. */
const nextAddressMs = 250;

/**
 * A TCP connection to whichever address of the name takes one first. Each begins a little after the
 * one before, or as soon as that one failed, and none is given up while another may still fail:
 * Node's own way gives every address but the last a quarter of a second, which a slow line or one
 * lost packet passes.
 * @throws NoConnectionError, the lookup's error, AbortError
 */
export async function connectInTurn(target: ConnectTarget, signal: AbortSignal): Promise<Socket> {
  signal.throwIfAborted();
  const { host, timeoutMs } = target;
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const race = { tried: new Map<string, Error | undefined>(), sockets: new Set<Socket>() };
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const noName = new NoConnectionError(
    `${host} was not resolved within ${namePatienceMs / 1000} s`,
    [],
  );
  let deadline = setTimeout(() => reject(noName), namePatienceMs);
  let next: NodeJS.Timeout | undefined;
  try {
    const found = await Promise.race([findAddresses(target), promise.then(() => [])]);
    clearTimeout(deadline);
    deadline = setTimeout(() => reject(explain(race.tried, timeoutMs)), timeoutMs);
    const waiting = [...alternateFamilies(found)];
    const begin = () => {
      clearTimeout(next);
      const address = waiting.shift();
      if (address === undefined) {
        if (race.sockets.size === 0) reject(explain(race.tried, timeoutMs));
        return;
      }
      race.tried.set(address, undefined);
      const socket = connect({ host: address, port: target.port });
      race.sockets.add(socket);
      socket.once('connect', () => resolve(socket));
      // A socket that lost the race may still report an error.
      socket.on('error', (error) => {
        race.tried.set(address, error);
        race.sockets.delete(socket);
        begin();
      });
      if (waiting.length > 0) next = setTimeout(begin, nextAddressMs);
    };
    if (found.length === 0) reject(new NoConnectionError(`${host} has no address`, []));
    else begin();
    const socket = await promise;
    race.sockets.delete(socket);
    socket.removeAllListeners();
    return socket;
  } finally {
    clearTimeout(deadline);
    clearTimeout(next);
    signal.removeEventListener('abort', onAbort);
    for (const socket of race.sockets)
      socket
        .removeAllListeners()
        .on('error', () => undefined)
        .destroy();
  }
}

/**
 * A connection on which `secure` agrees with the other side too: where it fails at one address, the
 * others of the name are tried. One of several servers may have a wrong certificate, or none.
 * @throws what `secure` threw first; codes of `connectInTurn`
 */
export async function connectSecurely<Secured>(
  target: ConnectTarget,
  secure: (socket: Socket) => Promise<Secured>,
  signal: AbortSignal,
): Promise<Secured> {
  const known = new Map<string, readonly string[]>();
  const refused = new Set<string>();
  let failure: { readonly error: unknown } | undefined;
  const lookUp = async (host: string) => {
    const found = known.get(host) ?? (await findAddresses(target));
    known.set(host, found);
    return found.filter((address) => !refused.has(address));
  };
  for (;;) {
    const socket = await connectInTurn({ ...target, lookUp }, signal).catch((error: unknown) => {
      throw failure === undefined ? error : failure.error;
    });
    const address = socket.remoteAddress ?? '';
    try {
      return await secure(socket);
    } catch (error) {
      failure ??= { error };
      // There is only one, or it is one of those that were refused, in other letters.
      if (isIP(target.host) !== 0 || refused.has(address)) throw failure.error;
      refused.add(address);
    }
  }
}

async function findAddresses({ host, lookUp }: ConnectTarget): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  if (lookUp !== undefined) return lookUp(host);
  return (await dns.lookup(host, { all: true })).map(({ address }) => address);
}

/** One family after the other, beginning with the family that the system prefers. */
function* alternateFamilies(addresses: readonly string[]): Generator<string> {
  const families = [...new Set(addresses.map(isIP))];
  const [first = [], second = []] = families.map((family) =>
    [...new Set(addresses)].filter((address) => isIP(address) === family),
  );
  for (let index = 0; index < Math.max(first.length, second.length); index += 1)
    yield* [first[index], second[index]].filter((address) => address !== undefined);
}

/** A family without a way out says nothing of the name, where another family has one. */
const noWay = ['ENETUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT'];

function explain(
  tried: ReadonlyMap<string, Error | undefined>,
  timeoutMs: number,
): NoConnectionError {
  const isTelling = (error: Error | undefined) => !noWay.includes(systemCodeOf(error) ?? '');
  const telling = [...tried].filter(([, error]) => isTelling(error));
  const shown = telling.length > 0 ? telling : [...tried];
  const why = shown.map(([address, error]) =>
    error === undefined
      ? `${address} did not answer within ${timeoutMs / 1000} s`
      : `${address}: ${systemCodeOf(error) ?? error.message}`,
  );
  const cause = shown.find(([, error]) => error)?.[1];
  // The system's own words name an address, too.
  const message = shown.length === 1 && cause !== undefined ? cause.message : why.join('; ');
  return new NoConnectionError(message, [...tried.keys()], cause);
}
