import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  chmod,
  chown,
  type FileHandle,
  lchown,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { setConfigKeys } from '../../../src/config/set-key.ts';
import { openNamespaceHost } from '../../../src/namespace/run-inside.ts';
import { administer } from '../../../src/reference-service/admin-commands.ts';
import { askAgent } from '../../../src/status/socket-client.ts';
import { clearStaleSocket } from '../../../src/status/stale-socket.ts';
import {
  appendToFile,
  ensureDirectory,
  listFolder,
  removeFile,
} from '../../../src/system/files.ts';
import { acquireLock } from '../../../src/system/lock.ts';
import { createStateFile } from '../../../src/system/state-file.ts';
import { createStatusFixture } from '../status/status-fixture.ts';

/*
 * What root does in the state directory of an agent that was taken over: `agent` below is that
 * agent's user.
 */
const agent = { uid: 65534, gid: 65534 };
const hasTwoUsers = process.geteuid?.() === 0 && knowsUser(agent.uid);
// test/all.sh has run this file before, where there were two.
if (!hasTwoUsers && process.env.TEST_ANOTHER_USER !== 'done') {
  const outside = 'as root: npx vitest run --project unit test/unit/system/another-user.test.ts';
  process.stderr.write(
    `\n  NOTE: what root does in another user's folder is skipped: only one user here; ${outside}\n\n`,
  );
}

