import { execFileSync } from 'node:child_process';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readBlocks, splitCommands } from '../pages.ts';
import { type Board, boards, type Fleet, startFleet } from './support/fleet.ts';
import { type PreparedPackages, preparePackages } from './support/packages.ts';

const role = join(import.meta.dirname, '../../config/ansible');
const names = Object.keys(boards) as Board[];

/** What the owner writes; the world has no TLS, and an Internet of documentation addresses. */
const wanted = {
  service: {
    base_url: 'http://198.51.100.2:8080',
    profile: 'documented',
    allow_insecure_http: true,
  },
  provide: { mode: 'public' },
  gateway: { allow_destinations: ['192.0.2.0/24', '198.51.100.0/24'] },
};

/** The page's lines. */
const [makeCode = '', playLines = ''] = readBlocks('sh', 'docs/many-devices.md');
const [tryLine = '', enrolLine = ''] = splitCommands(playLines);

let fleet: Fleet;
let folder: string;
let packages: PreparedPackages;
let code: string;

beforeAll(async () => {
  packages = await preparePackages('1.0.0');
  fleet = await startFleet();
  code = (
    await fleet.inWorld(
      'on proxy $node $dist/tributary.cjs sandbox auth-code --uses 2 --minutes 60 --json --data $world',
    )
  ).replace(/^[\s\S]*"authCode": *"([^"]+)"[\s\S]*$/, '$1');
  folder = join(fleet.directory, 'ansible');
  await cp(role, folder, { recursive: true });
  await writeFile(join(folder, 'code'), `${code}\n`, { mode: 0o600 });
  await vi.waitFor(() => Promise.all(names.map((board) => fleet.ssh(board, 'true'))), {
    timeout: 60_000,
    interval: 500,
  });
});

afterAll(async () => {
  await fleet?.remove();
  await packages?.remove();
});

interface Played {
  readonly exitCode: number | null;
  readonly text: string;
  /** By board: what the play changed. */
  readonly changed: Readonly<Record<string, number>>;
}

/** Types the page's line in a copy of its folder, with our boards and what we want of them. */
async function play(config: object, line: string): Promise<Played> {
  const hosts = Object.fromEntries(names.map((name) => [name, { ansible_host: boards[name] }]));
  const vars = {
    ansible_user: 'root',
    ansible_ssh_private_key_file: fleet.key,
    tributary_config: config,
    tributary_deb: packages.pathOf('1.0.0'),
    tributary_enrolment_seconds: 0,
    tributary_credentials: { 'status-token': 'a-token-that-nobody-may-read' },
  };
  await writeFile(join(folder, 'inventory.yml'), JSON.stringify({ boards: { hosts, vars } }));
  const site = [{ hosts: 'boards', become: true, gather_facts: false, roles: ['tributary'] }];
  await writeFile(join(folder, 'site.yml'), JSON.stringify(site));
  const running = fleet.stage.start(['sh', '-c', `cd ${folder} && ${line}`], 'internet');
  const exitCode = await running.exited;
  const text = running.lines.join('\n');
  const recap = [...text.matchAll(/^(\w+) +: ok=\d+ +changed=(\d+)/gm)];
  return {
    exitCode,
    text,
    changed: Object.fromEntries(recap.map(([, name = '', count]) => [name, Number(count)])),
  };
}

const status = async (board: Board) =>
  JSON.parse(await fleet.ssh(board, 'tributary status --json'));

