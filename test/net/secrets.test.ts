import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Lab, waitForDownload } from '../../tools/lab/lab.ts';
import { isInsideLab } from '../../tools/lab/network.ts';
import type { LabProcess } from '../../tools/lab/processes.ts';
import { collectSecrets } from './support/collect-secrets.ts';
import { changeConfig, createTestLab, runOnDevice, stopAgent } from './support/test-lab.ts';

// Namespaces are needed; test/global-setup.ts says aloud that this is left out.
describe.skipIf(!isInsideLab())('the secrets of a device', () => {
  let lab: Lab;
  let agent: LabProcess;
  /** Everything that anybody could see of the agent, by where it was seen. */
  const seen = new Map<string, string>();
  let secrets: ReadonlyMap<string, string>;

  beforeAll(async () => {
    lab = await createTestLab({
      id: 'secr',
      profile: 'documented',
      keepaliveSeconds: 5,
      config: { log: { level: 'trace' } },
    });
    const commandLines = await noteCommandLines(lab);
    agent = lab.startAgent(commandLines.env);
    await lab.waitForStatus(({ phase }) => phase === 'providing');
    await waitForDownload(lab.startDownload(2_000_000, 20));
    for (const path of ['/', '/status.json', '/metrics', '/livez', '/readyz']) {
      seen.set(`page ${path}`, await ask(lab, path));
    }
    for (const args of [
      ['status'],
      ['status', '--json'],
      ['provide'],
      ['config', 'show'],
      ['config', 'show', '--json'],
    ]) {
      const env = { TRIBUTARY_AUTH_CODE: lab.authCode };
      seen.set(args.join(' '), (await runOnDevice(lab, args, env)).text);
    }
    await provokeErrors(lab, agent, seen);
    secrets = await collectSecrets(lab.stateDirectory);
    seen.set('command lines', await commandLines.read());
    await stopAgent(agent);
    seen.set('log', agent.lines.join('\n'));
  });
  afterAll(() => lab?.remove());

  it('are known to this test, with the auth code', () => {
    expect([...secrets.keys()].join(' ')).toMatch(/network-jwt.json token/);
    expect([...secrets.keys()].join(' ')).toMatch(/registration.json clientJwt/);
    expect([...secrets.keys()].join(' ')).toMatch(/PrivateKey/);
    expect(seen.get('log')).toContain('"message":"registered"');
    expect(seen.get('command lines')).toContain('wg syncconf');
    expect(seen.get('command lines')).toContain('tributary.cjs run');
    expect(seen.get('error login')).toContain('auth code');
  });

  it('are in no log, page, command line or error', () => {
    const all = new Map([...secrets, ['auth code', lab.authCode]]);
    for (const [place, text] of seen) {
      for (const [name, secret] of all) {
        expect(text.includes(secret), `${name} in ${place}`).toBe(false);
      }
    }
  });

  it('lie in files that nobody else can read', async () => {
    expect((await stat(lab.stateDirectory)).mode & 0o777).toBe(0o700);
    for (const name of await readdir(lab.stateDirectory)) {
      expect((await stat(join(lab.stateDirectory, name))).mode & 0o077, name).toBe(0);
    }
  });
});

/**
 * Failures whose messages could hold a secret: a code used twice, a broken state file, a refused
 * configuration.
 */
async function provokeErrors(
  lab: Lab,
  agent: LabProcess,
  seen: Map<string, string>,
): Promise<void> {
  seen.set(
    'error login',
    (await runOnDevice(lab, ['login'], { TRIBUTARY_AUTH_CODE: lab.authCode })).text,
  );
  seen.set(
    'error second',
    (await runOnDevice(lab, ['run'], { TRIBUTARY_AUTH_CODE: lab.authCode })).text,
  );
  const wrong = { TRIBUTARY_NETWORK_JWT: lab.authCode, TRIBUTARY_PROVIDE_MODE: 'everybody' };
  seen.set('error configuration', (await runOnDevice(lab, ['config', 'check'], wrong)).text);
  lab.service().kill('SIGTERM');
  await lab.service().exited;
  await changeConfig(lab, { provide: { cap: { bytes: 'much' } } });
  agent.kill('SIGHUP');
  await lab.waitForStatus(
    ({ service, reasons }) => service.reachable === false && reasons.length > 1,
  );
  seen.set('error status', (await runOnDevice(lab, ['status'])).text);
}

async function ask(lab: Lab, path: string): Promise<string> {
  const script = `fetch('http://127.0.0.1:9469${path}').then((answer) => answer.text()).then((text) => console.log(text))`;
  return lab.network.run('device', process.execPath, '-e', script);
}

/**
 * Programs before the real ones on the path that write down how they were called: what `ps` would
 * show, with no gap.
 */
async function noteCommandLines(
  lab: Lab,
): Promise<{ readonly env: Readonly<Record<string, string>>; read(): Promise<string> }> {
  const directory = join(lab.directory, 'noted');
  const list = join(lab.directory, 'command-lines');
  await mkdir(directory);
  for (const name of ['ip', 'nft', 'wg', 'wireguard-go', 'flock']) {
    const real = (await lab.network.run('device', 'sh', '-c', `command -v ${name}`)).trim();
    const script = `#!/bin/sh\necho "${name} $*" >>${list}\nexec ${real} "$@"\n`;
    await writeFile(join(directory, name), script, { mode: 0o755 });
  }
  return {
    env: { PATH: `${directory}:${process.env.PATH}` },
    read: async () =>
      `${await readFile(list, 'utf8')}\n${await lab.network.run('device', 'ps', '-eo', 'args')}`,
  };
}
