import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { StatusDocument } from '../../src/status/document.ts';
import { type Lab, waitForDownload, webPort } from '../../tools/lab/lab.ts';
import { addresses, isInsideLab } from '../../tools/lab/network.ts';
import { type LabProcess, startProcess } from '../../tools/lab/processes.ts';
import { waitUntil } from '../patience.ts';
import { findEngines } from './support/find-engines.ts';
import {
  changeConfig,
  createTestLab,
  killAgent,
  showLogOnFailure,
  stopAgent,
} from './support/test-lab.ts';

const id = 'bsrc';
const dist = join(import.meta.dirname, '../../dist');
/** Another address of the lab's Internet: what goes there goes by the network's own protocol. */
const otherInternet = '192.0.2.11';
const queues = z.array(z.object({ root: z.boolean().optional(), bytes: z.number() }));
const ready = z.object({ interface: z.string() });
const isWhole = ({ phase, sources }: StatusDocument) =>
  phase === 'providing' && sources.length === 2 && sources.every(isAlive);
const isPaused = ({ phase, gateway }: StatusDocument) => phase === 'paused' && !gateway.open;
const port = 9000;
/** The kernel joins packets up to this size, of each source. */
const largestPacketBytes = 65_536;
/** A datagram each two milliseconds to both addresses, which says how many there were. */
const sender = `
  const socket = require('node:dgram').createSocket('udp4');
  let sent = 0;
  setInterval(() => {
    for (const to of ['${addresses.internet}', '${otherInternet}'])
      socket.send(Buffer.alloc(600), ${port}, to);
    if (++sent % 50 === 0) console.log(sent);
  }, 2);`;
const sumOf = (counts: readonly number[]) => counts.reduce((sum, bytes) => sum + bytes, 0);
const isAlive = ({ aliveSince }: StatusDocument['sources'][number]) => aliveSince !== null;

