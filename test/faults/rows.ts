import dns from 'node:dns';
import type { Socket } from 'node:net';
import { sendHtml, sendJson, sendText } from '../flow/nasty-service.ts';
import type { Certificates } from './certificates.ts';
import { canMount } from './disk.ts';
import { diskRows } from './disk-rows.ts';
import { type Fault, whileOff } from './fault.ts';
import { fileRows } from './file-rows.ts';
import type { Nasty } from './front.ts';

const faults = (
  where: Fault['where'],
  rows: readonly (readonly [name: string, reason: string | undefined, begin: Fault['begin']])[],
): readonly Fault[] =>
  rows.map(([name, reason, begin]) => ({
    where,
    name,
    reason,
    begin,
    world: { isTls: where === 'TLS' },
  }));

const answers =
  (nasty: Nasty): Fault['begin'] =>
  async ({ front }) => {
    front.behave(nasty);
    return () => {
      front.behave(undefined);
      // What hangs would keep a connection.
      front.endConnections();
    };
  };

const behaves = (behaviour: ReturnType<typeof sendText>) =>
  answers((request, response) => behaviour(request as never, response));
const says = (status: number, text: string, headers: Record<string, string> = {}) =>
  behaves(sendText(text, status, headers));
const json = { 'content-type': 'application/json' };

/** So slowly that no part comes in the time for the whole. */
const trickle = answers((_, response) => {
  response.writeHead(200, json);
  const timer = setInterval(() => response.write(' '), 20);
  response.on('close', () => clearInterval(timer));
});

const changes = (before: RegExp, after: string) =>
  answers((_, __, passOn) => passOn((text) => text.replace(before, after)));

/** Behind each answer of the service another one, as if it were the one to the next request. */
const smuggles = answers((_, response, passOn) => {
  const own =
    'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 21\r\n\r\n{"by_client_jwt":"x"}';
  response.on('finish', () => response.socket?.write(own));
  passOn();
});

const connects =
  (act: (socket: Socket) => void): Fault['begin'] =>
  async ({ front }) => {
    front.onConnection(act);
    return () => front.onConnection(undefined);
  };

const shows =
  (
    choose: (certificates: Certificates) => { readonly cert: string; readonly key: string },
  ): Fault['begin'] =>
  async ({ front }) => {
    const { certificates } = front;
    if (certificates === undefined) throw new Error('this world has no certificates');
    front.show(choose(certificates));
    return () => front.show(certificates.good);
  };

type Found = (error: Error | null, address?: unknown, family?: number) => void;

/** Names are looked up in the process, so that no machine's name server is needed. */
const resolves =
  (lookup: (isAll: boolean, found: Found) => void): Fault['begin'] =>
  async ({ front }) => {
    const before = [dns.lookup, dns.promises.lookup] as const;
    dns.lookup = ((_: string, options: { readonly all?: boolean }, found: Found) =>
      lookup(options.all === true, found)) as never;
    dns.promises.lookup = ((_: string, { all = false }: { readonly all?: boolean } = {}) =>
      new Promise((resolve, reject) => {
        lookup(all, (error, address, family) => {
          if (error !== null) reject(error);
          else resolve(all ? address : { address, family });
        });
      })) as never;
    front.endConnections();
    return () => {
      [dns.lookup, dns.promises.lookup] = before;
    };
  };

const failsToResolve = (code: string) =>
  resolves((_, found) =>
    found(Object.assign(new Error(`getaddrinfo ${code} localhost`), { code })),
  );

const resolvesTo = (address: string) =>
  resolves((isAll, found) =>
    isAll ? found(null, [{ address, family: 4 }]) : found(null, address, 4),
  );

/** What the name servers say no more is known from before; what they say is believed. */
const nameFaults = [
  ['no such name', undefined, failsToResolve('ENOTFOUND')],
  ['a name server that fails', undefined, failsToResolve('EAI_AGAIN')],
  ['a name server that never answers', undefined, resolves(() => undefined)],
  ['a wrong address', 'service-unreachable', resolvesTo('127.0.0.2')],
] as const;

