import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openTun } from '../../src/connect/tun/open-tun.ts';
import { createTunDevice } from '../../src/connect/tun/tun-device.ts';
import { exec } from '../../src/system/exec.ts';
import { isInsideLab } from '../../tools/lab/network.ts';
import { startProcess } from '../../tools/lab/processes.ts';
import { startProviderWorld } from '../reference-service/platform/provider-world.ts';

const id = randomBytes(2).toString('hex');
const host = `cc${id}`;
const provider = `cp${id}`;
const link = { ours: `co${id}`, theirs: `ct${id}` };
const serviceAddress = '10.97.0.1';
/** Where the consumer can only get to through the provider. */
const far = { ipv4: '10.98.0.1', ipv6: 'fd98::1' };
const dist = join(import.meta.dirname, '../../dist');

async function run(command: string): Promise<void> {
  const [program = '', ...args] = command.split(' ');
  await exec({ program, args, doing: command });
}

const onConsumer = (...argv: readonly string[]) => ['ip', 'netns', 'exec', host, ...argv] as const;

/** Its host reaches the service, and everything else through the provider alone. */
describe.runIf(isInsideLab())('a consumer with a TUN device', () => {
  beforeAll(async () => {
    for (const command of [
      `ip netns add ${host}`,
      `ip link add ${link.ours} type veth peer name ${link.theirs} netns ${host}`,
      `ip address add ${serviceAddress}/24 dev ${link.ours}`,
      `ip link set ${link.ours} up`,
      `ip -n ${host} address add 10.97.0.2/24 dev ${link.theirs}`,
      `ip -n ${host} link set ${link.theirs} up`,
      `ip -n ${host} link set lo up`,
      `ip address add ${far.ipv4}/32 dev lo`,
      `ip address add ${far.ipv6}/128 dev lo`,
    ])
      await run(command);
  });

  afterAll(async () => {
    await run(`ip netns delete ${host}`);
    await run(`ip address del ${far.ipv4}/32 dev lo`);
    await run(`ip address del ${far.ipv6}/128 dev lo`);
  });

  test.each([
    ['IPv4', far.ipv4, ''],
    ['IPv6', `[${far.ipv6}]`, '-6 '],
  ])('downloads over %s through the provider, and pays for it', async (_, address, family) => {
    const world = await startProviderWorld({ listen: { address: serviceAddress, port: 0 } });
    const device = createTunDevice(openTun(provider));
    onTestFinished(() => run(`ip link del ${provider}`));
    await run(`ip link set ${provider} up`);
    await run(`ip route add 100.64.0.0/10 dev ${provider}`);
    await run(`ip -6 route add fd00::/16 dev ${provider}`);
    await world.provide(await world.register(), device);

    const size = 20_000_000;
    const server = createServer((_request, response) => response.end(Buffer.alloc(size, 'x')));
    await new Promise<void>((resolve) => server.listen(0, '::', resolve));
    onTestFinished(async () => {
      await server[Symbol.asyncDispose]();
    });
    const { port } = server.address() as { readonly port: number };

    const program = [
      process.execPath,
      join(dist, 'tributary.cjs'),
      'sandbox',
      'consumer',
      '--json',
    ];
    const consumer = startProcess({ argv: onConsumer(...program, '--data', world.directory) });
    onTestFinished(() => consumer.kill('SIGKILL'));
    const ready = JSON.parse(await consumer.waitForLine((line) => line.startsWith('{')));
    await run(`ip -n ${host} ${family}route add default dev ${ready.interface}`);

    const url = `http://${address}:${port}/`;
    const worker = [process.execPath, join(dist, 'worker.cjs'), 'download', url, '60'];
    const download = startProcess({ argv: onConsumer(...worker) });
    const result = JSON.parse(await download.waitForLine((line) => line.includes('"isWhole"')));
    expect(result).toMatchObject({ bytes: size, isWhole: true });

    const second = [...program, '--interface', 'trib-use1', '--data', world.directory];
    const refused = startProcess({ argv: onConsumer(...second) });
    expect(await refused.exited).toBeGreaterThan(0);
    expect(refused.lines.join()).toContain('another consumer command of this network');

    consumer.kill('SIGTERM');
    expect(await consumer.exited).toBe(0);
    const totals = JSON.parse(consumer.lines.at(-1) ?? '');
    expect(totals).toMatchObject({ unpaid: 0, unsound: 0 });
    expect(totals.downBytes).toBeGreaterThan(size);
  });
});
