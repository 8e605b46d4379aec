import type { Finding } from './check.ts';
import * as agent from './checks/agent.ts';
import { lookAtConnections } from './checks/connections.ts';
import { lookAtFirewalls } from './checks/firewalls.ts';
import * as forwarding from './checks/forwarding.ts';
import { lookAtHostRights } from './checks/host-rights.ts';
import * as machine from './checks/machine.ts';
import * as network from './checks/network.ts';
import { lookAtMtu } from './checks/packet-size.ts';
import * as service from './checks/service.ts';
import { lookAtSources } from './checks/sources.ts';
import * as tunnel from './checks/tunnel.ts';
import type { DoctorHost } from './host.ts';

const known = ['configuration', 'disk'] as const;
const placed = ['configuration', 'namespace'] as const;
const path = [...placed, 'uplink', 'firewalls', 'tailscale'] as const;
const signedIn = [...path, 'clock', 'disk', 'dns', 'service', 'mtu'] as const;
const tools = ['privileges', 'nft', 'tun', 'wireguard'] as const;
const connection = [
  'token',
  'client',
  'agent',
  'collision',
  'other-wireguard',
  'endpoint',
] as const;
const proven = [...tools, ...signedIn, ...connection] as const;
const all = [...proven, 'networkd', 'handshake', 'sources', 'self-test'] as const;
const ofTunnel = { source: 'wireguard' } as const;

/** Every check with the checks that it needs. A new check is one row, below all that it needs. */
const rows = [
  { id: 'node', title: 'Node', needs: [], look: machine.lookAtNode },
  { id: 'configuration', title: 'Configuration', needs: [], look: agent.lookAtConfiguration },
  { id: 'memory', title: 'Memory', needs: [], look: machine.lookAtMemory },
  { id: 'disk', title: 'State directory', needs: [], look: agent.lookAtDisk },
  { id: 'privileges', title: 'Privileges', needs: [], look: machine.lookAtPrivileges },
  { id: 'namespace', title: 'Namespace', needs: [], look: network.lookAtNamespace },
  { id: 'host-rights', title: 'Rights on host', needs: ['namespace'], look: lookAtHostRights },
  { id: 'clock', title: 'Clock', needs: [], look: machine.lookAtClock },
  { id: 'nft', title: 'nft', needs: ['privileges', 'namespace'], look: machine.lookAtNft },
  {
    id: 'connections',
    title: 'Connections',
    needs: ['nft', 'namespace'],
    look: lookAtConnections,
  },
  { id: 'tun', title: '/dev/net/tun', needs: [], look: machine.lookAtTun },
  {
    id: 'wireguard',
    title: 'WireGuard',
    needs: ['tun'],
    ...ofTunnel,
    look: machine.lookAtWireGuard,
  },
  { id: 'uplink', title: 'Uplink', needs: placed, look: network.lookAtUplink },
  { id: 'firewalls', title: 'Other firewalls', needs: [...placed, 'nft'], look: lookAtFirewalls },
  {
    id: 'outside',
    title: 'Public address',
    needs: [...placed, 'nft', 'uplink'],
    look: network.lookAtOutside,
  },
  { id: 'tailscale', title: 'Tailscale', needs: ['namespace'], look: network.lookAtTailscale },
  { id: 'networkd', title: 'systemd-networkd', needs: placed, look: network.lookAtNetworkd },
  { id: 'dns', title: 'Names', needs: path, look: service.lookAtDns },
  {
    id: 'mtu',
    title: 'Packet size',
    needs: [...path, 'disk', 'dns'],
    ...ofTunnel,
    look: lookAtMtu,
  },
  {
    id: 'service',
    title: 'Service',
    needs: [...path, 'clock', 'dns', 'mtu'],
    look: service.lookAtService,
  },
  { id: 'token', title: 'Sign-in', needs: signedIn, look: service.lookAtToken },
  { id: 'profile', title: 'Profile', needs: known, look: service.lookAtProfile },
  { id: 'client', title: 'Client', needs: [...signedIn, 'token'], look: service.lookAtClient },
  { id: 'agent', title: 'Agent', needs: [...known, 'memory'], look: agent.lookAtAgent },
  { id: 'log', title: 'Log', needs: ['agent'], look: agent.lookAtLog },
  { id: 'reports', title: 'Reports', needs: ['configuration', 'agent'], look: agent.lookAtReports },
  {
    id: 'collision',
    title: 'LAN and tunnel',
    needs: [...placed, 'disk'],
    ...ofTunnel,
    look: tunnel.lookAtCollision,
  },
  {
    id: 'other-wireguard',
    title: 'Other WireGuard',
    needs: [...known, 'wireguard'],
    ...ofTunnel,
    look: tunnel.lookAtRivals,
  },
  {
    id: 'endpoint',
    title: 'Endpoint',
    needs: [...path, 'disk', 'dns'],
    ...ofTunnel,
    look: tunnel.lookAtEndpoint,
  },
  {
    id: 'handshake',
    title: 'Handshake',
    needs: proven,
    ...ofTunnel,
    look: tunnel.lookAtHandshake,
  },
  { id: 'sources', title: 'Sources', needs: [...proven, 'handshake'], look: lookAtSources },
  {
    id: 'self-test',
    title: 'Firewall test',
    needs: [...tools, 'firewalls', 'agent'],
    look: forwarding.lookAtSelfTest,
  },
  { id: 'line', title: 'Line', needs: ['agent'], look: forwarding.lookAtLine },
  { id: 'delays', title: 'Delays on line', needs: ['agent'], look: forwarding.lookAtDelays },
  { id: 'forwarding', title: 'Forwarding', needs: all, look: forwarding.lookAtForwarding },
] as const;

/** A check's stable name. Scripts and `needs` rely on it. */
export type CheckId = (typeof rows)[number]['id'];

export interface Check {
  readonly id: CheckId;
  /** For people; at most 16 characters. */
  readonly title: string;
  /**
   * Checks that have to pass before this one can. If one of them fails, this check's failure is its
   * consequence.
   */
  readonly needs: readonly CheckId[];
  /**
   * The one source that the check is about, by its name. It is left out where the configuration
   * asks for other sources only.
   */
  readonly source?: string;
  /**
   * Makes the check without changing anything. An error means that it cannot be made here, or is
   * the failure itself.
   */
  readonly look: (host: DoctorHost) => Promise<Finding>;
}

/** All checks; each is below every check that it needs. */
export const checks: readonly Check[] = rows;
