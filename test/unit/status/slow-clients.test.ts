import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ask, createStatusFixture, pageOf } from './status-fixture.ts';

/** What a client writes that keeps its connection busy for as long as it may. */
const slownesses = {
  'that say nothing': '',
  'that never end their header': 'GET /livez HTTP/1.1\r\nHost: localhost\r\nX-Slow: ',
  'that never end their body':
    'POST /provide HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000\r\n\r\n{',
  'that stay after an answer': 'GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'that never read their answer': 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n',
} as const;

/** Longer than any real one. */
const longAnswer = 'x'.repeat(96 * 1024);

async function startPage() {
  const fixture = await createStatusFixture(undefined, { metrics: () => longAnswer });
  onTestFinished(() => fixture[Symbol.asyncDispose]());
  await fixture.start();
  return pageOf(fixture.server);
}

interface Crowd {
  readonly count: number;
  /** Where the one of this number comes from. */
  readonly from: (index: number) => string;
  readonly says: string;
}

/** Opens connections, and waits until the page has seen them all. */
async function crowd(page: string, { count, from, says }: Crowd): Promise<readonly Socket[]> {
  const [host, port] = page.split(':');
  const clients = Array.from({ length: count }, (_, index) =>
    connect({ host: host ?? '', port: Number(port), localAddress: from(index) }),
  );
  onTestFinished(() => {
    for (const client of clients) client.destroy();
  });
  await Promise.all(
    clients.map(async (client) => {
      client.on('error', () => undefined);
      await Promise.race([once(client, 'connect'), once(client, 'close')]);
      client.write(says);
    }),
  );
  await sleep(200);
  return clients;
}

/** The answer to a probe: it has to come before the page closes slow clients, after 5 s. */
function probe(page: string) {
  return Promise.race([
    ask(page, '/livez').then(({ status }) => status, String),
    sleep(4_000).then(() => 'no answer before the slow clients were gone'),
  ]);
}

const crowds: readonly (readonly [string, number, Crowd['from']])[] = [
  ['32 from one address', 32, () => '127.0.0.1'],
  ['200 from one address', 200, () => '127.0.0.1'],
  ['200 from another address', 200, () => '127.0.0.2'],
  ['200 from as many addresses', 200, (index) => `127.0.1.${index + 1}`],
];

describe('a probe is answered at once beside slow clients', () => {
  const rows = Object.entries(slownesses).flatMap(([what, says]) =>
    crowds.map(([who, count, from]) => [what, who, { count, from, says }] as const),
  );
  test.each(rows)('%s, %s', async (_what, _who, people) => {
    const page = await startPage();
    await crowd(page, people);
    expect(await probe(page)).toBe(200);
  });

  test('also where a socket was handed over', async () => {
    const holder = createServer();
    holder.listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const address = holder.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const serve = join(import.meta.dirname, 'serve-handed-over.ts');
    const child = spawn(process.execPath, [serve], {
      stdio: ['ignore', 'pipe', 'inherit', descriptorOf(holder)],
    });
    onTestFinished(async () => {
      child.kill();
      await once(child, 'close');
    });
    holder.close();
    await once(child.stdout ?? child, 'data');
    await crowd(`127.0.0.1:${port}`, { count: 200, from: () => '127.0.0.1', says: '' });
    expect(await probe(`127.0.0.1:${port}`)).toBe(200);
  });
});

/** The number of a listening socket, which Node shows nowhere else. */
function descriptorOf(server: Server): number {
  return (server as unknown as { readonly _handle: { readonly fd: number } })._handle.fd;
}

const isOpen = (client: Socket) => !client.destroyed && !client.readableEnded;

describe('connections', () => {
  test.each([
    ['one caller', 16, () => '127.0.0.2'],
    ['all callers', 128, (index: number) => `127.0.1.${index + 1}`],
  ] as const)('of %s are at most %i, and the latest stay', async (_who, most, from) => {
    const page = await startPage();
    const clients = await crowd(page, { count: 200, from, says: '' });
    for (const client of clients) client.resume();
    const latest = clients.map((_, index) => index >= 200 - most);
    await expect.poll(() => clients.map(isOpen)).toEqual(latest);
  });

  test('of a caller with few are not closed for one with many', async () => {
    const page = await startPage();
    const few = await crowd(page, { count: 2, from: () => '127.0.0.3', says: '' });
    const many = await crowd(page, {
      count: 200,
      from: (index) => `127.0.2.${(index % 20) + 1}`,
      says: '',
    });
    for (const client of [...few, ...many]) client.resume();
    await sleep(200);
    expect(few.every(isOpen)).toBe(true);
    expect(many.filter(isOpen).length).toBe(126);
  });

  test('that send thousands of requests at once are closed after the first', async () => {
    let asked = 0;
    const fixture = await createStatusFixture(undefined, {
      refresh: async () => {
        asked += 1;
        await sleep(50);
      },
    });
    onTestFinished(() => fixture[Symbol.asyncDispose]());
    await fixture.start();
    const says = 'GET /status.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(2000);
    await crowd(pageOf(fixture.server), { count: 1, from: () => '127.0.0.1', says });
    expect(asked).toBe(1);
  });
});
