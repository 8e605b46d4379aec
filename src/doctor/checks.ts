import type { Finding } from './check.ts';
import { lookAtAgent, lookAtConfiguration, lookAtDisk } from './checks/agent.ts';
import { lookAtFirewalls } from './checks/firewalls.ts';
import {
  lookAtClock,
  lookAtMemory,
  lookAtNft,
  lookAtNode,
  lookAtPrivileges,
  lookAtTun,
  lookAtWireGuard,
} from './checks/machine.ts';
import { lookAtNamespace, lookAtNetworkd, lookAtTailscale, lookAtUplink } from './checks/network.ts';
import { lookAtClient, lookAtDns, lookAtProfile, lookAtService, lookAtToken } from './checks/service.ts';
import {
  lookAtCollision,
  lookAtEndpoint,
  lookAtForwarding,
  lookAtHandshake,
  lookAtMtu,
  lookAtOtherWireGuard,
} from './checks/tunnel.ts';
import type { DoctorHost } from './host.ts';

const path = ['configuration', 'namespace', 'uplink', 'firewalls', 'tailscale'] as const;
const signedIn = [...path, 'clock', 'disk', 'dns', 'service', 'mtu'] as const;
const tools = ['privileges', 'nft', 'tun', 'wireguard'] as const;

/** Every check with what it needs; a new one is one row, below all that it needs. */
const rows = [
  { id: 'node', title: 'Node', needs: [], look: lookAtNode },
  { id: 'configuration', title: 'Configuration', needs: [], look: lookAtConfiguration },
  { id: 'memory', title: 'Memory', needs: [], look: lookAtMemory },
  { id: 'disk', title: 'State directory', needs: [], look: lookAtDisk },
  { id: 'privileges', title: 'Privileges', needs: [], look: lookAtPrivileges },
  { id: 'namespace', title: 'Namespace', needs: [], look: lookAtNamespace },
  { id: 'clock', title: 'Clock', needs: [], look: lookAtClock },
  { id: 'nft', title: 'nft', needs: ['privileges', 'namespace'], look: lookAtNft },
  { id: 'tun', title: '/dev/net/tun', needs: [], look: lookAtTun },
  { id: 'wireguard', title: 'WireGuard', needs: ['tun'], look: lookAtWireGuard },
  { id: 'uplink', title: 'Uplink', needs: ['configuration', 'namespace'], look: lookAtUplink },
  { id: 'firewalls', title: 'Other firewalls', needs: ['configuration', 'namespace', 'nft'], look: lookAtFirewalls },
  { id: 'tailscale', title: 'Tailscale', needs: ['namespace'], look: lookAtTailscale },
  { id: 'networkd', title: 'systemd-networkd', needs: ['configuration', 'namespace'], look: lookAtNetworkd },
  { id: 'dns', title: 'Names', needs: path, look: lookAtDns },
  { id: 'mtu', title: 'Packet size', needs: [...path, 'disk', 'dns'], look: lookAtMtu },
  { id: 'service', title: 'Service', needs: [...path, 'clock', 'dns', 'mtu'], look: lookAtService },
  { id: 'token', title: 'Sign-in', needs: signedIn, look: lookAtToken },
  { id: 'profile', title: 'Profile', needs: ['configuration', 'disk'], look: lookAtProfile },
  { id: 'client', title: 'Client', needs: [...signedIn, 'token'], look: lookAtClient },
  { id: 'agent', title: 'Agent', needs: ['configuration', 'disk', 'memory'], look: lookAtAgent },
  { id: 'collision', title: 'LAN and tunnel', needs: ['configuration', 'namespace', 'disk'], look: lookAtCollision },
  {
    id: 'other-wireguard',
    title: 'Other WireGuard',
    needs: ['configuration', 'disk', 'wireguard'],
    look: lookAtOtherWireGuard,
  },
  { id: 'endpoint', title: 'Endpoint', needs: [...path, 'disk', 'dns'], look: lookAtEndpoint },
  {
    id: 'handshake',
    title: 'Handshake',
    needs: [...tools, ...signedIn, 'token', 'client', 'agent', 'collision', 'other-wireguard', 'endpoint'],
    look: lookAtHandshake,
  },
  {
    id: 'forwarding',
    title: 'Forwarding',
    needs: [
      ...tools,
      ...signedIn,
      'networkd',
      'token',
      'client',
      'agent',
      'collision',
      'other-wireguard',
      'endpoint',
      'handshake',
    ],
    look: lookAtForwarding,
  },
] as const;

/** A check's stable name: scripts and `needs` rely on them. */
export type CheckId = (typeof rows)[number]['id'];

/** One thing to look at. */
export interface Check {
  readonly id: CheckId;
  /** For people, at most 16 characters. */
  readonly title: string;
  /** Checks that have to pass before this one can: where one of them fails, this failure follows from it. */
  readonly needs: readonly CheckId[];
  /** Changes nothing. An error says that it cannot be looked at here, or is the failure itself. */
  readonly look: (host: DoctorHost) => Promise<Finding>;
}

/** The table, in an order in which each check is below all that it needs. */
export const checks: readonly Check[] = rows;
