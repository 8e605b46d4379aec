import type { ConnectionRoom } from '../system/connection-room.ts';
import type { Chain, Rule } from './chains.ts';
import { refuse, rule } from './rule.ts';
import type { RuleSet } from './sets.ts';

/** What consumers may keep open, and how fast they may open it. 0: no such ceiling. */
export interface Ceilings {
  /** Connections that each consumer's address (IPv6: its /64) has to itself. */
  readonly perConsumer: number;
  /** Connections of all consumers together. */
  readonly total: number;
  /** New connections per second that each address has to itself. */
  readonly newPerSecond: number;
  /** TCP connections of each address that wait for their first answer. */
  readonly halfOpen: number;
}

/** What the owner decided; the machine decides the rest. */
export type GivenCeilings = { readonly [Name in keyof Ceilings]?: number | undefined };

/** More than home routers usually translate would take the household's own connections away. */
const mostInAll = 8192;

/**
 * The ceilings for a machine, with the owner's own in their places: half of what the kernel tracks, so that the rest of
 * the machine keeps the other half.
 */
export function toCeilings(room: ConnectionRoom, given: GivenCeilings = {}): Ceilings {
  const tracked = room.conntrackMax ?? Number.POSITIVE_INFINITY;
  const usual = Math.floor(Math.min(mostInAll, tracked / 2, room.memoryBytes / (256 * 1024)));
  const total = Math.min(given.total ?? usual, tracked);
  const shared = total === 0 ? usual : total;
  const perConsumer = given.perConsumer ?? atLeastOne(shared / 16);
  return {
    total,
    perConsumer,
    newPerSecond: given.newPerSecond ?? atLeastOne(shared / 128),
    halfOpen: given.halfOpen ?? atLeastOne((perConsumer === 0 ? shared / 16 : perConsumer) / 2),
  };
}

/**
 * Beyond what is its own an address takes from what all share: so many times one address's part. A proxy that translates
 * all its consumers to one address has five parts of the sixteen that way, and one greedy consumer leaves eleven.
 */
const sharedParts = 4;
/** The kernel walks a list of connections for each new one: many short lists cost a fraction of a long one. */
const listLength = 128;
/** A connection attempt whose answer has not come by then no longer counts; the kernel forgets it at the same time. */
export const answerSeconds = 10;

export type CeilingSet = `${'rates' | 'consumers' | 'waiting'}${4 | 6}` | 'shared' | 'all_consumers';

/** Filled by the rules: the kernel's own while it runs. Sizes are fixed: a set cannot be declared again with another one. */
export function listCeilingSets(): Readonly<Record<CeilingSet, RuleSet>> {
  const own = (type: string) => ({ type: `${type};`, elements: [], isFilledByRules: true }) as const;
  const counts = 'size 4096; flags dynamic';
  const rates = 'size 4096; flags dynamic,timeout; timeout 1m';
  const waiting = `size 8192; flags dynamic,timeout; timeout ${answerSeconds}s`;
  return {
    rates4: own(`type ipv4_addr; ${rates}`),
    rates6: own(`type ipv6_addr; ${rates}`),
    consumers4: own(`type ipv4_addr; ${counts}`),
    consumers6: own(`type ipv6_addr; ${counts}`),
    shared: own(`type mark; ${counts}`),
    all_consumers: own(`type mark; ${counts}`),
    waiting4: own(`type ipv4_addr . mark; ${waiting}`),
    waiting6: own(`type ipv6_addr . mark; ${waiting}`),
  };
}

const families = [
  { family: 4, source: 'ip saddr', destination: 'ip daddr' },
  { family: 6, source: 'ip6 saddr & ffff:ffff:ffff:ffff::', destination: 'ip6 daddr & ffff:ffff:ffff:ffff::' },
] as const;

/** What each new connection goes through. Its numbers stand in the comments: they tell when the counts begin again. */
export function listCeilingChains({ perConsumer, total, newPerSecond, halfOpen }: Ceilings): readonly Chain[] {
  const again = 'ct status & confirmed == confirmed';
  const shared = renderCount('shared', perConsumer * sharedParts);
  const rate = (most: number) => `limit rate over ${most}/second burst ${most * 4} packets`;
  return [
    {
      name: 'ceilings',
      hook: undefined,
      rules: [
        // What is sent again waits on: an answer is still to come.
        ...when(halfOpen, () =>
          families.map(({ family, source }) =>
            rule(`waits-v${family}`, `meta l4proto tcp ${again} update @waiting${family} { ${source} . ct mark }`),
          ),
        ),
        rule('first-packets', `${again} return`),
        ...when(newPerSecond, () =>
          families.map(({ family, source }) =>
            rule(
              `new-v${family} ${newPerSecond}`,
              `update @rates${family} { ${source} ${rate(newPerSecond)} } ${rate(newPerSecond * sharedParts)} ${refuse('refused_new')}`,
            ),
          ),
        ),
        ...when(perConsumer, () =>
          families.map(({ family, source }) =>
            rule(
              `consumer-v${family} ${perConsumer}`,
              `add @consumers${family} { ${source} ct count over ${perConsumer} } ${shared} ${refuse('refused_connections')}`,
            ),
          ),
        ),
        ...when(total, () => [
          rule(`total ${total}`, `${renderCount('all_consumers', total)} ${refuse('refused_total')}`),
        ]),
        ...when(halfOpen, () => [rule(`half-open ${halfOpen}`, 'meta l4proto tcp jump half_open')]),
      ],
    },
    {
      // Each attempt takes one of the address's numbered slots, and its answer gives it back.
      name: 'half_open',
      hook: undefined,
      rules: when(halfOpen, () => {
        const slot = `ct mark set numgen inc mod ${halfOpen}`;
        return [
          rule('slot', slot),
          ...families.flatMap(({ family, source }) => [
            rule(`taken-v${family}`, `${source} . ct mark @waiting${family} ${slot}`),
            rule(`half-open-v${family}`, `${source} . ct mark @waiting${family} ${refuse('refused_half_open')}`),
            rule(`take-v${family}`, `add @waiting${family} { ${source} . ct mark }`),
          ]),
        ];
      }),
    },
  ];
}

/** For what comes back to the consumer: an answer ends the waiting. */
export function listAnswerRules({ halfOpen }: Ceilings): readonly Rule[] {
  return when(halfOpen, () =>
    families.map(({ family, destination }) =>
      rule(`answered-v${family}`, `tcp flags & (syn | rst) != 0 delete @waiting${family} { ${destination} . ct mark }`),
    ),
  );
}

/** Matches a new connection that would be one too many: dealt out to lists in turn, each of which holds its part. */
export function renderCount(set: string, most: number): string {
  const lists = Math.max(1, Math.ceil(most / listLength));
  return `add @${set} { numgen inc mod ${lists} ct count over ${Math.floor(most / lists)} }`;
}

function when(ceiling: number, list: () => readonly Rule[]): readonly Rule[] {
  return ceiling === 0 ? [] : list();
}

function atLeastOne(count: number): number {
  return Math.max(1, Math.floor(count));
}
