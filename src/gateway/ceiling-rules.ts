import {
  answerSeconds,
  type Ceilings,
  consumerMark,
  renderCount,
  sharedParts,
} from './ceilings.ts';
import { type Chain, chain, filledByRules as own, type Rule, refuse, rule, when } from './rule.ts';

/**
 * Sets that rules fill while packets pass, so their elements are the kernel's own. Sizes never
 * change, because a set cannot be declared again with another size.
 */
export function listCeilingSets() {
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
  {
    family: 6,
    source: 'ip6 saddr & ffff:ffff:ffff:ffff::',
    destination: 'ip6 daddr & ffff:ffff:ffff:ffff::',
  },
] as const;

/**
 * The chains that each new connection goes through. The ceilings are repeated in the rules'
 * comments: a changed number makes a changed rule, with which the counts begin again.
 */
export function listCeilingChains({
  perConsumer,
  total,
  newPerSecond,
  halfOpen,
}: Ceilings): readonly Chain[] {
  const again = 'ct status & confirmed == confirmed';
  const shared = renderCount('shared', perConsumer * sharedParts);
  const rate = (most: number) => `limit rate over ${most}/second burst ${most * 4} packets`;
  return [
    chain('ceilings', [
      // A first packet that is sent again keeps its connection waiting, because the answer is still
      // to come.
      ...ofEach(halfOpen, ({ family, source }) =>
        rule(
          `waits-v${family}`,
          `meta l4proto tcp ${again} update @waiting${family} { ${source} . ct mark }`,
        ),
      ),
      rule('first-packets', `${again} return`),
      rule('consumer', `ct mark set ${consumerMark}`),
      ...ofEach(newPerSecond, ({ family, source }) =>
        rule(
          `new-v${family} ${newPerSecond}`,
          `update @rates${family} { ${source} ${rate(newPerSecond)} } ${rate(newPerSecond * sharedParts)} ${refuse('refused_new')}`,
        ),
      ),
      ...ofEach(perConsumer, ({ family, source }) =>
        rule(
          `consumer-v${family} ${perConsumer}`,
          `add @consumers${family} { ${source} ct count over ${perConsumer} } ${shared} ${refuse('refused_connections')}`,
        ),
      ),
      ...when(total, () => [
        rule(`total ${total}`, `${renderCount('all_consumers', total)} ${refuse('refused_total')}`),
      ]),
      ...when(halfOpen, () => [rule(`half-open ${halfOpen}`, 'meta l4proto tcp jump half_open')]),
    ]),
    // Each attempt takes one of the address's numbered slots, and its answer returns the slot.
    chain(
      'half_open',
      when(halfOpen, () => {
        const slot = `ct mark set numgen inc mod ${halfOpen} offset ${consumerMark}`;
        return [
          rule('slot', slot),
          ...families.flatMap(({ family, source }) => [
            rule(`taken-v${family}`, `${source} . ct mark @waiting${family} ${slot}`),
            rule(
              `half-open-v${family}`,
              `${source} . ct mark @waiting${family} ${refuse('refused_half_open')}`,
            ),
            rule(`take-v${family}`, `add @waiting${family} { ${source} . ct mark }`),
          ]),
        ];
      }),
    ),
    chain(
      'answered',
      ofEach(halfOpen, ({ family, destination }) =>
        rule(`answered-v${family}`, `delete @waiting${family} { ${destination} . ct mark }`),
      ),
    ),
  ];
}

/**
 * Rules for packets that come back to a consumer: the first answer ends the waiting of its
 * connection.
 */
export function listAnswerRules({ halfOpen }: Ceilings): readonly Rule[] {
  return when(halfOpen, () => [rule('answers', 'tcp flags & (syn | rst) != 0 jump answered')]);
}

function ofEach(
  ceiling: number,
  write: (family: (typeof families)[number]) => Rule,
): readonly Rule[] {
  return when(ceiling, () => families.map(write));
}
