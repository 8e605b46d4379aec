import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { createStatusFixture } from '../status/status-fixture.ts';

const script = fileURLToPath(new URL('../../../tools/packaging/health', import.meta.url));

/** Runs the check beside a `tributary` that only says that it was asked. */
async function start() {
  const fixture = await createStatusFixture('no-page');
  onTestFinished(() => fixture[Symbol.asyncDispose]());
  const bin = join(fixture.directory, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'tributary'), '#!/bin/sh\necho "asked: $*"\nexit 7\n');
  await chmod(join(bin, 'tributary'), 0o755);
  const check = (socketPath = fixture.socketPath) =>
    new Promise<{ readonly code: unknown; readonly said: string }>((resolve) => {
      const env = { PATH: `${bin}:${process.env.PATH}`, TRIBUTARY_STATUS_SOCKET: socketPath };
      execFile(script, { env }, (error, said) => resolve({ code: error?.code ?? 0, said }));
    });
  return { fixture, check };
}

test('the health check of the image says what the agent says, without a Node', async () => {
  const { fixture, check } = await start();
  await fixture.start();
  expect(await check()).toEqual({ code: 0, said: 'healthy: providing\n' });
  fixture.state.isHealthy = false;
  expect(await check()).toEqual({
    code: 1,
    said: expect.stringMatching(/^unhealthy: [a-z].*\n$/),
  });
});

test('where no agent answers, `tributary health` finds out why', async () => {
  const { check } = await start();
  expect(await check()).toEqual({ code: 7, said: 'asked: health\n' });
});

test.each([
  ['another status', 503, '{"healthy":true,"message":"providing"}'],
  ['no verdict', 200, '{"message":"providing"}'],
  ['what a terminal would obey', 200, '{"healthy":true,"message":"\u001b[2J"}'],
  ['more than a line', 200, `{"healthy":true,"message":"${'a'.repeat(100_000)}"}`],
])('an answer with %s is left to `tributary health`', async (_, status, body) => {
  const { fixture, check } = await start();
  const path = join(fixture.directory, 'other.sock');
  const server = createServer((_request, response) => response.writeHead(status).end(body));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  expect(await check(path)).toEqual({ code: 7, said: 'asked: health\n' });
});
