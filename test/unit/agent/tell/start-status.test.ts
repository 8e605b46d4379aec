import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const module = new URL('../../../../src/agent/tell/start-status.ts', import.meta.url).href;

/**
 * What a process says at its start to which a socket was handed over that listens on this address,
 * as systemd does. Configured is 127.0.0.1, at this port or the one that is listened on.
 */
async function readWarnings(address: string, configuredPort?: number): Promise<readonly string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'tributary-handed-'));
  const listening = createServer().listen(0, address);
  await once(listening, 'listening');
  onTestFinished(async () => {
    listening.close();
    await rm(directory, { recursive: true, force: true });
  });
  const program = `
    const { startStatus } = await import(${JSON.stringify(module)});
    const warnings = [];
    const log = { info: () => undefined, warn: ({ warning }) => warnings.push(warning) };
    const config = { status: { listen: { host: '127.0.0.1', port: ${configuredPort ?? (listening.address() as AddressInfo).port} } } };
    const loaded = { config, credentials: { statusToken: {} }, socketPaths: [${JSON.stringify(join(directory, 'run/agent.sock'))}] };
    const status = await startStatus({ loaded, pageDescriptor: 3, heartbeats: {}, log });
    await status.close();
    process.stdout.write(JSON.stringify(warnings));
  `;
  const args = ['--no-warnings', '--input-type=module', '--eval', program];
  // Node does not tell a server's descriptor otherwise.
  const { fd } = (listening as unknown as { readonly _handle: { readonly fd: number } })._handle;
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit', fd] });
  const chunks: Buffer[] = (await child.stdout?.toArray()) ?? [];
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

test('a socket handed over that others reach is warned of, whatever address is configured', async () => {
  expect(await readWarnings('127.0.0.1')).toEqual([]);
  expect(await readWarnings('0.0.0.0')).toEqual([
    expect.stringMatching(
      /^status\.listen: the page is on 0\.0\.0\.0:\d+, .* and not on 127\.0\.0\.1:\d+; see/,
    ),
    expect.stringMatching(
      /^the socket handed over: 0\.0\.0\.0:\d+ shows the status page .* to everyone/,
    ),
    expect.stringMatching(
      /^the socket handed over: the page on 0\.0\.0\.0:\d+ has no TLS, so its token/,
    ),
  ]);
});

test('a socket handed over at another port than configured is told of', async () => {
  expect(await readWarnings('127.0.0.1', 9)).toEqual([
    expect.stringMatching(
      /^status\.listen: the page is on 127\.0\.0\.1:\d+, .* not on 127\.0\.0\.1:9;/,
    ),
  ]);
});
