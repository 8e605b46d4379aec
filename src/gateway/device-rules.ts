import { parsePrefix, toNetworks } from '../lib/addresses.ts';
import type { SourceDevice } from './devices.ts';
import { both, type Rule, refuse, rule, when } from './rule.ts';

/**
 * Consumers with prefixes of their own come by their own source's device alone, and that device
 * brings no others: a consumer of one source cannot have an answer sent to one of another.
 */
export function listSenderRules({ name, consumers }: SourceDevice): readonly Rule[] {
  return when(consumers, (prefixes) =>
    both(`consumers-${name}`, (ip, family) => {
      const own = renderPrefixes(prefixes, family);
      const isForeign = own === undefined ? `meta nfproto ipv${family}` : `${ip} saddr != ${own}`;
      return `iifname "${name}" ${isForeign} ${refuse('refused_forged')}`;
    }).concat(
      listOfFamilies(prefixes, (ip, own, family) =>
        rule(
          `others-${name}-v${family}`,
          `iifname != "${name}" ${ip} saddr ${own} ${refuse('refused_forged')}`,
        ),
      ),
    ),
  );
}

/** An answer to one of them that a route leads elsewhere, while its device is away, is dropped. */
export function listReplyRules({ name, consumers }: SourceDevice): readonly Rule[] {
  return when(consumers, (prefixes) =>
    listOfFamilies(prefixes, (ip, own, family) =>
      rule(
        `astray-${name}-v${family}`,
        `oifname != "${name}" ${ip} daddr ${own} ${refuse('refused_unsolicited')}`,
      ),
    ),
  );
}

function listOfFamilies(
  prefixes: readonly string[],
  toRule: (ip: 'ip' | 'ip6', own: string, family: 4 | 6) => Rule,
): readonly Rule[] {
  return ([4, 6] as const).flatMap((family) => {
    const own = renderPrefixes(prefixes, family);
    return own === undefined ? [] : [toRule(family === 4 ? 'ip' : 'ip6', own, family)];
  });
}

/** The prefixes in a rule's syntax; undefined without a prefix of this family. */
function renderPrefixes(prefixes: readonly string[], family: 4 | 6): string | undefined {
  const own = toNetworks(prefixes.filter((prefix) => parsePrefix(prefix)?.family === family));
  return own.length === 0 ? undefined : `{ ${own.join(', ')} }`;
}

const syn = 'tcp flags & (syn | rst) == syn tcp option maxseg size';

/** Connections through a device are told at their begin what fits into it. */
export function listSegmentRules({ name, mtu }: SourceDevice, index: number): readonly Rule[] {
  const most = { 4: mtu - 40, 6: mtu - 60 };
  return ['iifname', 'oifname'].flatMap((side) =>
    both(index === 0 ? side : `${side}-${name}`, (_, family) => {
      const which = `${side} "${name}" meta nfproto ipv${family} ${syn} > ${most[family]}`;
      return `${which} tcp option maxseg size set ${most[family]}`;
    }),
  );
}
