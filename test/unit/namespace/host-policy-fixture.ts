import type { HostPolicy } from '../../../src/namespace/host-ruleset.ts';

const plain: HostPolicy = {
  link: {
    network: '198.18.213.0/30',
    hostAddress: '198.18.213.1',
    namespaceAddress: '198.18.213.2',
  },
  uplink: 'eth0',
  uplinkAddresses: ['192.168.1.10'],
  ownPrefixes: ['192.168.1.0/24'],
  nameServers: ['192.168.1.1'],
  consumerPorts: [{ first: 16_384, last: 32_767 }],
  openProtocols: [],
  tunnelEnds: [],
  publicAddresses: [],
  allowDestinations: [],
  denyDestinations: [],
  blockedPorts: [25],
  helperPorts: [],
  connections: 12_288,
  ownConnections: 2048,
  recipients: [],
  switched: ['eth0'],
};

/** The policies of the host's side of the fence that are reviewed as text. */
export const reviewedHostPolicies: Readonly<Record<string, HostPolicy>> = {
  plain,
  offline: {
    ...plain,
    uplink: undefined,
    uplinkAddresses: [],
    nameServers: [],
    switched: [],
  },
  bare: {
    ...plain,
    ownPrefixes: [],
    nameServers: [],
    consumerPorts: [],
    blockedPorts: [],
    connections: 0,
    switched: [],
  },
  everything: {
    ...plain,
    switched: ['eth0', 'wlan0'],
    openProtocols: ['6in4'],
    tunnelEnds: ['198.51.100.77', '2001:db8::77'],
    ownPrefixes: ['10.0.0.0/8', '10.1.0.0/16', '172.17.0.0/16', '192.168.1.0/24', 'fd00::/64'],
    nameServers: ['192.168.1.1', '1.1.1.1', '1.1.1.1', '2606:4700:4700::1111'],
    blockedPorts: [25, '6881-6889', 'udp/1900', 'tcp/6660-6669', 'tcp/6665', 'other-protocols'],
    helperPorts: ['tcp/21', '1719-1720', 5060],
    allowDestinations: ['192.0.2.0/24', '192.0.2.7', '192.0.2.0/25', '2001:db8::/32'],
    denyDestinations: ['192.0.2.9', '2001:db8::7'],
    publicAddresses: ['198.51.100.20'],
    recipients: [
      { address: '192.168.1.10', port: 8883 },
      { address: '192.168.1.5', port: 443 },
    ],
  },
};
