import { isIPv4 } from 'node:net';
import { TributaryError } from '../../errors/codes.ts';
import { continueProblem } from '../../health/problem.ts';
import { isInAny } from '../../lib/addresses.ts';
import {
  askForPublicAddresses,
  isOnInternet,
  outsideFile,
  type Said,
} from '../../system/public-addresses.ts';
import type { Loop } from '../run-loop.ts';
import type { AgentState, Sections, Shared } from '../state.ts';

export type OutsideParts = Pick<Shared, 'state' | 'wakeups' | 'now'> & Pick<Sections, 'outside'>;

/**
 * An address may change at night, and one datagram a minute to one's own router costs nothing (ms).
 */
const askAgainMs = 60_000;
/** A router that never answers is asked less and less often, but at least after this time (ms). */
const mostSilentMs = 900_000;

/** Learns the home's public addresses, which are refused to consumers like the rest of the home. */
export function createOutsideLoop(parts: OutsideParts): Loop {
  const { state, outside, wakeups, now } = parts;
  let silences = 0;
  let askedRouter: string | undefined;
  const tick = async (signal: AbortSignal) => {
    const router = state.path.observed?.router;
    const { public_address: ways, deny_destinations: denied } = state.configuration.config.gateway;
    // A public address that the owner denies by name may be this one.
    const isNamed = denied.some((entry) => isIPv4(entry) && isOnInternet(entry));
    const note = (why: string | undefined) => {
      const problem = why === undefined || isNamed ? undefined : explain(why);
      outside.problem = continueProblem(outside.problem, problem, now());
    };
    if (router === undefined || !(ways.ask_router || ways.upnp || ways.stun !== undefined)) {
      note(router === undefined ? undefined : 'gateway.public_address lets nobody be asked for it');
      return mostSilentMs;
    }
    if (router !== askedRouter) silences = 0;
    askedRouter = router;
    const said = await ask(ways, router, signal);
    silences = said.addresses.length === 0 ? silences + 1 : 0;
    note(findReason(router, said));
    // Before the device is registered no consumer can send anything, and the pass that makes the
    // tunnel uses the addresses anyway.
    if (takeAddresses(outside, said) && state.service.registration !== undefined)
      wakeups.dataPath.notify();
    return Math.min(askAgainMs * 2 ** Math.max(0, silences - 1), mostSilentMs);
  };
  return { name: 'outside', isOptional: true, isOnBeat: true, tick, wakeup: wakeups.outside };
}

/**
 * Takes the addresses; true where they differ from the former ones. Without an answer, the former
 * ones stay refused.
 */
function takeAddresses(outside: OutsideParts['outside'], { addresses }: Said): boolean {
  if (addresses.length === 0 || addresses.join() === outside.addresses?.join()) return false;
  outside.addresses = addresses;
  return true;
}

/**
 * The host's end of the agent's namespace has an address of this range. Behind it the host asks the
 * home's router.
 */
const benchmarkRange = '198.18.0.0/15';

type Ways = AgentState['configuration']['config']['gateway']['public_address'];

const isOfHost = (router: string) => isInAny(router, [benchmarkRange]);

async function ask(ways: Ways, router: string, signal: AbortSignal): Promise<Said> {
  const isHost = isOfHost(router);
  const { ask_router: natPmp, upnp, stun } = ways;
  const said = await askForPublicAddresses(
    { router: isHost ? undefined : router, natPmp, upnp, stun },
    signal,
  );
  const fromHost = isHost ? (await outsideFile.read()).addresses : [];
  const addresses = [...new Set([...said.addresses, ...fromHost])].sort();
  return { ...said, addresses };
}

/** Why no address is known; undefined where one is. */
function findReason(router: string, { answers, addresses }: Said): string | undefined {
  if (addresses.length > 0) return undefined;
  // The host's end of the namespace is no router that the owner knows.
  const whose = isOfHost(router) ? 'your router' : `your router (${router})`;
  return answers.length === 0
    ? `${whose} does not tell it`
    : `${whose} says ${answers[0]}, so it is behind another router`;
}

function explain(why: string): TributaryError {
  const message = `Your connection's public address is not known: ${why}. Consumers may reach what your router shows at that address.`;
  return new TributaryError('outside-unknown', message);
}
