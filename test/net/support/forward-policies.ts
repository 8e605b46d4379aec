import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Lab, webPort } from '../../../tools/lab/lab.ts';
import { addresses, isInsideLab } from '../../../tools/lab/network.ts';
import { startProcess } from '../../../tools/lab/processes.ts';
import { createTestLab } from './test-lab.ts';

const worker = join(import.meta.dirname, '../../../dist/worker.cjs');
const established = '-m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT';

/**
 * Hosts that refuse what they forward, each as its maker sets it up: the lines of a shell script,
 * and what loads the maker's rules again.
 */
const hosts = [
  {
    name: 'Docker',
    closed: [
      'iptables-nft -P FORWARD DROP',
      'iptables-nft -N DOCKER-USER',
      'iptables-nft -N DOCKER-FORWARD',
      'iptables-nft -A FORWARD -j DOCKER-USER',
      'iptables-nft -A FORWARD -j DOCKER-FORWARD',
      `iptables-nft -A DOCKER-FORWARD -o docker0 ${established}`,
      'iptables-nft -t nat -A POSTROUTING -s 172.17.0.0/16 ! -o docker0 -j MASQUERADE',
    ],
    again: ['iptables-nft -F DOCKER-USER'],
    room: 'iptables-nft -S DOCKER-USER',
  },
  {
    name: 'ufw',
    closed: [
      'iptables-nft -P FORWARD DROP',
      'iptables-nft -N ufw-before-forward',
      'iptables-nft -N ufw-user-forward',
      'iptables-nft -A FORWARD -j ufw-before-forward',
      `iptables-nft -A ufw-before-forward ${established}`,
      'iptables-nft -A ufw-before-forward -j ufw-user-forward',
    ],
    again: ['iptables-nft -F ufw-user-forward'],
    room: 'iptables-nft -S ufw-user-forward',
  },
  {
    name: 'an owner by iptables',
    closed: ['iptables-nft -P FORWARD DROP', 'iptables-nft -A FORWARD -i br7 -j ACCEPT'],
    again: ['iptables-nft -F FORWARD', 'iptables-nft -A FORWARD -i br7 -j ACCEPT'],
    room: 'iptables-nft -S FORWARD',
  },
  {
    name: 'an owner by nft',
    closed: [
      "nft 'table inet house { chain through { type filter hook forward priority 10; policy drop; iifname br7 accept; }; }'",
      "nft 'table ip other { chain through { type filter hook forward priority -5; policy accept; }; }'",
    ],
    again: [
      'nft flush chain inet house through',
      "nft 'add rule inet house through iifname br7 accept'",
    ],
    room: 'nft list chain inet house through',
  },
  {
    name: 'the last rule of an image',
    closed: [
      'iptables-nft -A FORWARD -i br7 -j ACCEPT',
      'iptables-nft -A FORWARD -j REJECT --reject-with icmp-host-prohibited',
    ],
    again: [
      'iptables-nft -D FORWARD -i tributary-host -j ACCEPT',
      'iptables-nft -D FORWARD -o tributary-host -j ACCEPT',
    ],
    room: 'iptables-nft -S FORWARD',
  },
  {
    name: 'the last rule of an owner by nft',
    closed: [
      "nft 'table inet house { chain through { type filter hook forward priority 10; iifname br7 accept; counter reject with icmpx admin-prohibited; }; }'",
    ],
    again: [
      'nft flush chain inet house through',
      "nft 'add rule inet house through iifname br7 accept'",
      "nft 'add rule inet house through counter reject with icmpx admin-prohibited'",
    ],
    room: 'nft list chain inet house through',
  },
] as const;

/**
 * Claims about a host whose other tables refuse what is forwarded. Part of a test file that has the
 * namespace's name for itself.
 */
export function describeForwardPolicies(): void {
  // Outside the lab there are no namespaces, and the host itself would be changed.
  describe.skipIf(!isInsideLab())('the namespace on a host whose forwarding is closed by', () => {
    let lab: Lab;

    const run = async (...command: readonly string[]) => {
      const argv = [
        'nsenter',
        `--net=/run/netns/${lab.network.netns('device')}`,
        ...command,
      ] as const;
      const running = startProcess({ argv: argv as readonly [string, ...string[]] });
      const exitCode = await running.exited;
      const text = running.lines.join('\n');
      if (exitCode !== 0) throw new Error(`${command.join(' ')} exited with ${exitCode}: ${text}`);
      return text;
    };
    const shell = (...lines: readonly string[]) => run('sh', '-e', '-c', lines.join('\n'));
    // Without `ip netns exec NAME`, which the lab puts in front.
    const namespace = (direction: 'up' | 'down') =>
      run(...lab.command('namespace', direction).slice(4));
    const probe = () =>
      run(
        'ip',
        'netns',
        'exec',
        'tributary',
        process.execPath,
        worker,
        'probe',
        addresses.internet,
        String(webPort),
      );
    const snapshot = () =>
      shell(
        // Not what rules have counted meanwhile.
        "nft --stateless list ruleset 2>/dev/null | sed '/elements = .* ct count/d'",
        // Not its comments and counts, which tell the time and what was refused meanwhile.
        "iptables-nft-save 2>/dev/null | sed '/^#/d; s/ \\[.*//'",
        // Of the namespaces its own alone: others of the lab come and go.
        // It says so where one of them goes meanwhile.
        'ip -4 address 2>/dev/null; ip rule; ip route; ls /run/netns | grep -x tributary || :',
        'sysctl -a --pattern "^net.ipv4.(conf.*forwarding|ip_forward)"',
      );

    beforeAll(async () => {
      const gateway = { allow_destinations: ['192.0.2.0/24', '198.51.100.0/24'] };
      lab = await createTestLab({ id: 'closed', profile: 'documented', config: { gateway } });
    });
    afterEach(() => shell('nft flush ruleset'));
    afterAll(() => lab?.remove());

    it.each(hosts)('$name leads out, and leaves no trace', async ({ closed, again, room }) => {
      await shell(...closed);
      const before = await snapshot();

      await namespace('up');
      expect(await probe()).toBe('reached');
      expect((await run(...room.split(' '))).match(/tributary-host/g)).toHaveLength(2);

      const up = await snapshot();
      await namespace('up');
      expect(await snapshot(), 'once more changes nothing').toBe(up);

      await shell(...again);
      expect(await probe()).toBe('refused');
      await namespace('up');
      expect(await probe()).toBe('reached');

      await namespace('down');
      await namespace('down');
      expect(await snapshot()).toBe(before);
    });

    it('nobody is left alone: no rule is put where none is needed', async () => {
      await shell('iptables-nft -N DOCKER-USER', 'iptables-nft -A FORWARD -j DOCKER-USER');
      await namespace('up');
      expect(await run('iptables-nft', '-S')).not.toContain('tributary');
      expect(await probe()).toBe('reached');
      await namespace('down');
    });

    it('another who begins to forward meanwhile keeps what he switched on', async () => {
      await namespace('up');
      await shell('sysctl -qw net.ipv4.ip_forward=1');
      await namespace('up');
      // Between his own networks, which the host's fence refuses only while it alone made the host
      // forward.
      expect(await run('nft', 'list', 'table', 'inet', 'tributary_host')).not.toContain(
        'oifname "lan0" drop',
      );
      await namespace('down');
      expect(await run('sysctl', '-n', 'net.ipv4.conf.lan0.forwarding')).toBe('1');
      await shell('sysctl -qw net.ipv4.ip_forward=0');
    });
  });
}
