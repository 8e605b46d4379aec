import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import { type AddressInfo, connect, createServer as createRawServer, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { connect as connectSecurely } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectTo } from '../../src/reference-service/proxy-protocols.ts';
import { call, makeDirectory, start, startAndLogIn } from './reference-caller.ts';

/** A page of another place, which says what it was asked with. */
async function openPage(address = '127.0.0.1', onConnection = (_: Socket) => {}) {
  const page = createServer((incoming, outgoing) =>
    outgoing.end(JSON.stringify({ path: incoming.url, headers: incoming.headers })),
  ).listen(0, address);
  page.on('connection', onConnection);
  await once(page, 'listening');
  onTestFinished(() => {
    page.closeAllConnections();
    return page[Symbol.asyncDispose]();
  });
  return (page.address() as AddressInfo).port;
}

/** A place that says this to everyone who comes, and closes. */
async function openSpeaker(text: string) {
  const place = createRawServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', () => socket.end(text));
  }).listen(0, '127.0.0.1');
  await once(place, 'listening');
  onTestFinished(() => place[Symbol.asyncDispose]());
  return (place.address() as AddressInfo).port;
}

async function open() {
  const world = await startAndLogIn();
  const wish = { proxy_config: { https_require_auth: true } };
  const { answer, clientId } = await world.register(wish);
  const { auth_token: token, http_proxy_port: port } = answer.proxy_config_result;
  return {
    ...world,
    clientId,
    token: String(token),
    port: Number(port),
    pagePort: await openPage(),
  };
}

const basic = (name: string, password: string) =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;