describe('the Ansible role', () => {
  it('is as ansible-lint wants roles to be, and its example is read', () => {
    const env = { ...process.env, HOME: fleet.directory };
    execFileSync('ansible-lint', ['--offline', '--profile', 'production', 'roles', 'site.yml'], {
      cwd: role,
      env,
    });
    execFileSync(
      'ansible-playbook',
      ['--syntax-check', '--inventory', 'inventory.yml', 'site.yml'],
      {
        cwd: role,
        env,
      },
    );
  });

  it('says in check mode what it would do to new boards, and does nothing', async () => {
    const { exitCode, text } = await play(wanted, tryLine);
    expect(exitCode, text).toBe(0);
    for (const board of names)
      expect(
        await fleet.ssh(board, 'ls /usr/bin/tributary /etc/tributary 2>/dev/null || echo none'),
      ).toBe('none');
  });

  it('installs, configures and enrols both, one after the other, and its code is seen nowhere', async () => {
    const watch = fleet.stage.start([
      'sh',
      '-c',
      'while sleep 0.02; do cat /proc/[0-9]*/cmdline; echo; done 2>/dev/null | tr "\\0" " "',
    ]);
    const { exitCode, text, changed } = await play(wanted, `${enrolLine} -vvv`);
    watch.kill('SIGTERM');
    expect(exitCode, text).toBe(0);
    for (const board of names) expect(changed[board]).toBeGreaterThan(3);
    const shown = watch.lines.join('\n');
    // The sign-ins run one after the other, although the test sets the pause between them to zero.
    const logins = watch.lines.map(
      (line) => [...line.matchAll(/tributary\.cjs login --code-file -/g)].length,
    );
    expect(new Set(logins)).toEqual(new Set([0, 1]));
    const places = { 'the play': text, 'a command line': shown };
    const leaks = [code, 'a-token-that-nobody-may-read'].flatMap((secret) =>
      Object.entries(places).flatMap(([what, said]) =>
        said.includes(secret) ? `${secret} in ${what}` : [],
      ),
    );
    expect(leaks).toEqual([]);
    for (const board of names) {
      const search = `journalctl --no-pager | grep -F ${code}; find / -xdev -type f -size -9M -exec grep -lF ${code} {} + 2>/dev/null || true`;
      expect(await fleet.ssh(board, search), board).toBe('');
    }
  });

  it('leaves both providing', async () => {
    for (const board of names) {
      await vi.waitFor(async () => expect((await status(board)).phase).toBe('providing'), {
        timeout: 60_000,
        interval: 500,
      });
    }
    const ids = await Promise.all(names.map(async (board) => (await status(board)).client.id));
    expect(new Set(ids).size).toBe(2);
    // The consumer gets through with either board alone.
    for (const [one, other] of [
      ['attic', 'shed'],
      ['shed', 'attic'],
    ] as const) {
      await fleet.ssh(other, 'tributary provide none');
      await fleet.inWorld('until_true 60 is_reached 192.0.2.10');
      expect((await status(one)).gateway.forwardedBytes.up).toBeGreaterThan(0);
      await fleet.ssh(other, 'tributary provide auto');
    }
  });

  it.each([enrolLine, tryLine])('changes nothing the second time: %s', async (line) => {
    const before = await Promise.all(
      names.map((board) => fleet.ssh(board, 'systemctl show -p MainPID tributary')),
    );
    const { exitCode, text, changed } = await play(wanted, line);
    expect(exitCode, text).toBe(0);
    expect(changed, text).toEqual({ attic: 0, shed: 0 });
    const after = await Promise.all(
      names.map((board) => fleet.ssh(board, 'systemctl show -p MainPID tributary')),
    );
    expect(after).toEqual(before);
  });

  it.each([
    ['takes a change on without a restart', { ...wanted, provide: { mode: 'friends' } }, true],
    [
      'restarts the agent for a change that needs it',
      { ...wanted, log: { format: 'json' } },
      false,
    ],
  ])('%s', async (_, config, isSame) => {
    const pid = (board: Board) => fleet.ssh(board, 'systemctl show -p MainPID tributary');
    const before = await Promise.all(names.map(pid));
    const { exitCode, text, changed } = await play(config, enrolLine);
    expect(exitCode, text).toBe(0);
    for (const board of names) expect(changed[board], text).toBeGreaterThan(0);
    const after = await Promise.all(names.map(pid));
    expect(after.map((own, index) => own === before[index])).toEqual([isSame, isSame]);
    for (const board of names) {
      const shown = JSON.parse(await fleet.ssh(board, 'tributary config show --json'));
      expect(JSON.stringify(shown)).toContain(
        'provide' in config && config.provide.mode === 'friends' ? '"friends"' : '"json"',
      );
      await vi.waitFor(async () => expect((await status(board)).phase).toBe('providing'), {
        timeout: 60_000,
        interval: 500,
      });
      expect((await status(board)).provide.configured).toBe(config.provide.mode);
    }
  });

  it('puts no configuration in place that the program refuses, and says what is wrong with it', async () => {
    const before = await fleet.ssh('attic', 'sha256sum /etc/tributary/tributary.yaml');
    const { exitCode, text } = await play({ ...wanted, provide: { mode: 'everybody' } }, enrolLine);
    expect(exitCode).not.toBe(0);
    expect(text).toMatch(/provide\.mode: .*everybody/);
    expect(await fleet.ssh('attic', 'sha256sum /etc/tributary/tributary.yaml')).toBe(before);
    expect((await status('attic')).phase).toBe('providing');
  });

  it('enrols with a code that a device of the fleet makes', async () => {
    const made = await fleet.ssh(
      'attic',
      `cd && { ${makeCode.replaceAll('sudo ', '')} } && stat -c %a code && cat code`,
    );
    expect(made).toMatch(/^600\n\S+$/);
    const again =
      'tributary login --code-file ~/code && tributary login --code-file ~/code 2>&1 | tail -n 1';
    expect(await fleet.ssh('attic', again)).toMatch(/^Signed in to .*\n.*/);
  });

  it('says of a board that is not signed in that it needs a code', async () => {
    await fleet.ssh('shed', 'tributary logout --yes && systemctl restart tributary');
    const { exitCode, text } = await play(wanted, tryLine.replace(' --check --diff', ''));
    expect(exitCode).not.toBe(0);
    expect(text).toContain(
      'This board is not signed in. Name a file with an auth code in tributary_auth_code_file',
    );
  });
});
