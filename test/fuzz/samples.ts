import { hash } from 'node:crypto';
import type { OperationName } from '../../src/service/operations.ts';
import { renderIssuedText } from '../unit/source/wireguard/issued-fixture.ts';

export const answers: Partial<Record<OperationName, string>> = {
  authClient: JSON.stringify({
    by_client_jwt: 'e30.eyJjbGllbnRfaWQiOiIxIn0.',
    keepalive_seconds: 60,
    proxy_config_result: {
      keepalive_seconds: 60,
      proxy_client: { proxy_host: 'p', wg_config: { config: 'x', wg_proxy_port: 1 } },
    },
  }),
  clients: JSON.stringify({
    clients: [
      { client_id: '1', device_spec: 'x', connections: [{ connect_time: '2026-01-01T00:00:00Z' }] },
    ],
  }),
};

export const tunnelSamples = [
  renderIssuedText(),
  renderIssuedText({ DNS: 'MTU = 1300', Address: 'Address = 10.4.4.4, fd00::2/64' }),
  renderIssuedText({
    Endpoint: 'Endpoint = [2001:db8::1]:51820',
    AllowedIPs: 'AllowedIPs = 0.0.0.0/0, ::/0',
  }),
];
export const jsonOfIp = JSON.stringify([
  {
    ifindex: 2,
    ifname: 'eth0',
    flags: ['UP'],
    mtu: 1500,
    address: '02:00:00:00:00:01',
    operstate: 'UP',
    link_type: 'ether',
    addr_info: [
      { family: 'inet', local: '192.168.1.5', prefixlen: 24 },
      { family: 'inet6', local: 'fe80::1', prefixlen: 64 },
    ],
  },
  {
    type: 'unicast',
    dst: 'default',
    gateway: '192.168.1.1',
    dev: 'eth0',
    metric: 100,
    table: 'main',
    ifindex: 3,
    ifname: 'lo',
    flags: ['LOOPBACK'],
  },
]);
export const jsonOfNft = JSON.stringify({
  nftables: [
    { metainfo: { version: '1.0.6' } },
    { table: { family: 'inet', name: 'tributary', handle: 1 } },
    {
      chain: {
        family: 'inet',
        table: 'tributary',
        name: 'forward',
        hook: 'forward',
        prio: 0,
        policy: 'drop',
      },
    },
    {
      rule: {
        family: 'inet',
        table: 'tributary',
        chain: 'forward',
        comment: 'x',
        expr: [{ accept: null }],
      },
    },
    { counter: { family: 'inet', table: 'tributary', name: 'forwarded_up', packets: 1, bytes: 2 } },
    { quota: { family: 'inet', table: 'tributary', name: 'cap', bytes: 100, used: 3 } },
    {
      set: {
        family: 'inet',
        table: 'tributary',
        name: 'own4',
        elem: [
          '10.0.0.1',
          { prefix: { addr: '10.0.0.0', len: 8 } },
          { elem: { val: 'tributary0', expires: 42 } },
          { range: [1, 2] },
        ],
      },
    },
  ],
});

const identity = { installId: '0011223344556677', isUncertain: false };
/** A state file whose checksum is right. */
export const wholeIdentity = JSON.stringify({
  version: 1,
  sha256: hash('sha256', JSON.stringify(identity)),
  data: identity,
});
