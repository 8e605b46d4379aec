import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { isInsideLab } from '../../tools/lab/network.ts';
import { type LabProcess, startProcess } from '../../tools/lab/processes.ts';
import { readBlocks } from '../pages.ts';
import { waitUntil } from '../patience.ts';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);
const colour = '\u001b[';

/** As `npm run demo` does on a clone that is ready; here, this lab is the host. */
const demo = (...args: readonly string[]) =>
  // In a group of its own, which Ctrl-C reaches as a whole.
  [
    'setsid',
    'sh',
    join(root, 'tools/lab/enter-with-page.sh'),
    'node',
    'dist/demo.cjs',
    ...args,
  ] as const;

async function kill(running: LabProcess | undefined): Promise<void> {
  running?.kill('SIGKILL');
  await running?.exited;
}

/** What differs from run to run. */
function mask(line: string): string {
  return line
    .replace(/ [▁-█][▁-█ ]{6,}/, ' BARS ')
    .replace(/(?<=http:\/\/127\.0\.0\.1:)\d+/, 'N')
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, 'ID')
    .replace(/(?<=198\.51\.100\.2:)\d{4,5}(?=: yes)|\d+(\.\d+)?(?= (s|Mbit\/s)\b)/g, 'N');
}

async function isAnswered(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}

/** The page's address, from the line that tells it. */
async function readPage(running: LabProcess): Promise<string> {
  const line = await running.waitForLine((text) => text.startsWith('  page '));
  return /http:\S+/.exec(line)?.[0] ?? '';
}

/** A terminal of 80 columns: what it shows. */
async function showAtTerminal(env: Readonly<Record<string, string>>): Promise<string> {
  const command = `stty cols 80; exec ${demo().slice(1).join(' ')}`;
  // Node shows no colours where CI is set.
  const { CI: _, ...ours } = process.env;
  const { stdout } = await run('script', ['-qec', command, '/dev/null'], {
    env: { ...ours, ...env },
  });
  return stdout;
}

describe.skipIf(!isInsideLab())(
  'the demonstration in a pipe, where an agent of this machine has the usual port',
  () => {
    const agent = createServer();
    let running: LabProcess | undefined;
    let page: string;
    let isPageThere: boolean;
    let exitCode: number | null;
    beforeAll(async () => {
      // Another test may have the port for a moment.
      await waitUntil(() => once(agent.listen(9469, '127.0.0.1'), 'listening'));
      running = startProcess({ argv: demo() });
      page = await readPage(running);
      isPageThere = await isAnswered(`${page}livez`);
      exitCode = await running.exited;
    });
    afterAll(async () => {
      agent.close();
      await kill(running);
    });

    it('says what its page of the documentation shows, without colours, and what to do next', () => {
      const lines = running?.lines ?? [];
      expect(exitCode, lines.join('\n')).toBe(0);
      const [shown = ''] = readBlocks('text', 'docs/development/demo.md');
      expect(lines.map(mask)).toEqual(shown.trimEnd().split('\n').map(mask));
      expect(lines.join('')).not.toContain(colour);
      expect(existsSync(join(root, /docs\/\S+\.md/.exec(lines.at(-1) ?? '')?.[0] ?? 'none'))).toBe(
        true,
      );
    });

    it('takes another port for the page, as long as it runs', async () => {
      expect(new URL(page).port).not.toBe('9469');
      expect(isPageThere).toBe(true);
      await expect.poll(() => isAnswered(page)).toBe(false);
    });
  },
);