/** What the server at the other end of this connection answers to a plain request. */
async function readPage(socket: Socket, host: string): Promise<string> {
  socket.write(`GET /inside HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
  return Buffer.concat(await socket.toArray()).toString();
}

async function askHttp(port: number, url: string, authorization?: string) {
  const headers = authorization === undefined ? {} : { 'proxy-authorization': authorization };
  const asked = request({ host: '127.0.0.1', port, path: url, headers, agent: false }).end();
  const [answer] = await once(asked, 'response');
  return { status: answer.statusCode, text: Buffer.concat(await answer.toArray()).toString() };
}

async function openTunnel(through: Socket, target: string, authorization: string) {
  through.write(
    `CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\nproxy-authorization: ${authorization}\r\n\r\n`,
  );
  const [answer] = await once(through, 'data');
  through.pause();
  return String(answer).split('\r\n')[0];
}

/** @returns the reply's second byte: 0 where the connection is there */
async function openSocks(port: number, credentials: readonly [string, string], target: number) {
  const socket = connect({ host: '127.0.0.1', port });
  onTestFinished(() => void socket.destroy());
  const say = async (...bytes: readonly number[]) => {
    socket.write(Buffer.from(bytes));
    const [answer] = await once(socket, 'data');
    return answer as Buffer;
  };
  const text = (own: string) => [own.length, ...Buffer.from(own)];
  expect([...(await say(5, 1, 2))]).toEqual([5, 2]);
  const [, isRefused] = await say(1, ...text(credentials[0]), ...text(credentials[1]));
  if (isRefused !== 0) return { socket, reply: undefined };
  const [, reply] = await say(5, 1, 0, 1, 127, 0, 0, 1, target >> 8, target & 255);
  socket.pause();
  return { socket, reply };
}

describe('a proxy that was issued', () => {
  test('fetches a page over HTTP, and keeps the token to itself', async () => {
    const { port, token, pagePort } = await open();
    const url = `http://127.0.0.1:${pagePort}/page?a=1`;
    for (const authorization of [`Bearer ${token}`, basic('any', token), basic(token, '')]) {
      const { status, text } = await askHttp(port, url, authorization);
      expect({ status, ...JSON.parse(text) }).toMatchObject({ status: 200, path: '/page?a=1' });
      expect(text).not.toContain(token);
    }
  });

  test('connects to a place, in the clear and within TLS', async () => {
    const { port, token, pagePort } = await open();
    const target = `127.0.0.1:${pagePort}`;
    const secured = connectSecurely({ host: '127.0.0.1', port, rejectUnauthorized: false });
    await once(secured, 'secureConnect');
    for (const through of [connect({ host: '127.0.0.1', port }), secured]) {
      onTestFinished(() => void through.destroy());
      expect(await openTunnel(through, target, `Bearer ${token}`)).toBe(
        'HTTP/1.1 200 Connection Established',
      );
      expect(await readPage(through, target)).toContain('"path":"/inside"');
    }
  });

  test('connects to a place by SOCKS', async () => {
    const { port, token, pagePort } = await open();
    const { socket, reply } = await openSocks(port, ['any', token], pagePort);
    expect(reply).toBe(0);
    expect(await readPage(socket, 'page')).toContain('"path":"/inside"');
  });

  test('keeps one connection for many pages, and none to the places', async () => {
    const { port, token } = await open();
    const ends: Socket[] = [];
    const pagePort = await openPage('127.0.0.1', (socket) => void ends.push(socket));
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const headers = { 'proxy-authorization': `Bearer ${token}` };
    const reused: boolean[] = [];
    for (let count = 0; count < 3; count++) {
      const path = `http://127.0.0.1:${pagePort}/`;
      const asked = request({ host: '127.0.0.1', port, path, headers, agent }).end();
      const [answer] = await once(asked, 'response');
      const page = JSON.parse(Buffer.concat(await answer.toArray()).toString());
      expect(page.headers.connection).toBe('close');
      reused.push(asked.reusedSocket);
      const end = ends[count];
      if (end?.closed === false) await once(end, 'close');
    }
    expect(reused).toEqual([false, true, true]);
    expect(ends.length).toBe(3);
  });

  test.each([
    ['a status that there is not', 'HTTP/1.1 007 No\r\n\r\n'],
    ['another protocol', 'HTTP/1.1 101 Go\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
    ['half of another protocol', 'HTTP/1.1 101 Go\r\nupgrade: x\r\n\r\n'],
    ['a header of no text', 'HTTP/1.1 200 OK\r\nx: \u0001\r\n\r\n'],
    ['no HTTP at all', 'hello'],
    ['nothing', ''],
  ])('is a bad gateway to a place that answers with %s', async (_, text) => {
    const { port, token } = await open();
    const url = `http://127.0.0.1:${await openSpeaker(text)}/`;
    expect((await askHttp(port, url, `Bearer ${token}`)).status).toBe(502);
    expect((await askHttp(port, url, `Bearer ${token}`)).status).toBe(502);
  });

  test('breaks off where a page breaks off', async () => {
    const { port, token } = await open();
    const placePort = await openSpeaker('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf');
    const asked = askHttp(port, `http://127.0.0.1:${placePort}/`, `Bearer ${token}`);
    await expect(asked).rejects.toThrow('aborted');
  });

  test('opens to nobody without its token', async () => {
    const { port, token, pagePort } = await open();
    const url = `http://127.0.0.1:${pagePort}/`;
    for (const wrong of [undefined, 'Bearer', `Bearer ${token}x`, basic('any', 'x'), 'Basic'])
      expect((await askHttp(port, url, wrong)).status).toBe(407);
    const through = connect({ host: '127.0.0.1', port });
    expect(await openTunnel(through, `127.0.0.1:${pagePort}`, 'Bearer x')).toMatch(/ 407 /);
    expect((await openSocks(port, ['a', 'b'], pagePort)).reply).toBeUndefined();
  });

  test('says so where nothing answers, and to a request that is no proxy’s', async () => {
    const { port, token } = await open();
    const bearer = `Bearer ${token}`;
    expect((await askHttp(port, 'http://127.0.0.1:1/', bearer)).status).toBe(502);
    expect((await askHttp(port, '/network/clients', bearer)).status).toBe(400);
    expect((await openSocks(port, ['any', token], 1)).reply).toBe(4);
  });

  test('ends with its client, also what is open', async () => {
    const { port, token, pagePort, clientId, post } = await open();
    const { socket } = await openSocks(port, ['any', token], pagePort);
    const closed = once(socket.resume(), 'close');
    await post('/network/remove-client', { client_id: clientId });
    await closed;
    const url = `http://127.0.0.1:${pagePort}/`;
    expect((await askHttp(port, url, `Bearer ${token}`)).status).toBe(407);
  });

  test('answers after a restart at the port that its client is told', async () => {
    const directory = makeDirectory();
    const { service, token: jwt, register } = await startAndLogIn({ directory });
    const { answer } = await register({ proxy_config: { https_require_auth: true } });
    await service.close();
    const again = await start({ directory });
    const [{ proxy_client }] = (await call(again.baseUrl, '/network/clients', { token: jwt })).body
      .clients;
    expect(proxy_client.auth_token).toBe(answer.proxy_config_result.auth_token);
    const url = `http://127.0.0.1:${await openPage()}/`;
    const bearer = `Bearer ${proxy_client.auth_token}`;
    expect((await askHttp(proxy_client.http_proxy_port, url, bearer)).status).toBe(200);
  });
});

test('a proxy for others leads to no service of its own machine', async () => {
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  // An address of one link alone cannot be named without the link.
  const hosts = own.map(({ address }) => address).filter((address) => !/^fe80:/i.test(address));
  expect(hosts).toContain('127.0.0.1');
  for (const host of hosts) {
    const place = { host, port: await openPage(host) };
    await expect(connectTo({ ...place, mayMeanItself: false }), host).rejects.toThrow(
      'this machine itself',
    );
    (await connectTo({ ...place, mayMeanItself: true })).destroy();
  }
});
