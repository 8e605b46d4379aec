import { describe, expect, test } from 'vitest';
import { renderHostRuleset } from '../../../src/namespace/host-ruleset.ts';
import { reviewedHostPolicies } from './host-policy-fixture.ts';

describe("the host's side of the fence", () => {
  test.each(Object.entries(reviewedHostPolicies))('for the policy "%s" looks as reviewed', async (name, policy) => {
    await expect(renderHostRuleset(policy)).toMatchFileSnapshot(`../../golden/gateway-host-${name}.nft`);
  });

  test.each(Object.entries(reviewedHostPolicies))('for the policy "%s" refuses before it accepts', (_, policy) => {
    const lines = renderHostRuleset(policy).split('\n');
    const at = (part: string) => lines.findIndex((line) => line.includes(part));
    expect(at('ip saddr != 198.18.213.2 drop')).toBeGreaterThan(0);
    expect(at('169.254.0.0/16')).toBeGreaterThan(at('ip saddr !='));
    expect(at('oifname "eth0" accept')).toBeGreaterThan(at('169.254.0.0/16'));
  });
});
