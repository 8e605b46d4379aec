import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Lab, waitForDownload, webPort } from '../../tools/lab/lab.ts';
import { addresses, isInsideLab } from '../../tools/lab/network.ts';
import type { LabProcess } from '../../tools/lab/processes.ts';
import { createTestLab, showLogOnFailure } from './support/test-lab.ts';

const tunnel = 'trib-strng';

/** By its argv: the process that carries this device's tunnel, and no other. */
const killWireGuard = `for process in /proc/[0-9]*; do
  case $(tr '\\0' ' ' <"$process/cmdline" 2>/dev/null) in *wireguard-go\\ ${tunnel}\\ ) kill -9 "\${process#/proc/}" && killed=1 ;; esac
done; [ "$killed" ]`;

const deeds: readonly (readonly [name: string, ...command: readonly string[]])[] = [
  ['flushes every nft rule', 'nft', 'flush', 'ruleset'],
  [
    'deletes the rules for routing',
    'sh',
    '-c',
    'ip rule delete priority 5181; ip rule delete priority 5182',
  ],
  ['flushes every rule for routing', 'ip', 'rule', 'flush'],
  ['flushes the routes', 'sh', '-c', 'ip route flush table 51820; ip route flush table 51821'],
  [
    'adds a rule to the gateway',
    'nft',
    'insert',
    'rule',
    'inet',
    'tributary',
    'destination',
    'accept',
  ],
  ['turns forwarding off', 'sh', '-c', 'echo 0 >/proc/sys/net/ipv4/conf/lan0/forwarding'],
  ['deletes the interface', 'ip', 'link', 'delete', tunnel],
  ['renames the interface', 'ip', 'link', 'set', tunnel, 'name', 'renamed0'],
  ['kills wireguard-go', 'sh', '-c', killWireGuard],
];

// Namespaces are needed; test/global-setup.ts says aloud that this is left out.
describe.skipIf(!isInsideLab())('a stranger on the device', () => {
  let lab: Lab;
  let agent: LabProcess;
  beforeAll(async () => {
    lab = await createTestLab({
      id: 'strng',
      profile: 'documented',
      config: { gateway: { allow_destinations: ['192.0.2.0/24'], permit_seconds: 5 } },
    });
    agent = lab.startAgent();
    await lab.waitForStatus(({ phase }) => phase === 'providing');
  });
  beforeEach((context) => showLogOnFailure(context, () => agent));
  afterAll(() => lab?.remove());

  it.each(deeds)('who %s opens no way home, and it is mended by itself', async (_, ...command) => {
    await lab.network.run('device', ...command);
    expect(await lab.probe(addresses.nas, webPort)).toBe('refused');
    await expect
      .poll(() => lab.probe(addresses.internet, webPort), { interval: 200 })
      .toBe('reached');
    expect(await waitForDownload(lab.startDownload(1_000_000, 20))).toMatchObject({
      isWhole: true,
    });
    expect(await lab.probe(addresses.nas, webPort)).toBe('refused');
    expect((await lab.status()).phase).toBe('providing');
    const rules = await lab.network.run(
      'device',
      'sh',
      '-c',
      'nft list table inet tributary; ip rule',
    );
    expect(rules).toMatch(
      /chain forward \{\s+type filter hook forward priority filter; policy drop;/,
    );
    expect(rules).toMatch(new RegExp(`5181:\\s+from all iif ${tunnel} lookup 51821`));
  });
});
