import { nameDevices, type SourceDevice } from './devices.ts';
import { listSharingChains, listSharingRules } from './file-sharing.ts';
import { badMark, type GatewayPolicy } from './policy.ts';
import { listPortMatches, type PortSide } from './ports.ts';
import { both, type Chain, chain, type Rule, refuse, rule } from './rule.ts';
import { listStrictPorts } from './strict-ports.ts';

/*
 * The strict rules, for sources whose consumers are strangers: complaints about what they do reach
 * whom the address belongs to. Ports and bad addresses are refused both ways, so what is refused
 * ends at once, also where it was open before. `strictness.ts` decides where they hold.
 */

/** Where packets of consumers go on to the strict rules, if a device has them. */
export function listStrictJumps(
  devices: readonly SourceDevice[],
  side: 'iifname' | 'oifname',
): readonly Rule[] {
  const strict = devices.filter(({ isStrict }) => isStrict);
  if (strict.length === 0) return [];
  const which = strict.length === devices.length ? '' : `${side} ${nameDevices(strict)} `;
  const name = side === 'iifname' ? 'strict' : 'strict_answers';
  return [rule(name.replace('_', '-'), `${which}jump ${name}`)];
}

/** The chains of the strict rules; none where no device has them. */
export function listStrictChains({
  devices,
  allowDestinations,
}: Pick<GatewayPolicy, 'devices' | 'allowDestinations'>): readonly Chain[] {
  // The way there has been left before the strict rules.
  const allowed =
    allowDestinations.length === 0
      ? []
      : both('allowed', (ip, family) => `${ip} saddr @allowed${family} return`);
  if (!devices.some(({ isStrict }) => isStrict)) return [];
  return [
    chain('strict', [...listRefusals('dport'), ...listSharingRules()]),
    ...listSharingChains(),
    chain('strict_answers', [...allowed, ...listRefusals('sport')]),
  ];
}

/** What is refused both ways: by the port and the address of the far end. */
function listRefusals(side: PortSide): readonly Rule[] {
  return [
    rule('bad-address', `meta mark ${badMark} ${refuse('refused_bad')}`),
    ...listPortMatches(listStrictPorts(), { by: 'ports', side }).map(({ name, match }) =>
      rule(name.replace('blocked', 'risky'), `${match} ${refuse('refused_risky')}`),
    ),
  ];
}
