import { describe, expect, test } from 'vitest';
import { expandPresets } from '../../../src/config/port-presets.ts';
import { type HostPolicy, renderHostRuleset } from '../../../src/namespace/host-ruleset.ts';
import { reviewedHostPolicies } from './host-policy-fixture.ts';

const { offline: _offline, ...online } = reviewedHostPolicies;
const everything = reviewedHostPolicies.everything as HostPolicy;

describe("the host's side of the fence", () => {
  test.each(Object.entries(reviewedHostPolicies))(
    'for the policy "%s" looks as reviewed',
    async (name, policy) => {
      await expect(renderHostRuleset(policy)).toMatchFileSnapshot(
        `../../golden/gateway-host-${name}.nft`,
      );
    },
  );

  test.each(Object.entries(online))(
    'for the policy "%s" refuses before it accepts',
    (_, policy) => {
      const lines = renderHostRuleset(policy).split('\n');
      const at = (part: string) => lines.findIndex((line) => line.includes(part));
      expect(at('ip saddr != 198.18.213.2 drop')).toBeGreaterThan(0);
      expect(at('169.254.0.0/16')).toBeGreaterThan(at('ip saddr !='));
      expect(lines.indexOf('    accept')).toBeGreaterThan(at('169.254.0.0/16'));
    },
  );

  test.each(Object.entries(online))(
    'for the policy "%s" accepts only what leaves by the uplink, where it is translated',
    (_, policy) => {
      const text = renderHostRuleset(policy);
      const chain = text.slice(text.indexOf('chain from_namespace'), text.indexOf('chain input'));
      const [before] = chain.split(`oifname != "${policy.uplink}" drop`);
      expect(before).not.toBe(chain);
      expect(before).not.toMatch(/accept$/m);
    },
  );

  test('refuses blocked ports before anything that is allowed, but for name servers and recipients', () => {
    const lines = renderHostRuleset(everything).split('\n');
    const at = (part: string) => lines.findIndex((line) => line.includes(part));
    for (const ports of [
      'th dport { 25 } drop',
      // With the ports at which routers read along, from consumers alone.
      'th dport { 1719-1720, 5060, 6881-6889 } th sport 16384-32767 drop',
      'tcp dport { 21, 6660-6669 } th sport 16384-32767 drop',
    ]) {
      expect(at(ports)).toBeGreaterThan(at('tcp dport 443 accept'));
      expect(at('192.0.2.7, 192.0.2.0/25 } accept')).toBeGreaterThan(at(ports));
    }
  });

  test.each(['web-only', '1-65535', 'udp/50000-60000'])(
    'keeps the tunnel alive where "%s" is blocked',
    (entry) => {
      const lines = renderHostRuleset({
        ...everything,
        blockedPorts: expandPresets([entry]),
      }).split('\n');
      const ofPorts = lines.filter((line) => /dport \{.* drop$/.test(line));
      expect(ofPorts.some((line) => line.includes('-60000') || line.includes('-65535'))).toBe(true);
      // The only single ports, 80 by UDP among "web-only", are none that a tunnel has.
      const forAll = ofPorts.filter((line) => !line.endsWith('th sport 16384-32767 drop'));
      expect(forAll.map((line) => line.trim())).toEqual(
        entry === 'web-only' ? ['udp dport { 80 } drop'] : [],
      );
    },
  );

  test('without an uplink nothing leaves, not even what is allowed: it would stay untranslated later', () => {
    const text = renderHostRuleset({ ...everything, uplink: undefined });
    const chain = text.slice(text.indexOf('chain from_namespace'), text.indexOf('chain input'));
    expect(chain).not.toContain('accept');
    expect(chain).toContain('drop');
  });
});
