import { describe, expect, test } from 'vitest';
import { chooseLink } from '../../../src/namespace/plan.ts';

describe('the link between host and namespace', () => {
  test('uses the first network that overlaps with none of the host’s', () => {
    expect(chooseLink([])).toEqual({
      network: '198.18.213.0/30',
      hostAddress: '198.18.213.1',
      namespaceAddress: '198.18.213.2',
    });
  });

  test.each([
    [['192.168.1.0/24', 'fd00::/8'], '198.18.213.0/30'],
    [['198.18.213.2/32'], '198.19.213.0/30'],
    [['198.18.0.0/16'], '198.19.213.0/30'],
    [['198.18.213.0/30', '198.19.213.0/24'], '198.18.87.0/30'],
    [['198.18.213.0/30', '198.19.0.0/16', '198.18.87.0/31'], undefined],
    [['198.18.0.0/15'], undefined],
    [['0.0.0.0/0'], undefined],
    [['::/0', 'nonsense'], '198.18.213.0/30'],
  ])('beside %j is %s', (own, network) => {
    if (network === undefined)
      expect(() => chooseLink(own)).toThrow(expect.objectContaining({ code: 'gateway-failed' }));
    else expect(chooseLink(own).network).toBe(network);
  });
});
