import { webPort } from '../lab/lab.ts';
import { LabError } from '../lab/lab-error.ts';
import { addresses } from '../lab/network.ts';
import { type Bench, pause } from './bench-lab.ts';

/** A tenth of a second of a consumer's traffic, in milliseconds. */
export interface TrafficSlice {
  readonly atMs: number;
  /** Time since the last answer. */
  readonly silentMs: number;
  /** The longest time between two answers in this slice. */
  readonly longestMs: number;
}

/** A consumer in the middle of a conversation, and what it notices. */
export interface ConsumerTraffic {
  /** Resolves once answers have come for a second without a gap. @throws LabError */
  waitForFlow(): Promise<void>;
  /** The longest silence since this moment, in ms. */
  gapSince(atMs: number): number;
}

type TrafficPlace = Pick<Bench, 'lab' | 'start'>;

/** The port of web traffic over HTTP/3. */
const port = 443;

const answerAll = `
const socket = require('node:dgram').createSocket('udp4');
socket.on('message', (message, from) => socket.send(message, from.port, from.address));
socket.bind(${port}, '${addresses.internet}', () => console.log('listening'));
`;

/** Sends a datagram every ten milliseconds. TCP would add waits of its own to a gap. */
const ask = `
const socket = require('node:dgram').createSocket('udp4');
let last = performance.now(), longest = 0;
socket.on('error', () => undefined).on('message', () => {
  longest = Math.max(longest, performance.now() - last);
  last = performance.now();
});
setInterval(() => socket.send('x', ${port}, '${addresses.internet}', () => undefined), 10);
setInterval(() => {
  console.log('slice', Date.now(), Math.round(performance.now() - last), Math.round(longest));
  longest = 0;
}, 100);
`;

/** undefined for a line that is not the consumer's. */
export function parseSlice(line: string): TrafficSlice | undefined {
  const [, atMs, silentMs, longestMs] = /^slice (\d+) (\d+) (\d+)$/.exec(line)?.map(Number) ?? [];
  if (atMs === undefined || silentMs === undefined || longestMs === undefined) return undefined;
  return { atMs, silentMs, longestMs };
}

/** The longest silence since this moment in seconds, including one that still lasts. */
export function computeGapSeconds(slices: readonly TrafficSlice[], sinceMs: number): number {
  const noticed = slices.filter(({ atMs }) => atMs >= sinceMs);
  return Math.max(0, ...noticed.flatMap(({ silentMs, longestMs }) => [silentMs, longestMs])) / 1000;
}

/**
 * Starts a consumer that talks to a host on the Internet as long as the lab exists.
 * @throws LabError
 */
export async function startConsumerTraffic({
  lab: { network },
  start,
}: Bench): Promise<ConsumerTraffic> {
  const node = process.execPath;
  const server = start({ argv: network.on('internet', node, '-e', answerAll) });
  await server.waitForLine((line) => line === 'listening');
  const slices: TrafficSlice[] = [];
  const onLine = (line: string) => {
    const slice = parseSlice(line);
    if (slice !== undefined) slices.push(slice);
  };
  start({ argv: network.on('consumer', node, '-e', ask), onLine });
  return {
    async waitForFlow() {
      for (let tries = 0; tries < 300; tries += 1) {
        const recent = slices.slice(-10);
        if (recent.length === 10 && recent.every(({ silentMs }) => silentMs < 500)) return;
        await pause(0.1);
      }
      throw new LabError("a consumer's traffic did not come back within 30 s");
    },
    gapSince: (atMs) => computeGapSeconds(slices, atMs),
  };
}

/**
 * Sends five datagrams a second, and gets a small page every five seconds. It prints each second
 * how many datagrams were answered.
 */
const askSteadily = `
const socket = require('node:dgram').createSocket('udp4');
let answers = 0;
socket.on('error', () => undefined).on('message', () => { answers += 1; });
setInterval(() => socket.send('x', ${port}, '${addresses.internet}', () => undefined), 200);
setInterval(() => { console.log('answers', answers); answers = 0; }, 1000);
const fetchPage = () => require('node:http')
  .get('http://${addresses.internet}:${webPort}/bytes/2000', { agent: false, timeout: 4000 }, (answer) => answer.resume())
  .on('timeout', function () { this.destroy(); }).on('error', () => undefined);
setInterval(fetchPage, 5000);
`;

/** What a consumer notices for hours, counted second by second. */
export interface SteadyTraffic {
  /** Set by the test that does something to the device. */
  isAtRest: boolean;
  /** Seconds in which `isAtRest` was set; `flowingSeconds` counts the ones with an answer. */
  restSeconds: number;
  flowingSeconds: number;
  /** Seconds without an answer, at rest or not. */
  silentSeconds: number;
  /** The longest row of seconds without an answer, at rest; and the row up to now. */
  longestSilentSeconds: number;
  silentNow: number;
  /** Seconds in a row with an answer, up to now. */
  flowingNow: number;
  /** Counts a line of the consumer; others are left out. */
  takeLine(line: string): void;
}

function countSeconds(): SteadyTraffic {
  const seconds: SteadyTraffic = {
    isAtRest: false,
    restSeconds: 0,
    flowingSeconds: 0,
    silentSeconds: 0,
    longestSilentSeconds: 0,
    silentNow: 0,
    flowingNow: 0,
    takeLine(line) {
      const answers = Number(/^answers (\d+)$/.exec(line)?.[1] ?? Number.NaN);
      if (Number.isNaN(answers)) return;
      seconds.flowingNow = answers > 0 ? seconds.flowingNow + 1 : 0;
      if (answers === 0) seconds.silentSeconds += 1;
      seconds.silentNow = answers > 0 || !seconds.isAtRest ? 0 : seconds.silentNow + 1;
      seconds.longestSilentSeconds = Math.max(seconds.longestSilentSeconds, seconds.silentNow);
      if (!seconds.isAtRest) return;
      seconds.restSeconds += 1;
      if (answers > 0) seconds.flowingSeconds += 1;
    },
  };
  return seconds;
}

/**
 * Starts a consumer with little traffic, which goes on as long as the lab exists.
 * @throws LabError
 */
export async function startSteadyTraffic({
  lab: { network },
  start,
}: TrafficPlace): Promise<SteadyTraffic> {
  const node = process.execPath;
  const server = start({ argv: network.on('internet', node, '-e', answerAll) });
  await server.waitForLine((line) => line === 'listening');
  const seconds = countSeconds();
  start({ argv: network.on('consumer', node, '-e', askSteadily), onLine: seconds.takeLine });
  return seconds;
}
