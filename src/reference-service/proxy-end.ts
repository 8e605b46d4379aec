import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { DatabaseSync } from 'node:sqlite';
import { createServer as createTlsServer, type Server } from 'node:tls';
import { makeCertificate } from '../connect/sealed/certificate.ts';
import { once as onlyOnce } from '../lib/once.ts';
import { readSetting, setSetting } from './database.ts';
import { createHeldEnds } from './held-ends.ts';
import type { Proxies } from './proxies.ts';
import {
  answerSocks,
  connectTo,
  createHttpProxy,
  isLoopback,
  type Place,
} from './proxy-protocols.ts';

/** The HTTP, HTTPS and SOCKS proxies, all at one TCP port. */
export interface ProxyEnd {
  /** undefined while nothing was issued that leads there. */
  findProxyPort(): number | undefined;
  /** Listens, if it does not yet. */
  open(): Promise<void>;
  /** Ends the connections of clients that are there no more. */
  closeGone(): void;
  close(): Promise<void>;
}

interface ProxyEndOptions {
  readonly proxies: Pick<Proxies, 'find'>;
  /** Where it listens. */
  readonly address: string;
  /** The host that its certificate names. */
  readonly host: string;
}

/** The port of an earlier run, which is taken again where it is free. */
const portSetting = 'proxy-port';

/** Silence for so long ends a connection. */
const idleMs = 10 * 60_000;
const [socksByte, tlsByte] = [5, 22];

/**
 * Proxies for the clients that were issued them: for anyone who has such a client's token. They
 * lead out by the machine's own connection; no provider carries that, and nobody is paid for it.
 */
export async function createProxyEnd(
  database: DatabaseSync,
  { proxies, address, host }: ProxyEndOptions,
): Promise<ProxyEnd> {
  const earlierPort = Number(readSetting(database, portSetting) ?? 0);
  const held = createHeldEnds((clientId) => proxies.find(clientId) !== undefined);
  const open = new Set<Socket>();
  const door = {
    admit(token: string) {
      const [clientId = ''] = token.split('.');
      const known = proxies.find(clientId)?.authToken?.reveal();
      return known === token ? clientId : undefined;
    },
    async reach(place: Place) {
      const remote = await connectTo({ ...place, mayMeanItself: isLoopback(address) });
      return remote.setTimeout(idleMs, () => remote.destroy());
    },
    hold: held.hold,
  };
  const http = createHttpProxy(door);
  let tls: Server | undefined;
  const secure = () => {
    tls ??= createTlsServer(makeKeys(host), (socket) => http.emit('connection', socket)).on(
      'tlsClientError',
      (_, socket) => socket.destroy(),
    );
    return tls;
  };
  const server = createServer((socket) => {
    open.add(socket);
    socket.setTimeout(idleMs, () => socket.destroy());
    socket.on('close', () => open.delete(socket)).on('error', () => socket.destroy());
    socket.once('readable', () => {
      const first: Buffer | null = socket.read();
      if (first === null) return void socket.destroy();
      socket.unshift(first);
      if (first[0] === socksByte) answerSocks(door, socket).catch(() => socket.destroy());
      else (first[0] === tlsByte ? secure() : http).emit('connection', socket);
    });
  });
  const listen = async (port: number) => {
    server.listen({ host: address, port });
    await once(server, 'listening');
  };
  const start = onlyOnce(async () => {
    await listen(earlierPort).catch(() => listen(0));
    setSetting(database, portSetting, String((server.address() as AddressInfo).port));
  });
  if (earlierPort > 0) await start();
  return {
    findProxyPort: () => (server.address() as AddressInfo | null)?.port,
    open: start,
    closeGone: held.closeGone,
    async close() {
      for (const socket of open) socket.destroy();
      held.close();
      if (server.listening) await server[Symbol.asyncDispose]();
    },
  };
}

/** A key and a certificate that vouches for itself: anyone who connects has to trust it by hand. */
function makeKeys(host: string) {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const cert = makeCertificate(host, { ...pair, serial: Buffer.from([1, ...randomBytes(7)]) });
  return { key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }), cert };
}
