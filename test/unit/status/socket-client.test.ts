import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { askAgent } from '../../../src/status/socket-client.ts';

/** A server that speaks as a broken or strange agent might. */
async function serve(listener: RequestListener) {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-ask-'));
  const path = join(directory, 'tributary.sock');
  const server = createServer(listener).listen(path);
  await once(server, 'listening');
  return {
    path,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

describe('asking the agent', () => {
  test('finds the socket that answers among those that do not', async () => {
    await using agent = await serve((_, response) => response.end('{"fine":true}'));
    expect(
      await askAgent(
        { socketPaths: [`${agent.path}.none`, agent.path] },
        { method: 'GET', path: '/status.json' },
      ),
    ).toEqual({
      fine: true,
    });
  });

  test('sends the body as it is', async () => {
    await using agent = await serve((request, response) => void request.pipe(response));
    expect(
      await askAgent(
        { socketPaths: [agent.path] },
        { method: 'POST', path: '/provide', body: { mode: null } },
      ),
    ).toEqual({
      mode: null,
    });
  });

  test('waits for an answer as long as it is asked to', async () => {
    await using agent = await serve(() => undefined);
    const asked = askAgent(
      { socketPaths: [agent.path] },
      { method: 'POST', path: '/self-test', timeoutMs: 50 },
    );
    await expect(asked).rejects.toMatchObject({
      code: 'command-failed',
      message: expect.stringMatching(/: no answer within 0.05 s$/),
    });
  });

  test('says that no agent runs, and where it looked', async () => {
    const asked = askAgent(
      { socketPaths: ['/nowhere/a.sock', '/nowhere/b.sock'] },
      { method: 'GET', path: '/' },
    );
    await expect(asked).rejects.toMatchObject({
      code: 'not-running',
      message: 'the agent is not running: nothing answers on /nowhere/a.sock or /nowhere/b.sock',
    });
  });

  test.each([
    {
      claim: "the agent's own error",
      status: 422,
      text: '{"error":{"code":"state-unwritable","message":"full"}}',
      code: 'state-unwritable',
    },
    {
      claim: 'an unknown code',
      status: 422,
      text: '{"error":{"code":"toString","message":"x"}}',
      code: 'command-failed',
    },
    { claim: 'no JSON', status: 200, text: '<html>', code: 'command-failed' },
    { claim: 'an empty failure', status: 500, text: '', code: 'command-failed' },
  ])('judges $claim', async ({ status, text, code }) => {
    await using agent = await serve((_, response) => response.writeHead(status).end(text));
    await expect(
      askAgent({ socketPaths: [agent.path] }, { method: 'GET', path: '/' }),
    ).rejects.toMatchObject({
      name: 'CodedError',
      code,
    });
  });

  test('stops reading an answer that is too long', async () => {
    await using agent = await serve((_, response) =>
      response.end(JSON.stringify('x'.repeat(5 * 1024 * 1024))),
    );
    await expect(
      askAgent({ socketPaths: [agent.path] }, { method: 'GET', path: '/' }),
    ).rejects.toMatchObject({
      message: `asking the agent on ${agent.path}: its answer is too long`,
    });
  });

  test('survives an agent that dies while it answers', async () => {
    await using agent = await serve((_, response) => {
      response.writeHead(200, { 'Content-Length': 100 });
      response.write('{');
      response.destroy();
    });
    await expect(
      askAgent({ socketPaths: [agent.path] }, { method: 'GET', path: '/' }),
    ).rejects.toMatchObject({
      code: 'command-failed',
    });
  });
});
