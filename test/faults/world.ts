import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer as createPlainServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgent } from '../../src/agent/create-agent.ts';
import { loadConfig } from '../../src/config/load.ts';
import { judgePhase } from '../../src/health/phase.ts';
import { startReferenceService } from '../../src/reference-service/server.ts';
import { createLogger } from '../../src/report/logger.ts';
import { createFakeHost } from '../unit/data-path/fake-host.ts';
import { type Certificates, makeCertificates } from './certificates.ts';

/** What a request meets in the service's place. */
export type Nasty = (request: IncomingMessage, response: ServerResponse) => void;

// Names that no machine has, because the kernel's settings are the real ones here: those of these do not exist.
const uplink = 'fakeuplink9';
const tunnelInterface = 'faketunnel9';

export interface FaultsWorldOptions {
  /** The service is asked over TLS. */
  readonly isTls?: boolean | undefined;
}

export type FaultsWorld = Awaited<ReturnType<typeof createFaultsWorld>>;

/** A real agent on a fake machine and virtual time, a real service, and a front between the two that can be told to misbehave. */
export async function createFaultsWorld({ isTls = false }: FaultsWorldOptions = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-faults-'));
  const certificates = isTls ? makeCertificates(directory) : undefined;
  const reference = await startReferenceService({ directory: join(directory, 'service'), warn: () => undefined });
  const front = await startFront(reference.baseUrl, certificates);
  const machine = createFakeHost([`4 route default dev ${uplink} table main`]);
  machine.links.set(uplink, { kind: undefined, isUp: true, mtu: 1500, addresses: ['192.168.1.10'], configuration: '' });
  const stateDirectory = join(directory, 'state');
  await mkdir(stateDirectory);
  const load = () =>
    loadConfig({
      stateDirectory,
      environment: {
        TRIBUTARY_AUTH_CODE: reference.authCode,
        TRIBUTARY_SERVICE_BASE_URL: `${isTls ? 'https' : 'http'}://localhost:${front.port}`,
        TRIBUTARY_TUNNEL_INTERFACE: tunnelInterface,
        TRIBUTARY_PROVIDE_MODE: 'friends',
        ...(certificates === undefined ? {} : { TRIBUTARY_SERVICE_CA_FILE: certificates.authorityFile }),
      },
    });
  const loaded = await load();
  // Short deadlines, and no jitter between the tries of a call: what waits minutes is on virtual time.
  const quick = { fetchLimits: { connectMs: 150, headersMs: 150, bodyMs: 150, callMs: 1_000 }, random: () => 0 };
  const clock = { nowMs: Date.now() };
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const agent = await createAgent({
    loaded: { ...loaded, service: { ...loaded.service, ...quick } },
    load,
    exec: machine.exec,
    keepProgram: undefined,
    log: createLogger({ level: 'info', format: 'json' }, { isTty: false, destination }),
    now: () => new Date(clock.nowMs),
    random: () => 0.5,
  });
  const { signal } = new AbortController();
  const tick = async (name: string) => (await agent.loops.find((loop) => loop.name === name)?.tick(signal)) ?? 0;
  return {
    front,
    clock,
    lines,
    tick,
    /** The other end of the tunnel shakes hands, now. */
    shakeHands: () => {
      const link = machine.links.get(tunnelInterface);
      if (link !== undefined) {
        link.traffic = { lastHandshakeAt: Math.floor(clock.nowMs / 1000), rxBytes: 1, txBytes: 1 };
      }
    },
    /** True while the kernel lets consumers' traffic through. */
    isOpen: () => machine.print().includes(`"name":"permit","elem":["${tunnelInterface}"]`),
    service: () => agent.facts().service,
    /** What status says; but that no packet of the fake machine can try its firewall is no matter of the fault. */
    report: () => {
      const { phase, reasons } = judgePhase(agent.facts(), new Date(clock.nowMs));
      return { phase, reasons: reasons.filter(({ code }) => code !== 'self-test-failed') };
    },
    [Symbol.asyncDispose]: async () => {
      await agent.close();
      await front.close();
      await reference.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Passes requests on to the service, or lets something else answer them; counts both. */
async function startFront(target: string, certificates: Certificates | undefined) {
  const told: { nasty: Nasty | undefined; connection: ((socket: Socket) => void) | undefined; count: number } = {
    nasty: undefined,
    connection: undefined,
    count: 0,
  };
  const answer = (incoming: IncomingMessage, response: ServerResponse) => {
    response.on('error', () => undefined);
    if (told.connection === undefined) told.count += 1;
    if (told.nasty !== undefined) told.nasty(incoming, response);
    else passOn(target, incoming, response);
  };
  const server = certificates ? createTlsServer(certificates.good, answer) : createPlainServer(answer);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    if (told.connection === undefined) return;
    told.count += 1;
    told.connection(socket);
  });
  const listen = (port: number) =>
    new Promise<void>((resolve) => {
      server.listen(port, '127.0.0.1', resolve);
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const endConnections = () => {
    for (const socket of sockets) socket.destroy();
  };
  const stop = async () => {
    endConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  return {
    port,
    certificates,
    /** Requests that came; connections where those are what is nasty. */
    count: () => told.count,
    /** From now on; undefined: as the service does. */
    behave: (nasty: Nasty | undefined) => {
      told.nasty = nasty;
    },
    /** What new connections meet; those that are open end. */
    onConnection: (act: ((socket: Socket) => void) | undefined) => {
      told.connection = act;
      endConnections();
    },
    show: (pair: { readonly cert: string; readonly key: string }) => {
      (server as TlsServer).setSecureContext(pair);
      endConnections();
    },
    endConnections,
    stop,
    startAgain: () => listen(port),
    close: stop,
  };
}

function passOn(target: string, incoming: IncomingMessage, response: ServerResponse): void {
  const { method, headers, url = '/' } = incoming;
  const onward = request(new URL(url, target), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  incoming.pipe(onward);
}
