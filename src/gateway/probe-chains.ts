import { nameDevices, type SourceDevice } from './devices.ts';
import { baseChain, type Chain, rule } from './rule.ts';
import {
  type Probe,
  probeMark,
  probeSets,
  toProbeMark,
  toProbeNumber,
  toProbeTarget,
} from './self-test.ts';

/**
 * The chains by which the fence tests itself, see `self-test.ts`. A probe that gets past the rules
 * about destinations closes the gateway at once.
 */
export function toProbeChains(
  probes: readonly Probe[],
  devices: readonly Pick<SourceDevice, 'name'>[],
): readonly Chain[] {
  const tunnel = nameDevices(devices);
  return [
    // Only packets of this device pass here: consumers' packets are forwarded.
    baseChain(
      'probe_departure',
      'type filter hook output priority mangle; policy accept;',
      probes.map((probe) =>
        rule(`probe-${toProbeNumber(probe)}`, `oifname "${probe.device}" ${renderProbe(probe)}`),
      ),
    ),
    baseChain('probe_arrival', 'type filter hook prerouting priority raw; policy accept;', [
      rule('probe', `iifname ${tunnel} ${probeMark.any} ${countProbe('arrived')}`),
    ]),
    baseChain('probe_leak', 'type filter hook prerouting priority filter + 10; policy accept;', [
      rule(
        'leak',
        `iifname ${tunnel} ${probeMark.refused} ${countProbe('passed')} delete @permit { iifname } drop`,
      ),
    ]),
  ];
}

function renderProbe(probe: Probe): string {
  const ip = probe.family === 4 ? 'ip' : 'ip6';
  return [
    `${ip} daddr ${toProbeTarget(probe)} udp dport ${toProbeNumber(probe)}`,
    `meta mark set 0x${toProbeMark(probe).toString(16)}`,
    `${ip} saddr set ${probe.source} ${ip} daddr set ${probe.destination} udp dport set ${probe.port}`,
  ].join(' ');
}

export function countProbe(what: keyof typeof probeSets): string {
  return `add @${probeSets[what]} { meta mark counter }`;
}
