import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemCodeOf } from '../../src/lib/errors.ts';
import { askAgent } from '../../src/status/socket-client.ts';
import { type Lab, waitForDownload, webPort } from '../../tools/lab/lab.ts';
import { addresses, isInsideLab } from '../../tools/lab/network.ts';
import { type LabProcess, startProcess } from '../../tools/lab/processes.ts';
import {
  createTestLab,
  killAgent,
  showLogOnFailure,
  withoutFilledSets,
} from './support/test-lab.ts';

/** The clock alone would take more than 15 s, for a pass comes every 20 s where nothing is told. */
const soonMs = 10_000;

// Namespaces are needed; test/global-setup.ts says aloud that this is left out.
describe.skipIf(!isInsideLab())('what the kernel tells the agent', () => {
  let lab: Lab;
  let agent: LabProcess;
  let witness: LabProcess;
  beforeAll(async () => {
    lab = await createTestLab({
      id: 'told',
      profile: 'documented',
      config: { gateway: { allow_destinations: ['192.0.2.0/24'], permit_seconds: 60 } },
    });
    witness = startProcess({ argv: lab.network.on('device', 'nft', '-n', 'monitor') });
    agent = lab.startAgent();
    await lab.waitForStatus(({ phase }) => phase === 'providing');
  });
  beforeEach((context) => showLogOnFailure(context, () => agent));
  afterAll(async () => {
    witness?.kill();
    await lab?.remove();
  });

  const run = (...command: readonly string[]) => lab.network.run('device', ...command);
  const listRules = () => run('nft', 'list', 'table', 'inet', 'tributary');
  const shell = (script: string) => run('sh', '-c', script);

  /** Everything of the agent's that a stranger may change, but for what counts and times out. */
  async function show(): Promise<string> {
    const text = await shell(
      'nft -s list table inet tributary; ip -4 rule; ip -6 rule; ip route show table all',
    );
    return (
      withoutFilledSets(text)
        .split('\n')
        .filter((line) => !/expires|packets \d+ bytes|0x747|0x54[89a-f]\w{5}/.test(line))
        // Chains are listed in the order in which they were made.
        .sort()
        .join('\n')
    );
  }

  const count = (start: string) => witness.lines.filter((line) => line.startsWith(start)).length;
  /** In a quiet time the renewals of the permit, one a pass. */
  const countTransactions = () => count('# new generation');

  /** What the clock has done every 20 s otherwise. */
  const passNow = () =>
    askAgent(
      { socketPaths: [join(lab.directory, 'agent.sock')] },
      { method: 'POST', path: '/self-test' },
    );
  /**
   * Has a pass made, and waits until nothing follows it any more: the next one by the clock is more
   * than 15 s away.
   */
  async function waitForQuiet(): Promise<void> {
    await passNow();
    let [before, sinceMs] = [-1, 0];
    const isQuiet = () => {
      const now = countTransactions();
      if (now !== before) [before, sinceMs] = [now, performance.now()];
      // Longer than the longest wait before a pass that the agent is woken for.
      return performance.now() - sinceMs > 1_500;
    };
    await expect.poll(isQuiet, { interval: 50 }).toBe(true);
  }

  const replaceRule = (chain: string, comment: string, instead: string) =>
    shell(
      `handle=$(nft -a list chain inet tributary ${chain} | sed -n 's/.*comment "${comment}" # handle //p'); ` +
        `nft replace rule inet tributary ${chain} handle $handle ${instead} comment '"${comment}"'`,
    );

  const deeds: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['swaps a rule under its comment', () => replaceRule('destination', 'special-v4', 'accept')],
    [
      'lets a chain accept',
      () => run('nft', 'chain', 'inet', 'tributary', 'forward', '{ policy accept; }'),
    ],
    [
      'moves a chain behind others',
      () =>
        shell(
          'nft flush chain inet tributary segments; nft delete chain inet tributary segments; ' +
            "nft 'table inet tributary { chain segments { type filter hook forward priority 300; policy accept; }; }'",
        ),
    ],
    [
      'takes a prefix out of a set',
      () => run('nft', 'delete', 'element', 'inet', 'tributary', 'special4', '{ 10.0.0.0/8 }'),
    ],
    ['puts the table to sleep', () => run('nft', 'add table inet tributary { flags dormant; }')],
    ['flushes every table', () => run('nft', 'flush', 'ruleset')],
    ['deletes a rule for routing', () => run('ip', 'rule', 'delete', 'priority', '5182')],
    ['flushes the routes into the tunnel', () => run('ip', 'route', 'flush', 'table', '51820')],
    ['flushes the routes of the fence', () => run('ip', 'route', 'flush', 'table', '51821')],
  ];

  it.each(deeds)('mends at once what a stranger does who %s', async (_, act) => {
    await waitForQuiet();
    const whole = await show();
    await act();
    const startedAtMs = performance.now();
    await expect.poll(show, { timeout: soonMs, interval: 20 }).toBe(whole);
    process.stdout.write(`mended after ${Math.round(performance.now() - startedAtMs)} ms\n`);
    await expect
      .poll(() => lab.probe(addresses.internet, webPort), { timeout: soonMs })
      .toBe('reached');
    expect(await lab.probe(addresses.nas, webPort)).toBe('refused');
    expect((await lab.status()).phase).toBe('providing');
  });

  it('refuses a public prefix soon after an interface has it', async () => {
    await waitForQuiet();
    await run('ip', 'address', 'add', '8.8.4.1/24', 'dev', 'lan0');
    const startedAtMs = performance.now();
    await expect.poll(listRules, { timeout: soonMs, interval: 20 }).toContain('8.8.4.0/24');
    process.stdout.write(`refused after ${Math.round(performance.now() - startedAtMs)} ms\n`);
    await run('ip', 'address', 'delete', '8.8.4.1/24', 'dev', 'lan0');
    await expect.poll(listRules, { timeout: soonMs }).not.toContain('8.8.4.0/24');
  });

  it('wakes nobody by the agent’s own renewals', async () => {
    const before = countTransactions();
    await waitForQuiet();
    expect(countTransactions()).toBeGreaterThan(before);
    // Were it woken by them, a pass would follow each renewal within a second, and renew again.
    const renewed = countTransactions();
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    expect(countTransactions() - renewed).toBeLessThanOrEqual(1);
  });

  it('is heard again from monitors that were killed or stopped, and the agent provides meanwhile', async () => {
    const listNames = async () => (await listMonitors()).map(({ name }) => name).sort();
    await expect.poll(listNames).toEqual(['ip', 'perl']);
    const killed = await listMonitors();
    for (const { pid } of killed) process.kill(pid, 'SIGKILL');
    await expect.poll(async () => (await listMonitors()).length).toBe(2);
    const stopped = await listMonitors();
    expect(stopped.map(({ pid }) => pid)).not.toEqual(killed.map(({ pid }) => pid));
    for (const { pid } of stopped) process.kill(pid, 'SIGSTOP');
    const firewall = stopped.find(({ name }) => name === 'perl')?.pid;
    const isGone = async () => {
      await passNow();
      return (await listMonitors()).every(({ pid }) => pid !== firewall);
    };
    await expect.poll(isGone, { interval: 200 }).toBe(true);
    for (const { name, pid } of stopped) if (name === 'ip') process.kill(pid, 'SIGCONT');
    await waitForQuiet();
    const whole = await show();
    await replaceRule('destination', 'special-v4', 'accept');
    await expect.poll(show, { timeout: soonMs, interval: 20 }).toBe(whole);
    expect((await lab.status()).phase).toBe('providing');
  });

  it.each(['SIGKILL', 'SIGSTOP'] as const)(
    'provides on when the programs that it talks with get %s',
    async (signal) => {
      await waitForQuiet();
      const talkers = await listTalkers();
      // The programs of ip end when they are not needed for a while, so only nft's is sure to run.
      expect(talkers.map(({ name }) => name)).toContain('nft');
      const before = await lab.status();
      const download = lab.startDownload(8 * 1024 ** 2, 60);
      for (const { pid } of talkers) killIfThere(pid, signal);
      await run('nft', 'add', 'element', 'inet', 'tributary', 'special4', '{ 9.9.9.0/24 }');
      const startedAtMs = performance.now();
      const slowest = { ms: 0 };
      const isMended = async () => {
        const askedAtMs = performance.now();
        expect((await lab.status()).phase).toBe('providing');
        slowest.ms = Math.max(slowest.ms, performance.now() - askedAtMs);
        return !(await listRules()).includes('9.9.9.0/24');
      };
      await expect.poll(isMended, { interval: 50 }).toBe(true);
      const mendedMs = Math.round(performance.now() - startedAtMs);
      process.stdout.write(
        `${signal}: mended after ${mendedMs} ms, slowest answer ${Math.round(slowest.ms)} ms\n`,
      );
      expect((await waitForDownload(download)).isWhole).toBe(true);
      const refused = ({ gateway }: typeof before) => gateway.refusedPackets['not-providing'];
      expect(refused(await lab.status())).toBe(refused(before));
      // One is talked with again, and none of those that were stopped is left.
      const isNew = async () => {
        await passNow();
        const now = await listTalkers();
        return now.length > 0 && now.every(({ pid }) => talkers.every((old) => old.pid !== pid));
      };
      await expect.poll(isNew, { interval: 500 }).toBe(true);
    },
  );

  // After all that needs consumers: the agent closes in it, and none are sent for a minute.
  it('keeps the agent from spinning while a stranger changes the table without end, and is whole after it', async () => {
    await waitForQuiet();
    const whole = await show();
    const countLoads = () => count('add set inet tributary permit');
    const before = countLoads();
    const flood = startProcess({
      argv: lab.network.on(
        'device',
        'sh',
        '-c',
        'while :; do nft insert rule inet tributary destination return; done',
      ),
    });
    const startedAtMs = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    // On a busy machine a loading takes longer; the bound below grows with the time.
    await expect.poll(() => countLoads() - before).toBeGreaterThan(5);
    flood.kill('SIGKILL');
    await flood.exited;
    const seconds = (performance.now() - startedAtMs) / 1000;
    const loads = countLoads() - before;
    await expect.poll(show, { interval: 50 }).toBe(whole);
    process.stdout.write(`loadings in the flood of ${Math.round(seconds)} s: ${loads}\n`);
    // One pass a second and four sooner at its beginning; each loads twice where the first finds
    // the table changed again.
    expect(loads).toBeLessThanOrEqual(2 * (seconds + 5));
  });

  it('ends with the agent, by kill -9 too, and a restart interrupts nobody', async () => {
    const monitors = await listMonitors();
    const before = await lab.status();
    await killAgent(agent);
    await expect
      .poll(async () => [...(await listMonitors()), ...(await listTalkers())])
      .toEqual([]);
    agent = lab.startAgent();
    await lab.waitForStatus(({ phase }) => phase === 'providing');
    expect((await lab.status()).gateway.refusedPackets['not-providing']).toBe(
      before.gateway.refusedPackets['not-providing'],
    );
    // They begin when the start is over, by ten seconds at most.
    await expect.poll(async () => (await listMonitors()).length).toBe(2);
    expect(monitors).toHaveLength(2);
    agent.kill('SIGTERM');
    await agent.exited;
    await expect
      .poll(async () => [...(await listMonitors()), ...(await listTalkers())])
      .toEqual([]);
  });

  type Programs = readonly { readonly name: string; readonly pid: number }[];
  const listMonitors = () => list(/^ *(\d+) (?:\S*\/)?(perl|ip) (?:-e|-o monitor label)/);
  const listTalkers = () =>
    list(/^ *(\d+) (?:\S*\/)?(nft|ip)(?: -6)? (?:--json --interactive|-json -details -force)/);

  async function list(pattern: RegExp): Promise<Programs> {
    // Other tests have agents with monitors of their own meanwhile.
    const text = await shell(
      `ps -o pid=,args= -p "$(ip netns pids ${lab.network.netns('device')} | paste -sd,)"`,
    );
    return text.split('\n').flatMap((line) => {
      const [, pid, name] = pattern.exec(line) ?? [];
      return pid === undefined || name === undefined ? [] : [{ name, pid: Number(pid) }];
    });
  }
});

/** One of ip may have ended since it was listed. */
function killIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (systemCodeOf(error) !== 'ESRCH') throw error;
  }
}