describe.skipIf(!isInsideLab())('the demonstration', () => {
  it('downloads by the network’s own protocol with --source connect, and says what was earned', async () => {
    const running = startProcess({ argv: demo('--json', '--source', 'connect') });
    onTestFinished(() => kill(running));
    expect(await running.exited, running.lines.join('\n')).toBe(0);
    const result = JSON.parse(running.lines.find((line) => line.startsWith('{')) ?? '');
    expect(result).toMatchObject({
      handshake: true,
      lan: 'refused',
      host: 'refused',
      modeNone: 'refused',
      registrations: 1,
    });
    expect(result.internet.bytes).toBeGreaterThan(10_000_000);
    expect(result.earnedUsdc).toBeGreaterThan(0);
    expect(running.lines.join('\n')).toMatch(/source +connect \(tribc-demo\), connected: yes/);
  });

  it('shows six hosts in colours at a terminal, and no colour where none is wanted', async () => {
    const shown = await showAtTerminal({ TERM: 'xterm-256color' });
    for (const host of ['consumer', 'service', 'Internet', 'home router', 'NAS', 'device']) {
      expect(shown.slice(0, shown.indexOf('registered'))).toContain(host);
    }
    expect(shown).toContain(`${colour}32mrefused`);
    const plain = await showAtTerminal({ TERM: 'xterm-256color', NO_COLOR: '1' });
    expect(plain).toContain('NAS');
    // Only the line that is rewritten while the download runs.
    expect(plain.replaceAll(`${colour}K`, '')).not.toContain(colour);
  });

  it('shows the page of its device on this machine, keeps it with --keep, and takes it away with itself', async () => {
    const running = startProcess({ argv: demo('--keep') });
    onTestFinished(() => kill(running));
    const page = await readPage(running);
    expect(new URL(page).hostname).toBe('127.0.0.1');
    await running.waitForLine((line) => line.includes('It stays until Ctrl-C'), 120_000);
    const response = await fetch(page);
    expect([response.status, await response.text()]).toEqual([
      200,
      expect.stringContaining('lab device demo'),
    ]);
    const commands = running.lines.filter((line) => /^ {4}\S/.test(line));
    expect(commands.filter((line) => line.length > 80)).toEqual([]);
    const [enter = '', ...others] = commands;
    expect(others).toHaveLength(4);
    for (const command of others) {
      const { stdout, stderr } = await run('sh', ['-ec', `${enter}\n${command}`]);
      expect(stdout + stderr, command).toMatch(
        /is (idle|providing)|table inet tributary|interface: trib-demo|% Total/,
      );
    }
    const { stdout: script } = await run('sh', ['-ec', `${enter}\ncat device`]);
    process.kill(-Number(/ -t (\d+)/.exec(script)?.[1]), 'SIGINT');
    expect(await running.exited).toBe(130);
    expect(running.lines.join('\n')).toContain('All as promised.');
    await expect.poll(() => isAnswered(page)).toBe(false);
    await expect.poll(() => existsSync(enter.trim().slice(3))).toBe(false);
  });

  it.each([
    [['--profil', 'x'], "Unknown option '--profil'; did you mean --profile?"],
    [
      ['--profile', 'documentd'],
      '--profile documentd: documented or production; did you mean documented?',
    ],
    [['--profile', 'x'], '--profile x: documented or production'],
    [['--source', 'x'], '--source x: wireguard or connect'],
    [['--source', 'conect'], '--source conect: wireguard or connect; did you mean connect?'],
    [['--profile'], "Option '--profile <value>' argument missing"],
    [['--keep=x'], "Option '--keep' does not take an argument"],
    [['keep'], "Unexpected argument 'keep'; did you mean --keep?"],
    [['foo'], "Unexpected argument 'foo'"],
  ])('refuses %j as misused, and says how it is used', async (args, reason) => {
    const running = spawn('node', ['dist/demo.cjs', ...args], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const said: string[] = [];
    running.stderr.setEncoding('utf8').on('data', (text: string) => void said.push(text));
    const [exitCode] = await once(running, 'close');
    expect([exitCode, said.join('')]).toEqual([
      64,
      `tributary: demo: ${reason}\nUsage: npm run demo -- [--json] [--keep] [--profile documented|production] [--source wireguard|connect]\n`,
    ]);
  });
});
