import type { MarketReport } from '../source/source-report.ts';
import type { Facts, SourceFacts } from './facts.ts';
import { bringsConsumers } from './may-forward.ts';
import type { Problem } from './problem.ts';
import type { ReasonCode } from './reasons.ts';

type SourceProblem = Problem<ReasonCode>;

/** Why each source has nothing, in their order; undefined for one that has no problem. */
export function listProblems({ sources }: Facts): readonly (Problem | undefined)[] {
  return sources.map(({ problem }) => problem);
}

/** The sources whose device is there, and nobody at its other end. */
export function explainSilent(facts: Facts, now: Date): readonly SourceProblem[] {
  return facts.sources
    .filter((source) => source.isThere && !bringsConsumers(source, now))
    .map((source) => explain(facts, source, now));
}

/** Beside a source that works, a connection that is made again within this time (ms) is no news. */
const leastSilentMs = 60_000;

/** Notes for sources that are silent beside one that is alive, and have been for a while. */
export function noteSilent(facts: Facts, now: Date): readonly SourceProblem[] {
  const { sources } = facts;
  if (!sources.some((source) => bringsConsumers(source, now))) return [];
  return sources
    .filter(
      ({ silentSince }) => silentSince && now.getTime() - silentSince.getTime() > leastSilentMs,
    )
    .filter((source) => source.isThere && !bringsConsumers(source, now))
    .map((source) => explain(facts, source, now));
}

/** Notes that consumers do not find this device in a network's list, or soon may not. */
export function noteListing({ sources }: Facts): readonly SourceProblem[] {
  return sources.flatMap(({ name, market }) =>
    market === undefined ? [] : explainListing(name, market),
  );
}

function explainListing(name: string, market: MarketReport): readonly SourceProblem[] {
  const { standing, standingSince: since, minutes } = market;
  const needs = [minutes.hour, minutes.halfDay]
    .flatMap(({ wanted, all }) =>
      wanted === undefined ? [] : [`${wanted} of the last ${all} minutes`],
    )
    .join(' and ');
  const rule = `The network of ${name} lists a device while ${needs} count`;
  switch (standing) {
    case 'waiting': {
      const message = `${rule}, and this one has not been connected for so long: consumers do not find it yet.`;
      return [{ code: 'not-listed', message, since }];
    }
    case 'dropped': {
      const message = `${rule}, and too many were lost here: consumers do not find this device now.`;
      return [{ code: 'not-listed', message, since }];
    }
    case 'at-risk': {
      const message = `${rule}. So many were lost here that consumers may soon not find this device any more.`;
      return [{ code: 'listing-at-risk', message, since }];
    }
    case 'listed':
    case 'offline':
    case 'own-network':
    case 'nobody':
      return [];
    default:
      return standing satisfies never;
  }
}

/** What is wrong with one source now, or what it lacks; undefined where all is well. */
export function findProblem(
  facts: Facts,
  source: SourceFacts,
  now: Date,
): SourceProblem | undefined {
  const isSilent = source.isThere && !bringsConsumers(source, now);
  const silence = isSilent ? explain(facts, source, now) : undefined;
  return source.problem ?? silence ?? source.shortfall;
}

/** What is being made where no device is there yet. */
export function explainStarting({ sources, tunnel, startedAt }: Facts): SourceProblem {
  const others = sources.filter(({ device }) => device !== tunnel.interface);
  const isTunnel = others.length < sources.length || sources.length === 0;
  const what = isTunnel ? 'tunnel' : `device of ${others.map(({ name }) => name).join(' and ')}`;
  return { code: 'tunnel-starting', message: `The ${what} is being set up.`, since: startedAt };
}

/** Nobody is at a source's other end. Of a tunnel it is known since when, by its handshake. */
function explain(
  { startedAt, tunnel }: Facts,
  { name, device, life, silentSince }: SourceFacts,
  now: Date,
): SourceProblem {
  if (device === tunnel.interface) {
    const whose = tunnel.endpoint === undefined ? '' : ` (${tunnel.endpoint})`;
    const tried = tunnel.triedEndpoints;
    const others = tried.length < 2 ? '' : ` Tried in turn: ${tried.join(', ')}.`;
    const message = `The tunnel's other end${whose} does not answer.${others}`;
    return { code: 'no-handshake', message, since: life?.since ?? startedAt };
  }
  const message = `Nobody answers at the other end of ${name} (${device}): no consumers come through it.`;
  return { code: 'source-not-alive', message, since: silentSince ?? now };
}
