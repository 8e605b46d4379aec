import { TributaryError } from '../../errors/codes.ts';
import { continueProblem } from '../../health/problem.ts';
import { isInAny } from '../../lib/addresses.ts';
import { askForPublicAddresses, outsideFile } from '../../system/public-addresses.ts';
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
  /** What was told last stays refused while nobody answers. */
  let known: readonly string[] = [];
  const tick = async (signal: AbortSignal) => {
    const router = state.path.observed?.router;
    const { public_address: ways } = state.configuration.config.gateway;
    /** Uses what was told, and the owner's word; without both, notes why nothing is known. */
    const settle = (told: readonly string[], why: string | undefined) => {
      const fixed = ways.fixed === undefined ? [] : [ways.fixed];
      if (told.length > 0) known = told;
      const addresses = [...new Set([...known, ...fixed])].sort();
      const isKnown = told.length > 0 || fixed.length > 0;
      const problem = isKnown || why === undefined ? undefined : explain(why);
      outside.problem = continueProblem(outside.problem, problem, now());
      // Before the device is registered no consumer can send anything, and the pass that makes the
      // tunnel uses the addresses anyway.
      if (takeAddresses(outside, addresses) && state.service.registration !== undefined)
        wakeups.dataPath.notify();
    };
    const isAsked = ways.ask_router || ways.upnp || ways.stun !== undefined;
    if (router === undefined || !isAsked) {
      settle([], router && 'gateway.public_address lets nobody be asked for it');
      return mostSilentMs;
    }
    if (router !== askedRouter) silences = 0;
    askedRouter = router;
    const said = await ask(ways, router, signal);
    silences = said.addresses.length === 0 ? silences + 1 : 0;
    settle(said.addresses, explainSilence(said));
    return Math.min(askAgainMs * 2 ** Math.max(0, silences - 1), mostSilentMs);
  };
  return { name: 'outside', isOptional: true, isOnBeat: true, tick, wakeup: wakeups.outside };
}

/**
 * Takes the addresses; true where they differ from the former ones. Without an answer, the former
 * ones stay refused.
 */
function takeAddresses(outside: OutsideParts['outside'], addresses: readonly string[]): boolean {
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

/** Asks everyone who may be asked. `router` is the one that the owner knows. */
async function ask(ways: Ways, gateway: string, signal: AbortSignal) {
  const host = isInAny(gateway, [benchmarkRange]) ? await outsideFile.read() : undefined;
  const { ask_router: natPmp, upnp, stun } = ways;
  const said = await askForPublicAddresses(
    { router: host === undefined ? gateway : undefined, natPmp, upnp, stun },
    signal,
  );
  const addresses = [...said.addresses, ...(host?.addresses ?? [])];
  return { ...said, addresses, router: host === undefined ? gateway : host.router };
}

function explainSilence({ answers, router }: Awaited<ReturnType<typeof ask>>): string {
  const whose = router === undefined ? 'your router' : `your router (${router})`;
  return answers.length === 0
    ? `${whose} does not tell it`
    : `${whose} says ${answers[0]}, so it is behind another router`;
}

function explain(why: string): TributaryError {
  const message = `Your connection's public address is not known: ${why}. Consumers may reach what your router shows at that address.`;
  return new TributaryError('outside-unknown', message);
}
