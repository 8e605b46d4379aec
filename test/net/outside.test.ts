import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Lab, LabOptions } from '../../tools/lab/lab.ts';
import { isInsideLab } from '../../tools/lab/network.ts';
import { type LabProcess, startProcess } from '../../tools/lab/processes.ts';
import { changeConfig, createTestLab } from './support/test-lab.ts';

const worker = join(import.meta.dirname, '../../dist/worker.cjs');
/** Public as far as addresses go; only the lab's home router has it. */
const outside = '45.83.100.7';
const opened: { lab?: Lab; readonly others: LabProcess[] } = { others: [] };

async function openLab(options: Omit<LabOptions, 'distDirectory' | 'profile'>): Promise<Lab> {
  const lab = await createTestLab({ profile: 'documented', ...options });
  opened.lab = lab;
  return lab;
}

async function serve(lab: Lab, host: 'home' | 'internet', address: string): Promise<void> {
  const server = startProcess({
    argv: lab.network.on(host, process.execPath, worker, 'serve', address, '80'),
  });
  opened.others.push(server);
  await server.waitForLine((line) => line === 'listening');
}

/** Tries until it is so, or 25 s are over: the last outcome. */
async function probeUntil(lab: Lab, address: string, wanted: string): Promise<string> {
  const deadlineMs = performance.now() + 25_000;
  let outcome: string = await lab.probe(address, 80);
  while (outcome !== wanted && performance.now() < deadlineMs)
    outcome = await lab.probe(address, 80);
  return outcome;
}

const isProviding = ({ phase }: { readonly phase: string }) => phase === 'providing';

describe.skipIf(!isInsideLab())('the home from its own outside', () => {
  afterEach(async () => {
    for (const other of opened.others.splice(0)) other.kill('SIGKILL');
    await opened.lab?.remove();
  });

  test("is refused once the router has told the home's public address, and was reached before", async () => {
    const gateway = { allow_destinations: ['192.0.2.0/24'] };
    const lab = await openLab({
      id: 'outs',
      publicAddress: outside,
      config: { gateway: { ...gateway, public_address: { ask_router: false } } },
    });
    await serve(lab, 'home', outside);
    const agent = lab.startAgent();
    await lab.waitForStatus(isProviding);
    await expect.poll(() => lab.probe(outside, 80)).toBe('reached');
    await changeConfig(lab, { gateway: { ...gateway, public_address: {} } });
    agent.kill('SIGHUP');
    expect(await probeUntil(lab, outside, 'refused')).toBe('refused');
    expect((await lab.status()).gateway.refusedPackets['own-network']).toBeGreaterThan(0);
    await expect.poll(() => lab.probe('192.0.2.10', 80)).toBe('reached');
    // The owner's word wins over what was learnt.
    await changeConfig(lab, {
      gateway: { allow_destinations: [...gateway.allow_destinations, outside] },
    });
    agent.kill('SIGHUP');
    expect(await probeUntil(lab, outside, 'reached')).toBe('reached');
  });

  test('stays refused over a kill, while the router says nothing any more', async () => {
    const lab = await openLab({ id: 'outk', publicAddress: outside });
    await serve(lab, 'home', outside);
    const agent = lab.startAgent();
    await lab.waitForStatus(isProviding);
    expect(await probeUntil(lab, outside, 'refused')).toBe('refused');
    await lab.network.run(
      'home',
      'nft',
      'add table ip silent { chain input { type filter hook input priority 0; udp dport 5351 drop; }; }',
    );
    agent.kill('SIGKILL');
    await agent.exited;
    lab.startAgent();
    await lab.waitForStatus(({ reasons }) =>
      reasons.some(({ code }) => code === 'outside-unknown'),
    );
    await expect.poll(() => lab.probe('192.0.2.10', 80)).toBe('reached');
    expect(await lab.probe(outside, 80)).toBe('refused');
  });
});

