import type { SourcePath } from '../../data-path/reconcile.ts';
import { TributaryError } from '../../errors/codes.ts';
import { continueProblem, type Problem } from '../../health/problem.ts';
import { isAlive, type SourceReport } from '../../source/source-report.ts';

/** What passes noted of a source. */
export interface SourceNotes {
  /** Why it has nothing, or is not as the service wants it. */
  readonly problem: Problem | undefined;
  /** What it lacks, although it works. */
  readonly shortfall: Problem | undefined;
  /** Since when its device has been there with nobody at its other end. */
  readonly silentSince: Date | undefined;
}

/** What a pass found wrong with a source. */
export type FoundWrong = Readonly<Record<'problem' | 'shortfall', TributaryError | undefined>>;

/** Before the first pass. */
export const nothingNoted: SourceNotes = {
  problem: undefined,
  shortfall: undefined,
  silentSince: undefined,
};

/** The problem of a source, and what it lacks although it works. */
export function explainSource(
  { name, collision, nearEnd, missing, failure }: SourcePath,
  problem: TributaryError | undefined,
): FoundWrong {
  const noIpv6 = missing && new TributaryError('no-ipv6', explainNoIpv6(missing, name));
  const whose = name === 'wireguard' ? "the tunnel's address" : `the address of ${name}`;
  const collides = `${whose} ${collision} lies in a network that this device is in`;
  const collided =
    collision === undefined ? undefined : new TributaryError('address-collision', collides);
  const ends = `the tunnel would end at ${nearEnd}, in your own home's network; if it does end there, write ${nearEnd} into gateway.allow_destinations`;
  const atHome =
    nearEnd === undefined ? undefined : new TributaryError('wireguard-text-refused', ends);
  return {
    problem:
      failure ?? problem ?? atHome ?? collided ?? (missing === 'everything' ? noIpv6 : undefined),
    shortfall: missing === 'ipv6' ? noIpv6 : undefined,
  };
}

function explainNoIpv6(missing: NonNullable<SourcePath['missing']>, name: string): string {
  const isTunnel = name === 'wireguard';
  switch (missing) {
    case 'ipv6': {
      const whose = isTunnel ? "the tunnel's IPv6 address" : `the IPv6 address of ${name}`;
      return `IPv6 cannot be forwarded here: ${whose} is left out, and IPv4 is provided`;
    }
    case 'everything': {
      const what = isTunnel ? 'the service issued a tunnel' : `${name} has addresses`;
      return `${what} for IPv6 alone, and IPv6 cannot be forwarded here`;
    }
    default:
      return missing satisfies never;
  }
}

/** A problem goes on since when it began, as long as it is the same one. */
export function noteWrong(before: SourceNotes, found: FoundWrong, now: Date): SourceNotes {
  return {
    ...before,
    problem: continueProblem(before.problem, found.problem, now),
    shortfall: continueProblem(before.shortfall, found.shortfall, now),
  };
}

/** A silence goes on until a pass finds the source alive, or without a device. */
export function noteSilence(
  before: SourceNotes,
  { isThere, life }: Pick<SourceReport, 'isThere' | 'life'>,
  now: Date,
): SourceNotes {
  const isSilent = isThere && !isAlive(life, now);
  return { ...before, silentSince: isSilent ? (before.silentSince ?? now) : undefined };
}
