import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { askOwnPage } from '../../../../../src/cli/commands/everyday/ask-own-page.ts';
import { createContext } from '../../run-command.ts';

const question = { method: 'GET', path: '/status.json' } as const;
const { context } = createContext('/nowhere/tributary.sock');
const ask = (listen: string) =>
  askOwnPage(
    question,
    { config: '/dev/null' },
    { ...context, environment: { TRIBUTARY_STATUS_LISTEN: listen } },
  );

async function startPage(host: string): Promise<number> {
  const page = createServer(({ url, method }, response) => {
    response.end(JSON.stringify({ asked: `${method} ${url}` }));
  }).listen(0, host);
  await once(page, 'listening');
  onTestFinished(async () => {
    await promisify(page.close.bind(page))();
  });
  return (page.address() as AddressInfo).port;
}

test.each(['127.0.0.1', '0.0.0.0'])('a page that listens on %s is asked', async (host) => {
  const port = await startPage(host);
  expect(await ask(`${host}:${port}`)).toEqual({ asked: 'GET /status.json' });
});

test.each([
  ['port 0', '127.0.0.1:0'],
  ['no address', 'here'],
  ['nobody', '127.0.0.1:1'],
])('where %s is listened on, nothing is answered', async (_name, listen) => {
  await expect(ask(listen)).rejects.toThrow();
});