describe.skipIf(!isInsideLab())('a list of denied destinations', () => {
  afterEach(async () => {
    for (const other of opened.others.splice(0)) other.kill('SIGKILL');
    await opened.lab?.remove();
  });

  /** As many prefixes as a large public blocklist has, none of them in the lab. */
  const many = Array.from(
    { length: 64_000 },
    (_, index) => `20.${index >> 8}.${index & 255}.${(index * 7) & 252}/30`,
  );

  /** The programs that the agent keeps beside it, each with the memory that is its own. */
  async function weighKept({ network }: Lab) {
    // A program may end while it is looked at.
    const script = `for pid in $(ip netns pids ${network.netns('device')}); do
      name=$(cat /proc/$pid/comm 2>&-)
      case $name in nft | perl | ip)
        echo $name $(awk '/^Anonymous:/ { print $2 }' /proc/$pid/smaps_rollup 2>&-) ;;
      esac
    done; true`;
    const lines = (await network.run('device', 'sh', '-c', script)).trim().split('\n');
    return lines.map((line) => {
      const [name = '', kibibytes = ''] = line.split(' ');
      return { name, kibibytes: Number(kibibytes) };
    });
  }

  test('refuses what it holds, and nothing beside; broken, it stays as it was, and status names the line', async () => {
    const lab = await openLab({ id: 'list' });
    const path = join(lab.directory, 'drop.txt');
    const write = (lines: readonly string[]) =>
      writeFile(path, `# a list\r\n${lines.join('\r\n')}\r\n`);
    await changeConfig(lab, { gateway: { deny_destinations: [`file:${path}`] } });
    await lab.network.run('internet', 'ip', 'address', 'add', '192.0.2.11/32', 'dev', 'lo');
    await serve(lab, 'internet', '192.0.2.11');
    await write([...many, '192.0.2.10 ; SBL1']);
    const agent = lab.startAgent();
    await lab.waitForStatus(isProviding);
    await expect.poll(() => lab.probe('192.0.2.11', 80)).toBe('reached');
    expect(await lab.probe('192.0.2.10', 80)).toBe('refused');
    const countRefused = async () =>
      (await lab.status()).gateway.refusedPackets['denied-destination'];
    // A long list takes its time to be counted; no answer waits for that.
    await expect.poll(countRefused).toBeGreaterThan(0);
    // With the list in it, one of these takes 80,000 more.
    await expect.poll(async () => (await weighKept(lab)).map(({ name }) => name)).toContain('perl');
    const kept = await weighKept(lab);
    expect(kept.map(({ name }) => name)).toContain('nft');
    expect(kept.filter(({ kibibytes }) => kibibytes > 30_000)).toEqual([]);

    await write([...many, '192.0.2.300']);
    agent.kill('SIGHUP');
    const noted = await lab.waitForStatus(({ reasons }) =>
      reasons.some(({ code }) => code === 'list-refused'),
    );
    expect(noted.phase).toBe('providing');
    expect(noted.reasons[0]?.message).toContain(`${path}:64002: found "192.0.2.300"`);
    expect(await lab.probe('192.0.2.10', 80)).toBe('refused');

    await write(['192.0.2.11']);
    agent.kill('SIGHUP');
    expect(await probeUntil(lab, '192.0.2.10', 'reached')).toBe('reached');
    expect(await lab.probe('192.0.2.11', 80)).toBe('refused');

    // A file that was never read: nothing passes.
    const later = join(lab.directory, 'later.txt');
    await changeConfig(lab, { gateway: { deny_destinations: [`file:${path}`, `file:${later}`] } });
    agent.kill('SIGHUP');
    const blocked = await lab.waitForStatus(({ phase }) => phase === 'blocked');
    expect(blocked.reasons[0]).toMatchObject({
      code: 'list-refused',
      message: `${later}: there is no such file`,
    });
    expect(await lab.probe('192.0.2.10', 80)).toBe('refused');
    await writeFile(later, '2001:db8:77::/48');
    await lab.waitForStatus(isProviding);
  });
});
