import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { StatusDocument } from '../../src/status/document.ts';
import { type Lab, waitForDownload, webPort } from '../../tools/lab/lab.ts';
import { addresses, isInsideLab, labInternet } from '../../tools/lab/network.ts';
import { type LabProcess, startProcess } from '../../tools/lab/processes.ts';
import {
  changeConfig,
  createTestLab,
  killAgent,
  showLogOnFailure,
  stopAgent,
} from './support/test-lab.ts';

const capBytes = 3_000_000;
/** The kernel joins packets up to this size. */
const largestPacketBytes = 65_536;
const id = 'climit';
const port = 9000;
/** A datagram each two milliseconds, whether or not any gets there; says how many there were. */
const sender = `
  const socket = require('node:dgram').createSocket('udp4');
  let sent = 0;
  setInterval(() => {
    socket.send(Buffer.alloc(600), ${port}, '${addresses.internet}');
    if (++sent % 50 === 0) console.log(sent);
  }, 2);`;
const isProviding = ({ phase }: StatusDocument) => phase === 'providing';
const isPaused = ({ phase }: StatusDocument) => phase === 'paused';
const isClosed = ({ phase, gateway }: StatusDocument) => phase === 'idle' && !gateway.open;

/** What limits.test.ts claims of the tunnel, for consumers by the network's own protocol. */
describe.skipIf(!isInsideLab())('the limits of consumers by the network’s own protocol', () => {
  let lab: Lab;
  let agent: LabProcess;
  const running: LabProcess[] = [];
  const onDevice = (...command: readonly string[]) => lab.network.run('device', ...command);
  /** The datagrams that have reached the Internet. */
  const countOut = async () => {
    const text = await lab.network.run('internet', 'nft', 'list', 'counter', 'inet', 'heard', 'up');
    return Number(/packets (\d+)/.exec(text)?.[1]);
  };
  /** The packets that the kernel has given to the engine for consumers. */
  const countIn = async () =>
    Number(await onDevice('cat', `/sys/class/net/tribc-${id}/statistics/tx_packets`));
  const reload = async (change: Parameters<typeof changeConfig>[1]) => {
    await changeConfig(lab, change);
    agent.kill('SIGHUP');
  };

  beforeAll(async () => {
    lab = await createTestLab({
      id,
      profile: 'documented',
      source: 'connect',
      config: {
        gateway: { allow_destinations: [labInternet], permit_seconds: 5 },
        provide: { cap: { bytes: `${capBytes} B`, period: 'month' }, household: 'off' },
      },
    });
    const rule = `udp dport ${port} counter name up`;
    const chain = `chain in { type filter hook prerouting priority raw; ${rule}; }`;
    await lab.network.run('internet', 'nft', `table inet heard { counter up { }; ${chain}; }`);
    agent = lab.startAgent();
    await lab.waitForStatus(isProviding);
    await lab.consumer?.isReady;
  });
  beforeEach((context) => showLogOnFailure(context, () => agent));
  afterAll(async () => {
    for (const own of running) own.kill('SIGKILL');
    await lab?.remove();
  });

  it('stop a download at the cap, to the byte', async () => {
    const download = lab.startDownload(20_000_000, 60);
    const status = await lab.waitForStatus((current) => isPaused(current) && !current.gateway.open);
    download.kill();
    expect(status.reasons[0]?.code).toBe('cap-reached');
    expectAllUsed(await lab.status());
    expect(await lab.probe(addresses.internet, webPort)).toBe('refused');
    expectAllUsed(await lab.status());
  });

  it.each([
    ['a stop', stopAgent],
    ['a crash', killAgent],
  ] as const)('hold after %s and a start', async (_, end) => {
    await end(agent);
    agent = lab.startAgent();
    expectAllUsed(await lab.waitForStatus(isPaused));
    expect(await lab.probe(addresses.internet, webPort)).toBe('refused');
  });

  it('are opened by a larger cap, and the next download passes', async () => {
    await reload({ provide: { cap: { bytes: '1 GB' } } });
    await lab.waitForStatus((status) => isProviding(status) && status.gateway.open);
    await expect.poll(() => lab.probe(addresses.internet, webPort)).toBe('reached');
    const download = await waitForDownload(lab.startDownload(5_000_000, 60));
    expect(download).toMatchObject({ isWhole: true });
  });

  it('let no download be faster than the line may be', async () => {
    await reload({ provide: { rate_limit: { line: '4 Mbit' } } });
    const tree = () => onDevice('tc', 'class', 'show', 'dev', 'tributary-line').catch(() => '');
    await expect.poll(tree).toContain('rate 4Mbit');
    const download = await waitForDownload(lab.startDownload(2_000_000, 60));
    expect(download.isWhole).toBe(true);
    // 4 s by the rate; what is sent before the tree has filled is less than a quarter of it.
    expect(download.seconds).toBeGreaterThan(3);
    await reload({ provide: { rate_limit: {} } });
    await expect.poll(tree).not.toContain('rate 4Mbit');
  });

  it.each([
    { what: 'mode none', close: ['provide', 'none'], open: ['provide', 'auto'] },
    { what: 'a pause', close: ['pause', '--for', '1h'], open: ['resume'] },
  ])('end all traffic by $what, both ways, to the last packet', async ({ close, open }) => {
    const argv = lab.network.on('consumer', process.execPath, '-e', sender);
    const sending = startProcess({ argv });
    const download = lab.startDownload(500_000_000, 60);
    running.push(sending, download);
    const before = { out: await countOut(), in: await countIn() };
    await expect.poll(countOut).toBeGreaterThan(before.out + 100);
    await expect.poll(countIn).toBeGreaterThan(before.in + 100);

    await lab.runCommand(...close);
    await lab.waitForStatus(isClosed);
    const out = await countOut();
    const waitForSent = async (count: number) => {
      const sent = Number(sending.lines.at(-1));
      await sending.waitForLine((line) => Number(line) >= sent + count);
    };
    // What waits at the engine's device is read by it, however late on a busy machine.
    const countLateIn = async () => {
      const soFar = await countIn();
      await waitForSent(100);
      return (await countIn()) - soFar;
    };
    await expect.poll(countLateIn).toBe(0);
    const atEnd = { out, in: await countIn() };
    await waitForSent(500);
    expect({ out: await countOut(), in: await countIn() }).toEqual(atEnd);

    await lab.runCommand(...open);
    await expect.poll(countOut).toBeGreaterThan(atEnd.out);
    for (const own of running) own.kill('SIGKILL');
  });
});

/** Not a byte more than the cap, and no more left than a large packet. */
function expectAllUsed({ usage }: StatusDocument): void {
  expect(usage.bytes).toBeLessThanOrEqual(capBytes);
  expect(usage.bytes).toBeGreaterThan(capBytes - largestPacketBytes);
}