describe.skipIf(!hasTwoUsers)("root in another user's state directory", () => {
  /** Root's own; others may pass through it, and no more. */
  let root: string;
  /** The agent's. */
  let state: string;
  let victim: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'tributary-two-users-'));
    onTestFinished(() => rm(root, { recursive: true, force: true }));
    await chmod(root, 0o711);
    state = join(root, 'state');
    await mkdir(state, { mode: 0o700 });
    await chown(state, agent.uid, agent.gid);
    victim = join(root, 'shadow');
    await writeFile(victim, 'root: the-hidden-words', { mode: 0o600 });
  });

  const expectUntouched = async () => {
    expect(await readFile(victim, 'utf8')).toBe('root: the-hidden-words');
    const { uid, mode, nlink } = await stat(victim);
    expect({ uid, mode: mode & 0o777, nlink }).toEqual({ uid: 0, mode: 0o600, nlink: 1 });
  };

  describe('climbs nobody', () => {
    test.each([
      ['a state file', () => openStateFile().write({ text: 'token' })],
      ['the configuration', () => setKey(join(state, 'tributary.yaml'))],
    ])(
      'who swaps the temporary file of %s for a link before it has its name',
      async (_what, write) => {
        let swaps = 0;
        await afterSync(() => {
          swaps += 1;
          asAgent(`for name in .*.????????; do ln -sf '${victim}' "$name"; done`);
        });
        await write().catch(() => undefined);
        expect(swaps).toBe(1);
        await expectUntouched();
      },
    );

    test('who made the link that the configuration is: it is not followed', async () => {
      const [real, link] = [join(root, 'real.yaml'), join(root, 'tributary.yaml')];
      const text = 'service:\n  base_url: https://service.example\n';
      await writeFile(real, text);
      await symlink(real, link);
      await lchown(link, agent.uid, agent.gid);
      await setKey(link);
      expect(await readFile(real, 'utf8')).toBe(text);
    });

    test('who puts a link in the place of the lock', async () => {
      asAgent(`ln -s '${victim}' agent.lock`);
      await expect(takeLock()).rejects.toThrow('it is a link');
      await expectUntouched();
    });

    test.each([
      ['a link', 'ln -s "$0" thing.json'],
      ['a pipe', 'mkfifo thing.json'],
    ])(
      'who puts %s in the place of a state file, whose text no error says',
      async (_what, plant) => {
        asAgent(plant, victim);
        const error = await openStateFile()
          .readOrSetAside()
          .catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({ code: 'state-unreadable' });
        expect(String(error)).not.toContain('hidden');
        expect(await readdir(state)).toEqual(['thing.json']);
      },
    );

    test("who has a second name for another user's file", async () => {
      // Where the kernel lets them: fs.protected_hardlinks=0.
      spawnSync('ln', [victim, join(state, 'thing.json')]);
      await chown(victim, agent.uid, agent.gid);
      await expect(openStateFile().peek()).rejects.toThrow('second name');
    });

    test('who moves the state directory away, and puts a link to one of root there', async () => {
      await mkdir(join(root, 'of-root'), { mode: 0o700 });
      await chown(root, agent.uid, agent.gid);
      asAgent('mv state away && ln -s of-root state', '', root);
      await expect(openStateFile().write({ text: 'token' })).rejects.toThrow(
        `${state} is a link of user ${agent.uid}`,
      );
      await expect(ensureDirectory(join(state, 'below'))).rejects.toThrow('is a link of user');
      expect(await readdir(join(root, 'of-root'))).toEqual([]);
    });

    test("who links the ledger's folder to one of root's", async () => {
      await mkdir(join(root, 'of-root'), { mode: 0o700 });
      await writeFile(join(root, 'of-root', '2026-11'), 'kept');
      asAgent(`ln -s '${join(root, 'of-root')}' ledger`);
      await expect(listFolder(join(state, 'ledger'))).rejects.toThrow('is a link of user');
      await expect(removeFile(join(state, 'ledger', '2026-11'))).rejects.toThrow(
        'is a link of user',
      );
      await expect(appendToFile(join(state, 'ledger', '2026-11'), 'more')).rejects.toThrow(
        'is a link of user',
      );
      expect(await readFile(join(root, 'of-root', '2026-11'), 'utf8')).toBe('kept');
    });

    test('who links a configuration to a file that only root reads: nothing of it comes to light', async () => {
      asAgent('ln -s "$0" tributary.yaml', victim);
      await expect(setKey(join(state, 'tributary.yaml'))).rejects.toThrow('permission denied');
      expect((await lstat(join(state, 'tributary.yaml'))).isSymbolicLink()).toBe(true);
    });

    test("who links the agent's socket to one that only root may use", async () => {
      const server = createServer((_incoming, outgoing) => outgoing.end('{"asked": true}'));
      onTestFinished(() => {
        server.close();
      });
      const socket = join(root, 'docker.sock');
      await new Promise<void>((resolve) => server.listen(socket, resolve));
      await chmod(socket, 0o600);
      expect(await askAgent({ socketPaths: [socket] }, { method: 'GET', path: '/' })).toEqual({
        asked: true,
      });
      asAgent('ln -s "$0" tributary.sock', socket);
      const asked = askAgent(
        { socketPaths: [join(state, 'tributary.sock')] },
        { method: 'POST', path: '/reload' },
      );
      await expect(asked).rejects.toMatchObject({ code: 'not-allowed' });
      await expect(clearStaleSocket(join(state, 'tributary.sock'))).rejects.toThrow(
        'something else',
      );
    });

    test('who leaves former settings of the host for root to put back', async () => {
      const data = { 'net/ipv4/conf/all/forwarding': '1' };
      asAgent(`cat >host-restore.json <<'E'\n${renderDocument(data)}\nE`);
      const host = openNamespaceHost(join(root, 'netns'));
      expect(await host.restore.read()).toEqual({});
      await host.restore.remember('net/ipv4/conf/eth0/forwarding', '0');
      expect(await stat(join(root, 'netns', 'host-restore.json'))).toMatchObject({ uid: 0 });
      expect((await stat(join(root, 'netns'))).mode & 0o777).toBe(0o700);
      await host.forget();
      expect(await readdir(root)).not.toContain('netns');
    });

    test('who links the database of a service that root is to start', async () => {
      asAgent('ln -s "$0" reference-service.sqlite', victim);
      const asked = administer(state, 'createGuest', {});
      await expect(asked).rejects.toThrow('belongs to another user');
      await expectUntouched();
    });
  });

  test('what root writes is the agent’s, private, and left without root’s rights', async () => {
    await openStateFile().write({ text: 'token' });
    await appendToFile(join(state, 'ledger', '2026-11'), 'line\n');
    await (await takeLock())[Symbol.asyncDispose]();
    await setKey(join(state, 'tributary.yaml'));
    const names = ['thing.json', 'ledger/2026-11', 'agent.lock', 'tributary.yaml'];
    const found = await Promise.all(names.map((name) => stat(join(state, name))));
    expect(found.map(({ uid, gid, mode }) => [uid, gid, (mode & 0o777).toString(8)])).toEqual([
      [agent.uid, agent.gid, '600'],
      [agent.uid, agent.gid, '600'],
      [agent.uid, agent.gid, '600'],
      [agent.uid, agent.gid, '644'],
    ]);
    expect(await openStateFile().peek()).toEqual({ text: 'token' });
    expect({ uid: process.geteuid?.(), groups: process.getgroups?.() }).toEqual({
      uid: 0,
      groups: groupsBefore,
    });
  });

  test('it works behind a folder that the agent may not pass, by a link of root: what systemd makes', async () => {
    await mkdir(join(root, 'private'), { mode: 0o700 });
    await rename(state, join(root, 'private', 'tributary'));
    await symlink('private/tributary', state);
    await openStateFile().write({ text: 'token' });
    expect(await openStateFile().peek()).toEqual({ text: 'token' });
    expect((await stat(join(state, 'thing.json'))).uid).toBe(agent.uid);
  });

  test('a lock that root made there before is still one lock', async () => {
    await writeFile(join(state, 'agent.lock'), '1\n', { mode: 0o600 });
    await using _lock = await takeLock();
    await expect(takeLock()).rejects.toMatchObject({ code: 'already-running' });
  });

  test('a broken document is set aside as the agent would, whatever names it holds', async () => {
    asAgent(`cat >restore.json <<'E'\n${renderDocument({ '\u001b]0;net/../../etc': '1' })}\nE`);
    const said: string[] = [];
    const file = createStateFile({
      directory: state,
      name: 'restore',
      schema: z.record(z.string().regex(/^net/), z.string()),
      onSetAside: (_path, keptAs, why) => said.push(basename(keptAs), why),
    });
    expect(await file.readOrSetAside()).toBeUndefined();
    expect(said[0]).toMatch(/^restore\.json\.broken-/);
    expect(said[1]).toMatch(/^[ -~]+$/);
    expect((await stat(join(state, said[0] ?? ''))).uid).toBe(agent.uid);
  });

  test('a member of the group of the agent’s folder may read status, and gives no order', async () => {
    await using agent = await createStatusFixture('no-page');
    await agent.start();
    await chmod(agent.directory, 0o711);
    await chmod(dirname(agent.socketPath), 0o710);
    await chown(dirname(agent.socketPath), 0, readers);
    // In the package, files of the agent have this group from the first.
    await agent.start();
    await chown(`${agent.socketPath}.read`, 0, readers);
    const places = { socketPaths: [agent.socketPath] };
    const read = () => askAgent(places, { method: 'GET', path: '/status.json' });
    const order = () =>
      askAgent(places, { method: 'POST', path: '/provide', body: { mode: 'none' } });
    expect(await asMember(readers, read)).toMatchObject({ phase: 'providing' });
    await expect(asMember(readers, order)).rejects.toMatchObject({ code: 'not-allowed' });
    await expect(asMember(strangers, read)).rejects.toMatchObject({ code: 'not-allowed' });
    expect(agent.state.commands).toEqual([]);
  });

  const [readers, strangers] = [65532, 65533];
  /** Asks with the rights of a user who is in this group alone. */
  const asMember = async <T>(group: number, act: () => Promise<T>): Promise<T> => {
    process.setegid?.(group);
    process.seteuid?.(agent.uid);
    try {
      return await act();
    } finally {
      process.seteuid?.(0);
      process.setegid?.(0);
    }
  };
  const groupsBefore = process.getgroups?.();
  const openStateFile = () =>
    createStateFile({
      directory: state,
      name: 'thing',
      schema: z.object({ text: z.string() }),
      onSetAside: () => undefined,
    });
  const takeLock = () => acquireLock(join(state, 'agent.lock'));
  const setKey = (configPath: string) =>
    setConfigKeys(configPath, [{ key: 'provide.mode', text: 'friends' }]);

  /** Does it with the agent's rights alone. */
  const asAgent = (script: string, argument = '', cwd = state) => {
    const ran = spawnSync('sh', ['-c', script, argument], { cwd, ...agent, encoding: 'utf8' });
    expect(ran.stderr).toBe('');
  };
});

/** Lets something happen right after each file has been written out. */
async function afterSync(act: () => void): Promise<void> {
  await using file = await open(import.meta.filename);
  const prototype: FileHandle = Object.getPrototypeOf(file);
  const { sync } = prototype;
  const spy = vi.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
    await sync.call(this);
    if ((await this.stat()).isFile()) act();
  });
  onTestFinished(() => void spy.mockRestore());
}

function knowsUser(uid: number): boolean {
  const ranges = readFileSync('/proc/self/uid_map', 'utf8').trim().split('\n');
  return ranges.some((range) => {
    const [first = 0, , count = 0] = range.trim().split(/\s+/).map(Number);
    return uid >= first && uid < first + count;
  });
}

function renderDocument(data: unknown): string {
  const sha256 = createHash('sha256').update(JSON.stringify(data)).digest('hex');
  return JSON.stringify({ version: 1, sha256, data });
}
