import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { DoctorDocument } from '../../src/doctor/report.ts';
import type { StatusDocument } from '../../src/status/document.ts';
import { type Lab, webPort } from '../../tools/lab/lab.ts';
import { addresses, isInsideLab } from '../../tools/lab/network.ts';
import { type LabProcess, startProcess } from '../../tools/lab/processes.ts';
import { collectSecrets } from './support/collect-secrets.ts';
import { type Fault, listFaults } from './support/doctor-faults.ts';
import { type NastyService, nastyUrl, startNastyService } from './support/start-nasty-service.ts';
import { createTestLab, stopAgent, withoutFilledSets } from './support/test-lab.ts';

// Namespaces are needed; test/global-setup.ts says aloud that this is left out.
describe.skipIf(!isInsideLab())('the doctor', () => {
  let lab: Lab;
  let service: NastyService;
  let agent: LabProcess;
  let faults: readonly Fault[];

  beforeAll(async () => {
    lab = await createTestLab({
      id: 'doctr',
      profile: 'documented',
      config: { service: { base_url: nastyUrl } },
    });
    service = await startNastyService(lab);
    agent = lab.startAgent();
    await lab.waitForStatus(({ phase }) => phase === 'providing');
    const shown = await lab.network.run(
      'device',
      'ip',
      '-j',
      'address',
      'show',
      'dev',
      'trib-doctr',
    );
    faults = listFaults(lab, JSON.parse(shown)[0].addr_info[0].local);
  });
  afterAll(async () => {
    await service?.stop();
    await lab?.remove();
  });

  it('changes nothing', async () => {
    // Of the state what the agent itself does not write while it runs; its ledger begins shortly
    // after it does.
    await expect.poll(() => existsSync(join(lab.stateDirectory, 'ledger'))).toBe(true);
    await agent.waitForLine((line) => line.includes('takes the token of this device alone'));
    const state =
      'stat --format "%n %a %u" *; sha256sum identity.json registration.json network-jwt.json';
    const look = `ip address; ip rule; ip route show table all; nft --stateless list ruleset; cd ${lab.stateDirectory}; ${state}`;
    // The agent may load its rules again meanwhile: then the mark of judged connections is another.
    const steady = (text: string) =>
      withoutFilledSets(text).replace(/packets \d+ bytes \d+|expires \S+|\b0x54[\da-f]{6}\b/g, '');
    const before = await lab.network.run('device', 'sh', '-c', look);
    await runDoctor(lab);
    expect(steady(await lab.network.run('device', 'sh', '-c', look))).toBe(steady(before));
  });

  it('finds nothing wrong with a device that provides, and looks at everything', async () => {
    const { exitCode, document } = await runDoctor(lab);
    expect(document.checks.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
    expect(document.failed).toBe(0);
    expect(exitCode).toBe(0);
  });

  it('names each of more than 20 faults, as one failure and no more', {
    timeout: 600_000,
  }, async () => {
    const missed: string[] = [];
    for (const fault of faults) {
      const said = await tryFault(fault);
      process.stdout.write(
        `  ${said === undefined ? 'named ' : 'MISSED'} ${fault.name}${said === undefined ? '' : `: ${said}`}\n`,
      );
      if (said !== undefined) missed.push(`${fault.name}: ${said}`);
    }
    process.stdout.write(
      `  doctor: ${faults.length - missed.length} of ${faults.length} faults named rightly\n`,
    );
    expect(faults.length).toBeGreaterThanOrEqual(20);
    expect(missed).toEqual([]);
  });

  it('hands on a bundle without a secret, for its owner alone', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tributary-bundle-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const path = join(folder, 'help.tar.gz');
    const planted = {
      TRIBUTARY_AUTH_CODE: 'planted-auth-code',
      TRIBUTARY_NETWORK_JWT: 'eyJwbGFudGVk.eyJwbGFudGVk.c2ln',
    };
    const { exitCode } = await runDoctor(lab, { env: planted }, ['--bundle', path]);
    expect(exitCode).toBe(0);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await lab.network.run('device', 'tar', '-C', folder, '-xzf', path);
    const names = (await lab.network.run('device', 'tar', '-tzf', path)).trim().split('\n');
    expect(names).toEqual(
      expect.arrayContaining([
        'doctor.json',
        'status.json',
        'config.json',
        'nft.txt',
        'wg.txt',
        'log.txt',
      ]),
    );
    const secrets = new Map([
      ...(await collectSecrets(lab.stateDirectory)),
      ...Object.entries(planted),
    ]);
    expect(secrets.size).toBeGreaterThan(3);
    for (const name of names) {
      const text = await readFile(join(folder, name), 'utf8');
      for (const [what, secret] of secrets)
        expect(text.includes(secret), `${what} in ${name}`).toBe(false);
      expect(text).not.toMatch(/[A-Za-z0-9+/]{43}=/);
    }
    expect(await readFile(join(folder, 'nft.txt'), 'utf8')).toContain('chain forward');
    expect(await readFile(join(folder, 'wg.txt'), 'utf8')).toContain('latest handshake');
  });

  it('lays nothing to a device whose agent is stopped, and looks at what it can', async () => {
    await stopAgent(agent);
    const { exitCode, document } = await runDoctor(lab);
    expect(
      document.checks
        .filter(({ verdict }) => verdict !== 'pass')
        .map(({ id, verdict }) => [id, verdict]),
    ).toEqual([
      ['agent', 'skip'],
      ['log', 'skip'],
      ['handshake', 'skip'],
      ['sources', 'skip'],
      ['self-test', 'skip'],
      ['line', 'skip'],
      ['delays', 'skip'],
      ['forwarding', 'skip'],
    ]);
    expect(exitCode).toBe(0);
  });

  it('says of a new device only that it is not signed in', async () => {
    const { document } = await runDoctor(lab, {
      script: `set -- "$@" --state-dir ${join(lab.directory, 'new')}`,
    });
    expect(document.checks.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)).toEqual(
      ['token'],
    );
  });

  /** What is not as it should be; undefined: the fault was named, and nothing else. */
  async function tryFault(fault: Fault): Promise<string | undefined> {
    await bringAbout(fault);
    try {
      // Before the tunnel is made, nothing can be said of it.
      const isThere = ({ phase, reasons: [reason] }: StatusDocument) =>
        phase === fault.phase && reason?.code !== 'tunnel-starting';
      if (fault.phase !== undefined) await lab.waitForStatus(isThere);
      const { exitCode, document } = await runDoctor(lab, fault);
      const [first, ...others] = document.checks.filter(({ verdict }) => /warn|fail/.test(verdict));
      const exits = fault.verdict === 'warn' ? 0 : 1;
      const isNamed =
        first?.id === fault.is && fault.found.test(first.found) && first.mend !== null;
      const isJudged = (fault.verdict ?? 'fail') === first?.verdict && exitCode === exits;
      const isRight = isNamed && isJudged && others.length === 0;
      if (isRight && fault.afterFix !== undefined) return await tryFix(first.mend, fault.afterFix);
      return isRight ? undefined : JSON.stringify({ exitCode, failed: [first, ...others] });
    } finally {
      await takeBack(fault);
    }
  }

  /** Typed as it is said, but for sudo: nothing is wrong then, and a consumer gets through. */
  async function tryFix(fix: string, afterFix: string): Promise<string | undefined> {
    await lab.network.run('device', 'sh', '-c', fix.replaceAll('sudo ', ''));
    const { document } = await runDoctor(lab);
    // On a busy machine a connection may take longer than a probe waits for it.
    let probed = await lab.probe(addresses.internet, webPort);
    for (let tries = 1; probed !== 'reached' && tries < 10; tries += 1) {
      await sleep(1_000);
      probed = await lab.probe(addresses.internet, webPort);
    }
    await lab.network.run('device', 'sh', '-c', afterFix);
    return document.failed === 0 && probed === 'reached'
      ? undefined
      : JSON.stringify({ fix, probed, document });
  }

  async function bringAbout({ isFromStart, nasty, deed }: Fault): Promise<void> {
    if (isFromStart === true) await stopAgent(agent);
    if (nasty !== undefined) await service.behave(nasty);
    if (deed !== undefined) await lab.network.run(deed.host, 'sh', '-c', deed.shell);
    if (isFromStart === true) agent = lab.startAgent();
  }

  async function takeBack({ deed }: Fault): Promise<void> {
    await service.behave({});
    if (deed !== undefined) await lab.network.run(deed.host, 'sh', '-c', deed.undo);
    await lab.waitForStatus(({ phase }) => phase === 'providing');
  }
});

interface Examined {
  readonly exitCode: number | null;
  readonly document: DoctorDocument;
}

async function runDoctor(
  lab: Lab,
  { env = {}, script = 'true' }: Pick<Fault, 'env' | 'script'> = {},
  more: readonly string[] = [],
): Promise<Examined> {
  const [ip, netns, exec, name, ...doctor] = lab.command('doctor', '--json', ...more);
  const before = `private=$(mktemp -d -p ${lab.directory}); mount -t tmpfs tmpfs "$private"; ${script}; exec "$@"`;
  const wrapped = [
    ip,
    netns ?? '',
    exec ?? '',
    name ?? '',
    'unshare',
    '--mount',
    'sh',
    '-c',
    before,
    'sh',
    ...doctor,
  ] as const;
  const running = startProcess({ argv: wrapped, env });
  const exitCode = await running.exited;
  const line = running.lines.find((candidate) => candidate.startsWith('{"checks"'));
  if (line === undefined) throw new Error(`the doctor said nothing: ${running.lines.join(' | ')}`);
  return { exitCode, document: JSON.parse(line) };
}