const jumps =
  (hours: number): Fault['begin'] =>
  async ({ clock, shakeHands }) => {
    const byMs = hours * 3_600_000;
    clock.nowMs += byMs;
    shakeHands();
    return () => {
      clock.nowMs -= byMs;
    };
  };

/** The clock is set while the service has the request; each time again. */
const jumpsMeanwhile =
  (hours: number): Fault['begin'] =>
  async (world) => {
    let jumps = 0;
    world.front.behave((_, response, passOn) => {
      jumps += 1;
      world.clock.nowMs += hours * 3_600_000;
      world.shakeHands();
      passOn();
      response.on('error', () => undefined);
    });
    return () => {
      world.front.behave(undefined);
      world.clock.nowMs -= jumps * hours * 3_600_000;
    };
  };

/** An answer so slow that each part comes just before the deadline for a part. */
const drips = (text: string) =>
  connects((socket) => {
    const bytes = [...text];
    const timer = setInterval(() => socket.write(bytes.shift() ?? ' '), 135);
    socket.on('close', () => clearInterval(timer));
  });

/** Every fault, one row each. */
export const rows: readonly Fault[] = [
  ...faults('service', [
    ["a captive portal's page", 'answer-not-json', behaves(sendHtml(200))],
    ['a page that says 401', 'answer-not-json', behaves(sendHtml(401))],
    [
      'a redirect to a portal',
      'answer-redirected',
      says(302, '', { location: 'http://portal.example/' }),
    ],
    [
      '204 without a body',
      'answer-not-json',
      answers((_, response) => void response.writeHead(204).end()),
    ],
    ['200 without a body', 'answer-not-json', says(200, '', json)],
    ['JSON of something else', 'answer-invalid', behaves(sendJson({ status: 'ok' }))],
    ['a list in place of an object', 'answer-invalid', says(200, '[]', json)],
    ['another shape', 'answer-invalid', behaves(sendJson({ by_client_jwt: 7, clients: 7 }))],
    ['another content type, text', 'answer-not-json', says(200, 'It works!')],
    ['half a JSON body', 'answer-truncated', says(200, '{"by_client_jwt": "a', json)],
    [
      'a body shorter than announced',
      'answer-truncated',
      answers((_, response) => {
        response.writeHead(200, { ...json, 'content-length': '1000' });
        response.write('{"by', () => response.socket?.destroy());
      }),
    ],
    [
      'gzip that nobody asked for',
      'answer-not-json',
      says(200, '\u001f\u008b\b\u0000rubbish', { ...json, 'content-encoding': 'gzip' }),
    ],
    [
      'a body that is too large',
      'answer-too-large',
      says(200, `{"by_client_jwt": "${'a'.repeat(3_000_000)}"}`, json),
    ],
    [
      'a refusal of its own',
      'service-refused',
      behaves(sendJson({ error: { message: 'not today' } })),
    ],
    [
      '403 with its own error',
      'service-refused',
      behaves(sendJson({ error: { message: 'not today' } }, 403)),
    ],
    ['403 of a proxy', 'service-refused', says(403, 'Forbidden')],
    ['404', 'operation-not-served', says(404, '404 page not found')],
    [
      '409 with its own error',
      'service-refused',
      behaves(sendJson({ error: { message: 'conflict' } }, 409)),
    ],
    ['429', 'rate-limited', behaves(sendHtml(429))],
    ['429 with Retry-After', 'rate-limited', says(429, 'slow down', { 'retry-after': '45' })],
    ['500', 'service-failed', says(500, 'Error. Please email help.')],
    ['500 with JSON', 'service-failed', behaves(sendJson({ error: { message: 'broken' } }, 500))],
    ['502 as a page', 'service-failed', behaves(sendHtml(502))],
    ['503', 'service-failed', says(503, 'down')],
    ['503 with Retry-After', 'service-failed', says(503, 'down', { 'retry-after': '45' })],
    ['504 as a page', 'service-failed', behaves(sendHtml(504))],
    ['headers that never come', 'service-unreachable', answers(() => undefined)],
    ['a body that never ends', 'service-unreachable', trickle],
    [
      'a tunnel that cannot be read',
      'wireguard-text-refused',
      changes(/PrivateKey = [\w+/=]+/, 'PrivateKey = x'),
    ],
    [
      'an interval of a millisecond',
      undefined,
      changes(/("keepalive_seconds": ?)[\d.]+/, '$10.001'),
    ],
    [
      'a body that stops',
      'service-unreachable',
      answers((_, response) => void response.writeHead(200, json).write('{"by')),
    ],
  ]),
  {
    where: 'service',
    name: 'a 401 of its own',
    reason: 'sign-in-refused',
    // Asked about again after 5 to 15 minutes: the tunnel needs nothing of the service meanwhile.
    mostSeconds: 900,
    begin: behaves(sendJson({ error: { message: 'no' } }, 401)),
  },
  ...faults('line', [
    [
      'refused connections',
      'service-unreachable',
      async ({ front }) => {
        await front.stop();
        return front.startAgain;
      },
    ],
    [
      'a reset at the connection',
      'service-unreachable',
      connects((socket) => void socket.resetAndDestroy()),
    ],
    [
      'a reset instead of an answer',
      'service-unreachable',
      answers((_, response) => void response.socket?.resetAndDestroy()),
    ],
    [
      'an end instead of an answer',
      'service-unreachable',
      answers((_, response) => void response.socket?.destroy()),
    ],
    ['a hang right after the connection', 'service-unreachable', connects(() => undefined)],
    [
      'a connection that nobody reads from',
      'service-unreachable',
      connects((socket) => void socket.pause()),
    ],
    ['an answer a byte at a time', 'service-unreachable', drips('HTTP/1.1 200 OK\r\nx-slow: ')],
    ['a second answer that nobody asked for', undefined, smuggles],
    [
      'an answer that is not HTTP',
      'service-unreachable',
      connects((socket) => void socket.end('SSH-2.0-router\r\n')),
    ],
  ]),
  ...faults('TLS', [
    ['an expired certificate', 'service-unreachable', shows(({ expired }) => expired)],
    ['a certificate of the future', 'service-unreachable', shows(({ notYet }) => notYet)],
    ['a certificate for another name', 'service-unreachable', shows(({ wrongName }) => wrongName)],
    [
      'a certificate that nobody vouches for',
      'service-unreachable',
      shows(({ selfSigned }) => selfSigned),
    ],
    ['a hang right after the connection', 'service-unreachable', connects(() => undefined)],
    [
      'an answer without TLS',
      'service-unreachable',
      connects((socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\n')),
    ],
  ]),
  ...faults('DNS', nameFaults),
  ...faults('DNS at a start', nameFaults).map((fault) => ({
    ...fault,
    isAfterPowerCut: true,
    wasDefect: fault.reason === undefined,
    begin: whileOff(fault.begin),
  })),
  ...faults('clock', [
    ['a clock a day ahead', undefined, jumps(24)],
    ['a clock years ahead', undefined, jumps(24 * 365 * 3)],
    ['a clock a day behind', undefined, jumps(-24)],
    ['a clock set a day ahead in each request', undefined, jumpsMeanwhile(24)],
    ['a clock set a day back in each request', undefined, jumpsMeanwhile(-24)],
  ]),
  ...diskRows,
  ...fileRows,
];

/** What can be tried here. */
const possibleRows = rows.filter(({ world }) => canMount || world?.hasOwnDisk !== true);

/** The first of each kind of reason in each place, and what was a defect once: what CI runs. */
export const shortRows: readonly Fault[] = possibleRows.filter(
  ({ where, reason, wasDefect }, index) =>
    wasDefect === true ||
    possibleRows.findIndex((row) => row.where === where && row.reason === reason) === index,
);
