import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { TributaryError, toFailure } from '../../errors/codes.ts';
import type { resolveEndpoint, ServiceContext } from './endpoint.ts';
import type { Endpoint } from './state.ts';

/** The addresses of one endpoint's name, of which each gets its turn. */
export interface EndpointTurns {
  /**
   * The address whose turn it is. Resolves soon, also while the name servers do not answer: their
   * answer is then used by the next call.
   * @throws tunnel-failed while no address is known
   */
  present(endpoint: Endpoint): Promise<string>;
  /**
   * For a peer that is silent: the next address once the present one has had its time, or at once
   * where the name no longer has it. undefined: the present one stays.
   */
  goOn(): Promise<string | undefined>;
  /**
   * For a peer that may just have nothing to say: true where the name no longer has the present
   * address, and another one has its turn now.
   */
  lookAgain(): Promise<boolean>;
  /** The addresses that were tried in vain since the last handshake, in order. */
  tried(): readonly string[];
  /**
   * Forgets which were tried: there is a handshake, so many ms old by WireGuard's stamp.
   * @returns the present address, where the handshake may have been made with it
   */
  noteHandshake(ageMs: number): string | undefined;
}

/** How long a pass, which renews the permit, waits for an answer of the name servers, in ms. */
const passWaitMs = 1_000;
/** WireGuard begins a handshake every 5 s, so each address has three tries. */
const turnMs = 15_000;
const askAgainMs = 30_000;
/** WireGuard's stamps are whole seconds: a handshake may be younger than its stamp by this (ms). */
const stampMs = 1_000;
/** While nothing comes, so that a service that moved is followed within half a minute, in ms. */
const lookAgainMs = 20_000;

/** @param onAnswer called when an answer came for which no call waits any more */
export function createEndpointTurns(
  resolve: typeof resolveEndpoint,
  context: () => ServiceContext,
  onAnswer: () => void = () => undefined,
): EndpointTurns {
  let known:
    | { endpoint: Endpoint; addresses: readonly string[]; present: string; sinceMs: number }
    | undefined;
  let asking: { endpoint: Endpoint; answer: Promise<unknown>; isLate: boolean } | undefined;
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let tried: readonly string[] = [];
  /** Left because the name no longer had it; tried last, until there is a handshake. */
  let left: string | undefined;
  /** True where an address was good that its name no longer had: it has others each time. */
  let isNameFickle = false;

  const take = (endpoint: Endpoint, addresses: readonly string[]) => {
    const [first = ''] = addresses;
    if (known === undefined || !isDeepStrictEqual(known.endpoint, endpoint)) {
      tried = [];
      left = undefined;
      isNameFickle = false;
      known = { endpoint, addresses, present: first, sinceMs: performance.now() };
    } else
      known.addresses =
        left === undefined || addresses.includes(left) ? addresses : [...addresses, left];
  };
  /** The answer, or its failure; undefined where it takes longer, and then it is used later. */
  const ask = async (endpoint: Endpoint) => {
    if (asking === undefined || !isDeepStrictEqual(asking.endpoint, endpoint)) {
      const own: NonNullable<typeof asking> = {
        endpoint,
        answer: Promise.resolve(),
        isLate: false,
      };
      own.answer = resolve(endpoint, context())
        .then((addresses) => take(endpoint, addresses))
        .catch(toFailure())
        .finally(() => {
          if (asking === own) asking = undefined;
          if (own.isLate) onAnswer();
        });
      askedAtMs = performance.now();
      asking = own;
    }
    const { answer } = asking;
    const own = asking;
    const waited = new AbortController();
    const late = sleep(passWaitMs, undefined, { ref: false, signal: waited.signal }).then(
      () => {
        own.isLate = true;
      },
      () => undefined,
    );
    return Promise.race([answer, late]).finally(() => waited.abort());
  };
  const isKnown = (endpoint: Endpoint) =>
    known !== undefined && isDeepStrictEqual(known.endpoint, endpoint);
  return {
    async present(endpoint) {
      const failure = isKnown(endpoint) ? undefined : await ask(endpoint);
      if (failure instanceof Error) throw failure;
      if (known === undefined || !isKnown(endpoint)) {
        const message = `resolving the tunnel's endpoint ${endpoint.host}: no name server has answered yet`;
        throw new TributaryError('tunnel-failed', message);
      }
      return known.present;
    },
    async goOn() {
      if (known === undefined) return undefined;
      const nowMs = performance.now();
      // Without an answer the old addresses stay.
      if (nowMs - askedAtMs >= askAgainMs) await ask(known.endpoint);
      const { addresses, present, sinceMs } = known;
      const at = addresses.indexOf(present);
      if (at >= 0 && nowMs - sinceMs < turnMs) return undefined;
      tried = [...tried.filter((each) => each !== present), present];
      const next = addresses[(at + 1) % addresses.length] ?? present;
      if (next === present) return undefined;
      Object.assign(known, { present: next, sinceMs: nowMs });
      return next;
    },
    async lookAgain() {
      if (known === undefined || isNameFickle || isIP(known.endpoint.host) !== 0) return false;
      // An answer that came late is looked at as well, before it is time to ask again.
      if (performance.now() - askedAtMs >= lookAgainMs) await ask(known.endpoint);
      const { addresses, present } = known;
      // The family that worked first: the other may lead nowhere here.
      const isSameFamily = (address: string) => address.startsWith('[') === present.startsWith('[');
      const next = addresses.find(isSameFamily) ?? addresses[0];
      if (next === undefined || addresses.includes(present)) return false;
      left = present;
      Object.assign(known, {
        addresses: [...addresses, present],
        present: next,
        sinceMs: performance.now(),
      });
      return true;
    },
    tried: () => tried,
    noteHandshake(ageMs) {
      tried = [];
      const turnAgeMs = performance.now() - (known?.sinceMs ?? Number.POSITIVE_INFINITY);
      if (known === undefined || ageMs - stampMs > turnAgeMs) return undefined;
      isNameFickle ||= known.present === left;
      left = undefined;
      return known.present;
    },
  };
}
