import { describe, expect, test } from 'vitest';
import { chooseLink, chooseNameServers } from '../../../src/namespace/plan.ts';

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

describe('name servers in the namespace', () => {
  test.each<[string, string, string | undefined, readonly string[]]>([
    [
      'those of the host',
      'nameserver 192.168.1.1\nnameserver 9.9.9.9\n',
      undefined,
      ['192.168.1.1', '9.9.9.9'],
    ],
    [
      'without comments and options',
      '# nameserver 1.1.1.1\n;x\noptions ndots:1\n\tnameserver  9.9.9.9 # x\n',
      undefined,
      ['9.9.9.9'],
    ],
    ["the stub's upstream", 'nameserver 127.0.0.53\n', 'nameserver 192.168.1.1\n', ['192.168.1.1']],
    ['none but a stub', 'nameserver 127.0.0.53\n', undefined, []],
    ['none but stubs', 'nameserver ::1\n', 'nameserver 127.0.0.1\n', []],
    [
      'what is beside a stub',
      'nameserver 127.0.0.53\nnameserver 9.9.9.9\n',
      'nameserver 1.1.1.1\n',
      ['9.9.9.9'],
    ],
    ['IPv6 too', 'nameserver 2606:4700:4700::1111\n', undefined, ['2606:4700:4700::1111']],
    ['no link-local one, which means nothing there', 'nameserver fe80::1%eth0\n', undefined, []],
    ['no names', 'nameserver dns.example.net\nnameserver $(reboot)\n', undefined, []],
    ['nothing from nothing', '', undefined, []],
  ])('are %s', (_, own, upstream, servers) => {
    expect(chooseNameServers(own, upstream)).toEqual(servers);
  });
});
