import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { exec } from '../../src/system/exec.ts';
import { makePackage } from './support/packages.ts';
import { makeLibraries } from './support/tree.ts';

/* The program of the package for arm64, run by its own Node under emulation with Debian's own libraries for arm64. */
let directory: string;
let emulated: (...args: readonly string[]) => readonly [string, ...string[]];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tributary-arm64-'));
  const path = await makePackage({ architecture: 'arm64', version: '1.0.0', to: directory });
  const unpacked = join(directory, 'unpacked');
  await exec({ program: 'dpkg-deb', args: ['-x', path, unpacked], doing: 'unpacking the package', timeoutMs: 120_000 });
  const libraries = await makeLibraries('bookworm', 'arm64');
  const installed = join(unpacked, 'usr/lib/tributary');
  const program = [join(installed, 'node'), join(installed, 'tributary.cjs')];
  emulated = (...args) => ['qemu-aarch64-static', '-L', libraries, ...program, ...args];
}, 600_000);

afterAll(() => rm(directory, { recursive: true, force: true }));

const run = async (args: readonly string[], input?: string) => {
  const [program, ...rest] = emulated(...args);
  const given = input === undefined ? {} : { input };
  return exec({ program, args: rest, doing: args.join(' '), timeoutMs: 120_000, ...given });
};

describe('the program of the package for arm64', () => {
  it('starts, and says its version', async () => {
    expect(await run(['--version'])).toBe('1.0.0\n');
  });

  it('serves as a sandbox, and signs in to it', async () => {
    const [program, ...args] = emulated(
      'sandbox',
      '--json',
      '--wireguard',
      'off',
      '--data',
      join(directory, 'service'),
    );
    const sandbox = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const line = await new Promise<string>((resolve, reject) => {
        createInterface({ input: sandbox.stdout }).once('line', resolve);
        sandbox.once('close', (code) => reject(new Error(`the sandbox ended with ${code}`)));
      });
      const { baseUrl, authCode } = z.object({ baseUrl: z.string(), authCode: z.string() }).parse(JSON.parse(line));
      const config = join(directory, 'tributary.yaml');
      await writeFile(config, `service: { base_url: "${baseUrl}", profile: documented }\n`);
      const options = ['--config', config, '--state-dir', join(directory, 'state')];
      expect(await run([...options, 'login'], authCode)).toBe('Signed in.\n');
      expect(JSON.parse(await run([...options, 'network', 'clients', '--json']))).toMatchObject({ clients: [] });
    } finally {
      sandbox.kill();
    }
  });
});
