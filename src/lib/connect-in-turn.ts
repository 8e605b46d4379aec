import dns from 'node:dns/promises';
import { connect, isIP, type Socket } from 'node:net';
import { systemCodeOf } from './errors.ts';

/** How names are resolved, and who hears what became of their addresses. */
export interface Names {
  /** Every address of a name, in the order in which they are tried. */
  lookUp(host: string): Promise<readonly string[]>;
  /**
   * What was good before, until an address that the name servers gave has been good too: they may
   * name a wrong one. Only for those who know the right machine by its key.
   */
  alsoGood?(host: string): readonly string[];
  /** The address is what the name stands for: it took a connection, and agreed on what it is. */
  noteGood?(host: string, address: string): void;
  /** Each address is there, and is not what the name stands for. */
  noteRefused?(host: string): void;
}

/** The system's own lookup: every address in its order. */
export const systemNames: Names = {
  lookUp: async (host) => (await dns.lookup(host, { all: true })).map(({ address }) => address),
};

/** Where a connection is to lead. */
export interface ConnectTarget {
  /** A name or an address, an IPv6 one without brackets. */
  readonly host: string;
  readonly port: number;
  /** The longest that the connection takes once the name is resolved, in ms. */
  readonly timeoutMs: number;
  /** By default the system's own. */
  readonly names?: Names | undefined;
}

/** No address of the name took a connection; `code` is the system's, of the most telling one. */
export class NoConnectionError extends Error {
  readonly code: string | undefined;
  /** Every address that was tried, in the order of the tries. */
  readonly tried: readonly string[];
  /** True where there is a machine at each of them, and it refused. */
  readonly isRefusal: boolean;

  constructor(
    message: string,
    tried: ReadonlyMap<string, Error | undefined> = new Map(),
    cause?: unknown,
  ) {
    super(message, { cause });
    this.name = 'NoConnectionError';
    this.code = systemCodeOf(cause);
    this.tried = [...tried.keys()];
    const errors = [...tried.values()];
    this.isRefusal =
      errors.length > 0 && errors.every((error) => systemCodeOf(error) === 'ECONNREFUSED');
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
  const { host, names } = target;
  try {
    const socket = await connectToFirst(target, () => findAddresses(target), signal);
    noteGood(target, socket.remoteAddress);
    return socket;
  } catch (error) {
    if (error instanceof NoConnectionError && error.isRefusal) names?.noteRefused?.(host);
    throw error;
  }
}

async function connectToFirst(
  target: ConnectTarget,
  lookUp: () => Promise<readonly string[]>,
  signal: AbortSignal,
): Promise<Socket> {
  signal.throwIfAborted();
  const { host, timeoutMs } = target;
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const race = { tried: new Map<string, Error | undefined>(), sockets: new Set<Socket>() };
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const noName = new NoConnectionError(
    `${host} was not resolved within ${namePatienceMs / 1000} s`,
  );
  let deadline = setTimeout(() => reject(noName), namePatienceMs);
  let next: NodeJS.Timeout | undefined;
  try {
    const found = await Promise.race([lookUp(), promise.then(() => [])]);
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
    if (found.length === 0) reject(new NoConnectionError(`${host} has no address`));
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
  const { host, names } = target;
  const refused = new Set<string>();
  let known: readonly string[] | undefined;
  let failure: { readonly error: unknown } | undefined;
  const lookUp = async () => {
    known ??= await findAddresses(target);
    return known.filter((address) => !refused.has(address));
  };
  for (;;) {
    const socket = await connectToFirst(target, lookUp, signal).catch((error: unknown) => {
      const isNoneLeft = refused.size > 0 && known?.length === refused.size;
      if (isNoneLeft || (error instanceof NoConnectionError && error.isRefusal))
        names?.noteRefused?.(host);
      throw failure === undefined ? error : failure.error;
    });
    const address = socket.remoteAddress ?? '';
    try {
      const secured = await secure(socket);
      noteGood(target, address);
      return secured;
    } catch (error) {
      failure ??= { error };
      // There is only one, or it is one of those that were refused, in other letters.
      if (isIP(host) !== 0 || refused.has(address)) throw failure.error;
      refused.add(address);
    }
  }
}

function noteGood({ host, names }: ConnectTarget, address: string | undefined): void {
  if (address !== undefined) names?.noteGood?.(host, address);
}

async function findAddresses({ host, names }: ConnectTarget): Promise<readonly string[]> {
  return isIP(host) === 0 ? (names ?? systemNames).lookUp(host) : [host];
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
  return new NoConnectionError(message, tried, cause);
}
