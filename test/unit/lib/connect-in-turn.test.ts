import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  connectInTurn,
  connectSecurely,
  NoConnectionError,
} from '../../../src/lib/connect-in-turn.ts';
import { patienceMs } from '../../patience.ts';
import { listenInSilence } from '../listen-in-silence.ts';

const { signal } = new AbortController();

/** A name with these addresses. */
function createTarget(port: number, addresses: readonly string[], timeoutMs = patienceMs) {
  return { host: 'service.example', port, timeoutMs, names: { lookUp: async () => addresses } };
}

async function listen(): Promise<number> {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function connectTo(...given: Parameters<typeof createTarget>): Promise<string | undefined> {
  const socket = await connectInTurn(createTarget(...given), signal);
  onTestFinished(() => void socket.destroy());
  return socket.remoteAddress;
}

const failure = (...given: Parameters<typeof createTarget>) =>
  connectTo(...given).then(
    () => undefined,
    (error: NoConnectionError) => error,
  );

describe('a name with several addresses', () => {
  test.each([
    ['one that refuses', ['127.0.0.2', '127.0.0.1']],
    ['one of a family without a way out', ['2001:db8::1', '127.0.0.1']],
    ['several of one family', ['127.0.0.2', '127.0.0.3', '2001:db8::1', '127.0.0.1']],
  ])('is reached by the good one after %s', async (_, addresses) => {
    expect(await connectTo(await listen(), addresses)).toBe('127.0.0.1');
  });

  test('is reached by the second while the first says nothing', async () => {
    const { port } = await listenInSilence();
    const server = createServer((socket) => socket.destroy()).listen(port, '127.0.0.9');
    await once(server, 'listening');
    onTestFinished(() => {
      server.close();
    });
    expect(await connectTo(port, ['127.0.0.1', '127.0.0.9'])).toBe('127.0.0.9');
  });

  test('is reached by the first, however long it takes, where the others refuse', async () => {
    const { port, wake } = await listenInSilence();
    const reached = connectTo(port, ['127.0.0.1', '127.0.0.2', '127.0.0.3']);
    // Woken only after Node's own way has long given up the first address.
    setTimeout(wake, 1_000);
    expect(await reached).toBe('127.0.0.1');
  });

  test('is not reached where no address takes it, and the error names each with its reason', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    const error = await failure(port, ['127.0.0.1', '127.0.0.2']);
    expect(error).toBeInstanceOf(NoConnectionError);
    expect(error).toMatchObject({
      message: '127.0.0.1: ECONNREFUSED; 127.0.0.2: ECONNREFUSED',
      code: 'ECONNREFUSED',
      tried: ['127.0.0.1', '127.0.0.2'],
    });
  });

  test('whose addresses say nothing is given up at the deadline', async () => {
    const { port } = await listenInSilence();
    expect((await failure(port, ['127.0.0.1'], 50))?.message).toBe(
      '127.0.0.1 did not answer within 0.05 s',
    );
  });

  test('without an address says so', async () => {
    expect((await failure(1, []))?.message).toBe('service.example has no address');
  });
});

test('a connection that is no longer wanted ends with the reason', async () => {
  const { port } = await listenInSilence();
  const stop = new AbortController();
  const work = connectInTurn(createTarget(port, ['127.0.0.1']), stop.signal);
  stop.abort(new Error('stopped'));
  await expect(work).rejects.toThrow('stopped');
});

describe('a name at whose addresses something has to be agreed too', () => {
  const refuse = (...refusing: readonly string[]) => {
    const asked: string[] = [];
    return {
      asked,
      secure: async (socket: Socket) => {
        const address = socket.remoteAddress ?? '';
        socket.destroy();
        asked.push(address);
        if (refusing.includes(address)) throw new Error(`no agreement with ${address}`);
        return address;
      },
    };
  };
  const three = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];
  const listenOnAll = async () => {
    const server = createServer((socket) => socket.destroy()).listen(0, '0.0.0.0');
    await once(server, 'listening');
    onTestFinished(() => {
      server.close();
    });
    return (server.address() as AddressInfo).port;
  };

  test('is reached by the next address, each of which is tried once', async () => {
    const { secure, asked } = refuse('127.0.0.1', '127.0.0.2');
    const target = createTarget(await listenOnAll(), three);
    expect(await connectSecurely(target, secure, signal)).toBe('127.0.0.3');
    expect(asked).toEqual(three);
  });

  test('fails as the first address did, where no address agrees', async () => {
    const { secure, asked } = refuse(...three);
    const target = createTarget(await listenOnAll(), three);
    await expect(connectSecurely(target, secure, signal)).rejects.toThrow('with 127.0.0.1');
    expect(asked).toEqual(three);
  });

  test('is tried once where it is an address itself', async () => {
    const { secure, asked } = refuse(...three);
    const target = { ...createTarget(await listenOnAll(), three), host: '127.0.0.1' };
    await expect(connectSecurely(target, secure, signal)).rejects.toThrow('with 127.0.0.1');
    expect(asked).toEqual(['127.0.0.1']);
  });
});
