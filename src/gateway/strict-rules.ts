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
  const badAddress = rule('bad-address', `meta mark ${badMark} ${refuse('refused_bad')}`);
  if (!devices.some(({ isStrict }) => isStrict)) return [];
  return [
    chain('strict', [badAddress, ...listRisky('dport').flatMap(withFirstBytes)]),
    ...listSharingChains(),
    chain('strict_answers', [...allowed, badAddress, ...listRisky('sport')]),
  ];
}

/** The names of these chains, which come and go. */
export function listStrictChainNames(): readonly string[] {
  return ['strict', ...listSharingChains().map(({ name }) => name), 'strict_answers'];
}

/** What is refused by the far end's port: a rule for TCP, one for UDP, and one for the rest. */
function listRisky(side: PortSide): readonly Rule[] {
  return listPortMatches(listStrictPorts(), { by: 'ports', side }).map(({ name, match }) =>
    rule(name.replace('blocked', 'risky'), `${match} ${refuse('refused_risky')}`),
  );
}

/** Behind its ports, a protocol's first bytes are looked at, and no rule of another protocol. */
function withFirstBytes(risky: Rule): readonly Rule[] {
  const { tcp, udp } = listSharingRules();
  switch (risky.name) {
    case 'risky-tcp':
      return [risky, tcp];
    case 'risky-udp':
      return [risky, udp];
    default:
      return [risky];
  }
}
