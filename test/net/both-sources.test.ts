import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { StatusDocument } from '../../src/status/document.ts';
import { type Lab, webPort } from '../../tools/lab/lab.ts';
import { addresses, isInsideLab } from '../../tools/lab/network.ts';
import { type LabProcess, startProcess } from '../../tools/lab/processes.ts';
import { findEngines } from './support/find-engines.ts';
import { createTestLab, showLogOnFailure } from './support/test-lab.ts';

const id = 'bsrc';
const dist = join(import.meta.dirname, '../../dist');
/** Another address of the lab's Internet: what goes there goes by the network's own protocol. */
const otherInternet = '192.0.2.11';
const ready = z.object({ interface: z.string() });
const isWhole = ({ phase, sources }: StatusDocument) =>
  phase === 'providing' && sources.length === 2 && sources.every(isAlive);
const isAlive = ({ aliveSince }: StatusDocument['sources'][number]) => aliveSince !== null;

/** One host with a consumer of each source: each has its own address of the Internet. */
describe.skipIf(!isInsideLab())('the tunnel and the network’s own protocol at once', () => {
  let lab: Lab;
  let agent: LabProcess;
  /** The consumer's own, by which it uses the network's protocol. */
  let device: string;
  const running: LabProcess[] = [];
  const start = (host: 'consumer' | 'internet', ...argv: readonly string[]) => {
    const started = startProcess({ argv: lab.network.on(host, process.execPath, ...argv) });
    running.push(started);
    return started;
  };
  const byTunnel = () => lab.probe(addresses.internet, webPort);
  const byConnect = () => lab.probe(otherInternet, webPort);
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
});