/** One host with a consumer of each source: each has its own address of the Internet. */
describe.skipIf(!isInsideLab())('the tunnel and the network’s own protocol at once', () => {
  let lab: Lab;
  let agent: LabProcess;
  /** The consumer's own, by which it uses the network's protocol. */
  let device: string;
  /** What the kernel itself had sent by the new devices when the ledger began. */
  let sentAtStart: number;
  const running: LabProcess[] = [];
  const start = (host: 'consumer' | 'internet', ...argv: readonly string[]) => {
    const started = startProcess({ argv: lab.network.on(host, process.execPath, ...argv) });
    running.push(started);
    return started;
  };
  const byTunnel = () => lab.probe(addresses.internet, webPort);
  const byConnect = () => lab.probe(otherInternet, webPort);
  const download = (address: string, bytes: number) => {
    const url = `http://${address}:${webPort}/bytes/${bytes}`;
    return start('consumer', join(dist, 'worker.cjs'), 'download', url, '60');
  };
  const reload = async (bytes: string) => {
    await changeConfig(lab, { provide: { cap: { bytes, period: 'month' } } });
    agent.kill('SIGHUP');
  };
  /** What both have forwarded in the ledger, and what the agent counts by. */
  const readSums = async () => {
    const { data } = JSON.parse(await readFile(join(lab.stateDirectory, 'usage.json'), 'utf8'));
    const said = await lab.runCommand('stats', '--local', '--last', '48h', '--json');
    const { upBytes, downBytes } = JSON.parse(said).totals;
    return {
      ledger: { upBytes, downBytes },
      counted: { upBytes: data.totalUpBytes, downBytes: data.totalDownBytes },
    };
  };
  /** The datagrams that have reached the Internet, by their destination. */
  const countOut = async () => {
    const text = await lab.network.run(
      'internet',
      'nft',
      'list',
      'counters',
      'table',
      'inet',
      'heard',
    );
    return [...text.matchAll(/packets (\d+)/g)].map(([, packets]) => Number(packets));
  };
  /** What passed both devices, whole packets with their headers, each as it left or came. */
  const countCarried = async () => {
    const came = await Promise.all([tunnel, engine].map(countBytes));
    return sumOf([...(await countSent()), ...came]);
  };
  /** What left by each of the devices. */
  const countSent = () =>
    Promise.all(
      [tunnel, engine].map(async (name) => {
        const show = ['-s', '-j', 'qdisc', 'show', 'dev', name];
        const said = await lab.network.run('device', 'tc', ...show);
        const root = queues.parse(JSON.parse(said)).find((queue) => queue.root);
        return root?.bytes ?? Number.NaN;
      }),
    );
  const countBytes = async (device: string) =>
    Number(await lab.network.run('device', 'cat', `/sys/class/net/${device}/statistics/rx_bytes`));
  const [tunnel, engine] = [`trib-${id}`, `tribc-${id}`];

  beforeAll(async () => {
    lab = await createTestLab({ id, profile: 'documented' });
    const path = join(lab.directory, 'tributary.yaml');
    const config = JSON.parse(await readFile(path, 'utf8'));
    await writeFile(path, JSON.stringify({ ...config, source: 'both' }));
    await lab.network.run('internet', 'ip', 'address', 'add', `${otherInternet}/32`, 'dev', 'lo');
    const server = start(
      'internet',
      join(dist, 'worker.cjs'),
      'serve',
      otherInternet,
      `${webPort}`,
    );
    await server.waitForLine((line) => line === 'listening');
    agent = lab.startAgent();
    const data = ['--data', join(lab.directory, 'service'), '--service', lab.baseUrl];
    const program = join(dist, 'tributary.cjs');
    const consumer = start('consumer', program, 'sandbox', 'consumer', '--json', ...data);
    const said = await consumer.waitForLine((line) => line.startsWith('{'));
    device = ready.parse(JSON.parse(said)).interface;
    await lab.network.run('consumer', 'ip', 'route', 'add', otherInternet, 'dev', device);
    await lab.waitForStatus(isWhole);
    // The ledger begins when the start is over; what passed before is in no hour.
    const ledger = join(lab.stateDirectory, 'ledger');
    await waitUntil(async () => expect(await readdir(ledger)).not.toEqual([]));
    sentAtStart = sumOf(await countSent());
  });
  beforeEach((context) => showLogOnFailure(context, () => agent));
  afterAll(async () => {
    for (const own of running) own.kill('SIGTERM');
    await Promise.all(running.map(({ exited }) => exited));
    await lab?.remove();
  });

  it('lead consumers of both to the Internet, each by its own device', async () => {
    const before = { tunnel: await countBytes(tunnel), engine: await countBytes(engine) };
    await expect.poll(byTunnel).toBe('reached');
    expect(await countBytes(tunnel)).toBeGreaterThan(before.tunnel);
    expect(await countBytes(engine)).toBe(before.engine);
    await expect.poll(byConnect).toBe('reached');
    expect(await countBytes(engine)).toBeGreaterThan(before.engine);
  });

  it('give consumers of neither the home', async () => {
    await lab.network.run('consumer', 'ip', 'route', 'add', addresses.nas, 'dev', device);
    expect(await lab.probe(addresses.nas, webPort)).toBe('refused');
    await lab.network.run('consumer', 'ip', 'route', 'delete', addresses.nas);
    expect(await lab.probe(addresses.nas, webPort)).toBe('refused');
    expect(await lab.probeFrom('home', addresses.nas, webPort)).toBe('reached');
  });

  it('go on by the tunnel while the engine is dead, and by both once it is back', async () => {
    for (const { pid } of await findEngines(lab)) process.kill(pid, 'SIGKILL');
    await lab.waitForStatus(({ sources }) => !sources.every(isAlive));
    expect(await byTunnel()).toBe('reached');
    await lab.waitForStatus(isWhole);
    await expect.poll(byConnect).toBe('reached');
  });

  it('go on by the network’s own protocol while the tunnel is away, and by both once it is back', async () => {
    agent.kill('SIGSTOP');
    await lab.network.run('device', 'ip', 'link', 'delete', tunnel);
    expect(await byTunnel()).toBe('refused');
    expect(await byConnect()).toBe('reached');
    agent.kill('SIGCONT');
    await lab.waitForStatus(isWhole);
    await expect.poll(byTunnel).toBe('reached');
    expect(await byConnect()).toBe('reached');
  });

  it('are ended by one pause, to the last packet of each', async () => {
    const chain = [addresses.internet, otherInternet].map(
      (to, at) => `ip daddr ${to} udp dport ${port} counter name c${at}`,
    );
    const hook = `chain in { type filter hook prerouting priority raw; ${chain.join('; ')}; }`;
    await lab.network.run(
      'internet',
      'nft',
      `table inet heard { counter c0 { }; counter c1 { }; ${hook}; }`,
    );
    const sending = start('consumer', '-e', sender);
    await expect.poll(async () => Math.min(...(await countOut()))).toBeGreaterThan(100);
    await lab.runCommand('pause', '--for', '1h');
    await lab.waitForStatus(({ gateway }) => !gateway.open);
    const atEnd = await countOut();
    const sent = Number(sending.lines.at(-1));
    await sending.waitForLine((line) => Number(line) >= sent + 500);
    expect(await countOut()).toEqual(atEnd);
    await lab.runCommand('resume');
    for (const at of [0, 1])
      await expect.poll(async () => (await countOut())[at]).toBeGreaterThan(atEnd[at] ?? 0);
    sending.kill('SIGKILL');
    await lab.waitForStatus(isWhole);
  });

  it('are counted once each, in one ledger: what they carried, and not more', async () => {
    const countUsed = async () => (await lab.status()).usage.bytes;
    // What was sent before may still come, and the status knows it from the last pass: a pause ends
    // the one, and counts the other.
    await lab.runCommand('pause', '--for', '1h');
    await lab.waitForStatus(({ gateway }) => !gateway.open);
    const carriedBefore = await countCarried();
    const usedBefore = await countUsed();
    await lab.runCommand('resume');
    await lab.waitForStatus(isWhole);
    const both = [download(addresses.internet, 3_000_000), download(otherInternet, 2_000_000)];
    for (const one of both) expect(await waitForDownload(one)).toMatchObject({ isWhole: true });
    // A pass adds the headers that the rules did not see, because the kernel joins segments.
    agent.kill('SIGHUP');
    const compare = async () => {
      const used = (await countUsed()) - usedBefore;
      return { used, carried: (await countCarried()) - carriedBefore };
    };
    // TCP repeats what the tunnel's own line loses, and each repetition is carried: the devices
    // know how much that was, and the downloads' sizes do not.
    await expect.poll(async () => (await compare()).used).toBeGreaterThan(5_000_000);
    const { used, carried } = await compare();
    expect(used).toBeLessThanOrEqual(carried);
    const sentBefore = await countSent();
    await stopAgent(agent);
    const { ledger, counted } = await readSums();
    expect(ledger.upBytes).toBe(counted.upBytes);
    const inNoHour = counted.downBytes - ledger.downBytes;
    expect(inNoHour).toBeGreaterThanOrEqual(0);
    expect(inNoHour).toBeLessThanOrEqual(sentAtStart);
    agent = lab.startAgent();
    const { usage } = await lab.waitForStatus(isWhole);
    // The kernel says a few packets of its own on a new device, which leave by it as answers do.
    const more = usage.bytes - (counted.upBytes + counted.downBytes);
    expect(more).toBeGreaterThanOrEqual(0);
    const sent = await countSent();
    const since = sent.map((bytes, at) => {
      const before = sentBefore[at] ?? 0;
      // A device that is new counts from nothing on.
      return bytes < before ? bytes : bytes - before;
    });
    expect(more).toBeLessThanOrEqual(sumOf(since));
  });

  it('are ended by one cap, to the byte in sum, also after a crash', async () => {
    const capBytes = (await lab.status()).usage.bytes + 10_000_000;
    await reload(`${capBytes} B`);
    await lab.waitForStatus(({ usage }) => usage.capBytes === capBytes);
    const before = { tunnel: await countBytes(tunnel), engine: await countBytes(engine) };
    const first = download(otherInternet, 50_000_000);
    await expect.poll(() => countBytes(engine)).toBeGreaterThan(before.engine + 5000);
    const second = download(addresses.internet, 50_000_000);
    const expectAllUsed = ({ usage }: StatusDocument) => {
      expect(usage.bytes).toBeLessThanOrEqual(capBytes);
      expect(usage.bytes).toBeGreaterThan(capBytes - 2 * largestPacketBytes);
    };
    await lab.waitForStatus(isPaused);
    for (const one of [first, second]) one.kill('SIGKILL');
    expect(await countBytes(tunnel)).toBeGreaterThan(before.tunnel);
    expectAllUsed(await lab.status());
    await killAgent(agent);
    agent = lab.startAgent();
    expectAllUsed(await lab.waitForStatus(isPaused));
    expect([await byTunnel(), await byConnect()]).toEqual(['refused', 'refused']);
  });
});
