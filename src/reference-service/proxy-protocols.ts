import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import { connect, type Socket } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';

/** What a proxy asks of the service around it. */
export interface ProxyDoor {
  /** The client whose token this is; undefined for any other text. */
  admit(token: string): string | undefined;
  /** A connection to the place that a client asked for. @throws where nothing answers */
  reach(place: Place): Promise<Duplex>;
  /**
   * Notes ends that belong together, and to this client until they close.
   * @throws where one of them is closed already; then all are closed
   */
  hold(clientId: string, ends: readonly Duplex[]): void;
}

export interface Place {
  readonly host: string;
  readonly port: number;
}

/** The HTTP proxy: CONNECT, and requests for whole `http://` addresses. It never listens itself. */
export function createHttpProxy(door: ProxyDoor) {
  const server = createServer(async (incoming, outgoing) => {
    const clientId = admitHeader(door, incoming);
    const url = URL.parse(incoming.url ?? '');
    if (clientId === undefined) return outgoing.writeHead(407, askForToken).end();
    if (url?.protocol !== 'http:') return outgoing.writeHead(400).end();
    try {
      const remote = await door.reach({ host: toHost(url), port: Number(url.port || 80) });
      // Each request has a connection of its own, which lasts no longer than its answer.
      outgoing.on('close', () => remote.destroy());
      if (outgoing.destroyed) return remote.destroy();
      door.hold(clientId, [remote]);
      return forward({ incoming, outgoing, remote, path: `${url.pathname}${url.search}` });
    } catch {
      return outgoing.writeHead(502).end();
    }
  });
  server.on('connect', async (incoming: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on('error', () => client.destroy());
    const clientId = admitHeader(door, incoming);
    const url = URL.parse(`http://${incoming.url ?? ''}`);
    if (clientId === undefined)
      return client.end(
        `HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: ${askForToken['proxy-authenticate']}\r\n\r\n`,
      );
    if (url === null) return client.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    try {
      const remote = await door.reach({ host: toHost(url), port: Number(url.port || 80) });
      door.hold(clientId, [client, remote]);
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      remote.write(head);
      return join(client, remote);
    } catch {
      return client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    }
  });
  return server;
}

const askForToken = { 'proxy-authenticate': 'Basic realm="proxy"' };

/** The token comes as such, or as the password or the name of a user. */
function admitHeader(door: ProxyDoor, { headers }: IncomingMessage): string | undefined {
  const [kind = '', text = ''] = (headers['proxy-authorization'] ?? '').split(' ');
  if (kind.toLowerCase() === 'bearer') return door.admit(text);
  const [name = '', ...password] = Buffer.from(text, 'base64').toString().split(':');
  return door.admit(password.join(':')) ?? door.admit(name);
}

const toHost = (url: URL) => url.hostname.replace(/^\[|\]$/g, '');

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly remote: Duplex;
  readonly path: string;
}

/** One plain request, and its answer. What is no answer is a bad gateway. */
function forward({ incoming, outgoing, remote, path }: Exchange): void {
  const { 'proxy-authorization': _, 'proxy-connection': __, ...headers } = incoming.headers;
  const asked = request({
    createConnection: () => remote,
    method: incoming.method,
    path,
    headers: { ...withoutConnection(headers), connection: 'close' },
  });
  const fail = () => {
    if (!outgoing.headersSent) outgoing.writeHead(502).end();
  };
  asked.on('error', fail).on('close', fail);
  asked.on('response', (answer) => {
    const { statusCode = 0 } = answer;
    // HTTP has no status below 100, and no answer has one below 200.
    if (statusCode < 200) return fail();
    outgoing.writeHead(statusCode, withoutConnection(answer.headers));
    // An answer that breaks off breaks off here too.
    return pipeline(answer, outgoing, () => undefined);
  });
  incoming.pipe(asked);
}

/** What is said of one connection is not passed on to the other one. */
function withoutConnection(headers: IncomingHttpHeaders) {
  const { connection: _, 'keep-alive': __, ...others } = headers;
  return others;
}

function join(client: Duplex, remote: Duplex): void {
  for (const [from, to] of [
    [client, remote],
    [remote, client],
  ] as const) {
    from.pipe(to);
    // What still waits for a slow one is sent first.
    from.on('close', () => to.end(() => to.destroy()));
  }
}

const [version, byPassword, refused] = [5, 2, 0xff];

/** One connection by SOCKS 5 (RFC 1928), with a name and a password (RFC 1929). */
export async function answerSocks(door: ProxyDoor, client: Duplex): Promise<void> {
  const [, methodCount = 0] = await take(client, 2);
  const methods = await take(client, methodCount);
  if (!methods.includes(byPassword)) return void client.end(Buffer.from([version, refused]));
  client.write(Buffer.from([version, byPassword]));
  await take(client, 1);
  const name = await takeText(client);
  const password = await takeText(client);
  const clientId = door.admit(password) ?? door.admit(name);
  if (clientId === undefined) return void client.end(Buffer.from([1, 1]));
  client.write(Buffer.from([1, 0]));
  const [, command, , form = 0] = await take(client, 4);
  const host = await takeHost(client, form);
  const port = (await take(client, 2)).readUInt16BE();
  const answer = (reply: number) => Buffer.from([version, reply, 0, 1, 0, 0, 0, 0, 0, 0]);
  const [done, unreachable, noSuchCommand] = [0, 4, 7];
  if (command !== 1 || host === undefined) return void client.end(answer(noSuchCommand));
  try {
    const remote = await door.reach({ host, port });
    door.hold(clientId, [client, remote]);
    client.write(answer(done));
    join(client, remote);
  } catch {
    client.end(answer(unreachable));
  }
}

async function takeHost(client: Duplex, form: number): Promise<string | undefined> {
  if (form === 1) return (await take(client, 4)).join('.');
  if (form === 3) return takeText(client);
  if (form !== 4) return undefined;
  const bytes = await take(client, 16);
  return Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(2 * at).toString(16)).join(':');
}

/** A text after one byte that says its length. */
async function takeText(client: Duplex): Promise<string> {
  const [length = 0] = await take(client, 1);
  return (await take(client, length)).toString();
}

/** Exactly so many bytes. @throws Error where the client closes before */
async function take(client: Duplex, count: number): Promise<Buffer> {
  if (count === 0) return Buffer.alloc(0);
  for (;;) {
    const taken: Buffer | null = client.read(count);
    if (taken?.length === count) return taken;
    if (taken !== null || client.readableEnded || client.destroyed) throw new Error('it closed');
    await once(client, 'readable');
  }
}

const connectMs = 10_000;

/**
 * `mayMeanItself`: the place may be this machine itself, by whichever of its addresses.
 * @throws where nothing answers there in time, or only this machine and it may not
 */
export async function connectTo({
  mayMeanItself,
  ...place
}: Place & { readonly mayMeanItself: boolean }): Promise<Socket> {
  const socket = connect(place);
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(connectMs) });
    if (!mayMeanItself && leadsToItself(socket))
      throw new Error('the proxies do not lead to this machine itself');
    return socket;
  } catch (error) {
    socket.on('error', () => undefined).destroy();
    throw error;
  }
}

/** A connection to one of the machine's own addresses comes from that address, too. */
const leadsToItself = ({ localAddress, remoteAddress }: Socket) =>
  isLoopback(remoteAddress) || localAddress === remoteAddress;

export function isLoopback(address = ''): boolean {
  return /^(::ffff:)?127\./.test(address) || address === '::1';
}
