import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Lab } from '../../tools/lab/lab.ts';
import { isInsideLab } from '../../tools/lab/network.ts';
import type { LabProcess } from '../../tools/lab/processes.ts';
import { createTestLab, runOnDevice } from './support/test-lab.ts';

// Namespaces are needed; test/global-setup.ts says aloud that this is left out.
describe.skipIf(!isInsideLab())('the process of an agent', () => {
  let lab: Lab;
  let agent: LabProcess;
  const handedIn = {
    TRIBUTARY_STATUS_TOKEN: 'a-token-of-the-page-4711',
    AWS_SECRET_ACCESS_KEY: 'of-something-else',
  };

  beforeAll(async () => {
    lab = await createTestLab({
      id: 'proc',
      profile: 'documented',
      config: { tunnel: { backend: 'userspace' } },
    });
    agent = lab.startAgent(handedIn);
    await lab.waitForStatus(({ phase }) => phase === 'providing');
  });
  afterAll(() => lab?.remove());

  it('hands wireguard-go, which outlives it, a path and a language, and none of its secrets', async () => {
    const environment = await readProcess('wireguard-go', 'environ');
    const names = environment.split('\0').map((line) => line.split('=')[0] ?? '');
    expect(names).toEqual(expect.arrayContaining(['PATH', 'LC_ALL']));
    const known =
      /^(PATH|HOME|TMPDIR|TZ|LANG|LC_\w+|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|LOG_LEVEL|WG_\w+|)$/;
    expect(names.filter((name) => !known.test(name))).toEqual([]);
    for (const secret of [lab.authCode, ...Object.values(handedIn)])
      expect(environment).not.toContain(secret);
  });

  it('puts none of its memory into a core dump, and no key of the tunnel', async () => {
    for (const name of ['wireguard-go', 'tributary.cjs']) {
      expect(Number.parseInt(await readProcess(name, 'coredump_filter'), 16), name).toBe(0);
    }
  });

  it('opens no debugger at SIGUSR1', async () => {
    const listening = () => lab.network.run('device', 'ss', '-Hltn');
    const before = await listening();
    expect(before).toContain(':9469');
    agent.kill('SIGUSR1');
    // Node would have opened it by the time that two more requests are answered.
    for (const _time of [1, 2]) await lab.status();
    expect(await listening()).toBe(before);
    expect(agent.lines.join('\n')).not.toContain('Debugger');
  });

  it('is not begun where the environment would weaken it, which is said all at once', async () => {
    const weak = {
      NODE_OPTIONS: '--max-old-space-size=256 --tls-min-v1.0',
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
      TRIBUTARY_PROVIDE_MODE: 'everybody',
    };
    const { exitCode, text } = await runOnDevice(lab, ['run'], weak);
    expect(exitCode).toBe(78);
    expect(text).toContain('NODE_OPTIONS: found "--tls-min-v1.0"; allowed: ');
    expect(text).toContain(
      'NODE_TLS_REJECT_UNAUTHORIZED: found "0"; allowed: unset, because every certificate is checked',
    );
    expect(text).toContain('TRIBUTARY_PROVIDE_MODE: found "everybody"');
    expect(text).not.toContain('--max-old-space-size"');
  });

  /** A file of the one process in /proc whose command line names this program and this lab. */
  async function readProcess(program: string, file: string): Promise<string> {
    const found: string[] = [];
    for (const id of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
      const line = await readFile(join('/proc', id, 'cmdline'), 'utf8').catch(() => '');
      const words = line.split('\0');
      const isOurs =
        words.includes('trib-proc') || (words.includes('run') && line.includes(lab.directory));
      if (isOurs && words.some((word) => word.endsWith(program))) found.push(id);
    }
    expect(found, program).toHaveLength(1);
    return readFile(join('/proc', found[0] ?? '', file), 'utf8');
  }
});
