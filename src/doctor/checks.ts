import type { Check, CheckId } from './check.ts';
import { lookAtAgent } from './checks/agent.ts';
import { lookAtClient } from './checks/client.ts';
import { lookAtClock } from './checks/clock.ts';
import { lookAtCollision } from './checks/collision.ts';
import { lookAtConfiguration } from './checks/configuration.ts';
import { lookAtDisk } from './checks/disk.ts';
import { lookAtDns } from './checks/dns.ts';
import { lookAtEndpoint } from './checks/endpoint.ts';
import { lookAtFirewalls } from './checks/firewalls.ts';
import { lookAtForwarding } from './checks/forwarding.ts';
import { lookAtHandshake } from './checks/handshake.ts';
import { lookAtMemory } from './checks/memory.ts';
import { lookAtMtu } from './checks/mtu.ts';
import { lookAtNamespace } from './checks/namespace.ts';
import { lookAtNetworkd } from './checks/networkd.ts';
import { lookAtNft } from './checks/nft.ts';
import { lookAtNode } from './checks/node.ts';
import { lookAtOtherWireGuard } from './checks/other-wireguard.ts';
import { lookAtPrivileges } from './checks/privileges.ts';
import { lookAtProfile } from './checks/profile.ts';
import { lookAtService } from './checks/service.ts';
import { lookAtTailscale } from './checks/tailscale.ts';
import { lookAtToken } from './checks/token.ts';
import { lookAtTun } from './checks/tun.ts';
import { lookAtUplink } from './checks/uplink.ts';
import { lookAtWireGuard } from './checks/wireguard.ts';

const path: readonly CheckId[] = ['configuration', 'namespace', 'uplink', 'firewalls', 'tailscale'];
const signedIn: readonly CheckId[] = [...path, 'clock', 'disk', 'dns', 'service', 'mtu'];
const tools: readonly CheckId[] = ['privileges', 'nft', 'tun', 'wireguard'];

/** Every check with what it needs; a new one is one row, below all that it needs. */
export const checks: readonly Check[] = [
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
];
