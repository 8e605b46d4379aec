import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createLineProbe, patienceMs as usualMs } from '../../../src/system/line-probe.ts';
import { patienceMs, waitUntil } from '../../patience.ts';
import { listenInSilence } from '../listen-in-silence.ts';

/** As the agent's, but it gives up only when the test does. */
const createPatientProbe = (lookUp?: Parameters<typeof createLineProbe>[0]) =>
  createLineProbe(lookUp, patienceMs);

/** Listens on loopback; what connects is kept in `sockets`. */
async function listen() {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    sockets.push(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { server, sockets, port };
}

describe('a connection that is tried', () => {
  test('takes as long as its answer, and is gone afterwards', async () => {
    const { sockets, port } = await listen();
    const delayMs = await createPatientProbe()({ host: '127.0.0.1', port });
    expect(delayMs).toBeGreaterThan(0);
    expect(delayMs).toBeLessThan(patienceMs);
    await waitUntil(() => expect(sockets.map(({ closed }) => closed)).toEqual([true]));
  });

  test('counts where it is refused, for that is an answer', async () => {
    const { server, port } = await listen();
    server.close();
    await once(server, 'close');
    const delayMs = await createPatientProbe()({ host: '127.0.0.1', port });
    expect(delayMs).toBeGreaterThan(0);
    expect(delayMs).toBeLessThan(patienceMs);
  });

  test('is given up after a second', async () => {
    const { port } = await listenInSilence();
    expect(await createLineProbe()({ host: '127.0.0.1', port })).toBe(usualMs);
    expect(usualMs).toBe(1_000);
  });

  test('cannot be tried where the machine itself refuses', async () => {
    // No TCP goes to all at once.
    expect(await createLineProbe()({ host: '255.255.255.255', port: 9 })).toBeUndefined();
  });
});

describe('a name', () => {
  /** A name service that answers with these one by one, and with the last one from then on. */
  const startNames = (...answers: readonly (string | Error)[]) => {
    const asked: string[] = [];
    const lookUp = async (host: string) => {
      const answer = answers[Math.min(asked.length, answers.length - 1)];
      asked.push(host);
      if (answer === undefined || answer instanceof Error) throw answer;
      return { address: answer };
    };
    return { asked, probe: createPatientProbe(lookUp) };
  };
  /** Time goes on for what reads it; sockets are real. */
  const passTime = (ms: number) => {
    const { now } = performance;
    vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + ms);
    onTestFinished(() => void vi.restoreAllMocks());
  };
  const none = new Error('no such name');

  test('is asked for once in five minutes', async () => {
    const { port } = await listen();
    const { asked, probe } = startNames('127.0.0.1');
    const target = { host: 'service.example', port };
    for (let count = 0; count < 3; count += 1) expect(await probe(target)).toBeGreaterThan(0);
    passTime(290_000);
    expect(await probe(target)).toBeGreaterThan(0);
    expect(asked).toEqual(['service.example']);
    vi.restoreAllMocks();
    passTime(310_000);
    expect(await probe(target)).toBeGreaterThan(0);
    expect(asked).toHaveLength(2);
  });

  test('whose service fails then has the address that it had', async () => {
    const { port } = await listen();
    const { asked, probe } = startNames('127.0.0.1', none);
    await probe({ host: 'service.example', port });
    passTime(310_000);
    expect(await probe({ host: 'service.example', port })).toBeGreaterThan(0);
    expect(asked).toHaveLength(2);
  });

  test('that does not exist is no target, and is looked up again', async () => {
    const { port } = await listen();
    const { asked, probe } = startNames(none, '127.0.0.1');
    expect(await probe({ host: 'service.example', port })).toBeUndefined();
    expect(await probe({ host: 'service.example', port })).toBeGreaterThan(0);
    expect(asked).toHaveLength(2);
  });

  test('is not waited for longer than a connection is', async () => {
    const never = () => new Promise<{ readonly address: string }>(() => undefined);
    expect(await createLineProbe(never, 20)({ host: 'service.example', port: 1 })).toBeUndefined();
  });

  test('is kept for each host, and an address needs no lookup', async () => {
    const { port } = await listen();
    const { asked, probe } = startNames('127.0.0.1');
    for (const host of ['one.example', 'two.example', 'one.example', '127.0.0.1'])
      await probe({ host, port });
    expect(asked).toEqual(['one.example', 'two.example']);
  });
});
