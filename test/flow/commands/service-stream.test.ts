import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Behaviour, startNastyService } from '../nasty-service.ts';
import { createOwner, goldenNow } from './command-world.ts';

const createClientRow = (_: unknown, index: number) => ({
  client_id: `client-${index}`,
  device_name: `device ${index}`,
});

/**
 * A list of so many clients that is sent to its end, or breaks off in the middle of the one after.
 */
function sendClients(count: number, end: 'whole' | 'broken'): Behaviour {
  return (_, response) => {
    const clients = Array.from({ length: count }, createClientRow).map((client) =>
      JSON.stringify(client),
    );
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(`{"clients":[${clients.join(',')}`);
    if (end === 'whole') response.end(']}');
    else response.write(',{"client_id":', () => response.destroy());
  };
}

/** Runs the command as the owner against a service that behaves like this. */
async function createCaller(behave: Behaviour) {
  const service = await startNastyService(behave);
  const { run, stateDirectory } = await createOwner(service.baseUrl, 'documented', 'a.token.here', {
    nowMs: goldenNow,
  });
  return {
    paths: ['--config', join(stateDirectory, '../tributary.yaml'), '--state-dir', stateDirectory],
    run: (...words: string[]) => run(['service', 'clients', ...words]),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

describe('a list of more than a page', () => {
  test('is one table', async () => {
    await using caller = await createCaller(sendClients(450, 'whole'));
    const { stdout } = await caller.run();
    const rows = stdout.split('\n');
    expect(rows.filter((row) => row.startsWith('Client '))).toHaveLength(1);
    expect(rows.filter((row) => row.startsWith('client-'))).toHaveLength(450);
    expect(stdout).toContain('\n450 clients, none connected.\n');
  });

  test.each([0, 1, 200, 450])('is one JSON object: %i clients', async (count) => {
    await using caller = await createCaller(sendClients(count, 'whole'));
    const { clients } = JSON.parse((await caller.run('--json')).stdout);
    expect(clients.map((client: { clientId: string }) => client.clientId)).toEqual(
      Array.from({ length: count }, createClientRow).map((client) => client.client_id),
    );
  });
});

describe('a list that breaks off', () => {
  test('is shown as far as it came, and is no success', async () => {
    await using caller = await createCaller(sendClients(3, 'broken'));
    const { exitCode, stdout, stderr } = await caller.run();
    expect(exitCode).toBe(69);
    expect(stdout.split('\n').map((row) => row.split(' ')[0])).toEqual([
      'Client',
      'client-0',
      'client-1',
      'client-2',
      '',
    ]);
    expect(stderr).toContain('; the list is not complete: 3 clients came\n');
  });

  test('is no JSON that a script would take for whole', async () => {
    await using caller = await createCaller(sendClients(250, 'broken'));
    const { exitCode, stdout, stderr } = await caller.run('--json');
    expect(exitCode).toBe(69);
    expect(JSON.parse(`${stdout}]}`).clients).toHaveLength(250);
    expect(JSON.parse(stderr).error).toMatchObject({
      message: expect.stringContaining('250 clients came'),
    });
  });

  test('before its first client shows nothing but the error', async () => {
    await using caller = await createCaller((_, response) => {
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .write('{"clients":[', () => response.destroy());
    });
    const { exitCode, stdout, stderr } = await caller.run('--json');
    expect({ exitCode, stdout }).toEqual({ exitCode: 69, stdout: '' });
    expect(stderr).not.toContain('came');
  });
});

test('a reader that has seen enough ends the command without a word', async () => {
  await using caller = await createCaller(sendClients(20_000, 'whole'));
  const argv = ['src/tributary.ts', 'service', 'clients', ...caller.paths];
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  let stderr = '';
  child.stderr.on('data', (text) => {
    stderr += text;
  });
  await once(child.stdout, 'data');
  child.stdout.destroy();
  expect(await exited).toEqual([141, null]);
  expect(stderr).toBe('');
});
