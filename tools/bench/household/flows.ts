import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { Lab } from '../../lab/lab.ts';
import { LabError } from '../../lab/lab-error.ts';
import { addresses, type HostName } from '../../lab/network.ts';
import { type LabProcess, startProcess } from '../../lab/processes.ts';

/** Traffic between a host and the Internet, by iperf3. */
export interface FlowOrder {
  readonly from: HostName;
  /** One of the host's own addresses. */
  readonly source?: string;
  readonly seconds: number;
  readonly flows?: number;
  readonly direction?: 'down' | 'up';
  /** The bits per second of UDP; undefined for TCP. */
  readonly udpBits?: number;
}

/** Mbit/s at the receiver for each second, and how much had to be sent again. */
export interface FlowFigures {
  readonly megabits: readonly number[];
  readonly retransmits: number;
}

const sum = z.object({ bits_per_second: z.number() });
const report = z.object({
  intervals: z.array(z.object({ sum })),
  end: z.object({ sum_sent: z.object({ retransmits: z.number().optional() }).optional() }),
});

export type Traffic = ReturnType<typeof createTraffic>;

export function createTraffic(lab: Lab) {
  const processes = new Set<LabProcess>();
  let nextPort = 5200;
  const start = (argv: readonly [string, ...string[]]) => {
    const started = startProcess({ argv });
    processes.add(started);
    return started;
  };
  const readReport = async (running: LabProcess, seconds: number, who = '') => {
    const patience = setTimeout(() => running.kill('SIGKILL'), (seconds + 45) * 1000);
    await running.exited;
    clearTimeout(patience);
    if (running.lines.length === 0) throw new LabError(`iperf3 on ${who} did not end in its time`);
    return report.parse(JSON.parse(running.lines.join('\n')));
  };
  return {
    /** Runs a flow to its end. @throws if iperf3 fails */
    async send({
      from,
      source,
      seconds,
      flows = 1,
      direction = 'down',
      udpBits,
    }: FlowOrder): Promise<FlowFigures> {
      nextPort += 1;
      const port = String(nextPort);
      const server = start(
        lab.network.on('internet', 'iperf3', '-s', '-1', '-J', '-i', '1', '-p', port),
      );
      // The server prints nothing before its first client, so it is given a second.
      await sleep(1_000);
      const client = start(
        lab.network.on(
          from,
          'iperf3',
          ...[
            '-c',
            addresses.internet,
            '-p',
            port,
            '-J',
            '-i',
            '1',
            '-t',
            String(seconds),
            '-P',
            String(flows),
          ],
          ...(source === undefined ? [] : ['-B', source]),
          ...(direction === 'down' ? ['-R'] : []),
          ...(udpBits === undefined
            ? []
            : ['-u', '-l', '1200', '-b', String(Math.round(udpBits / flows))]),
        ),
      );
      const [own, other] = await Promise.all([
        readReport(client, seconds, from),
        readReport(server, seconds, `the Internet, for ${from}`),
      ]);
      const received = direction === 'down' ? own : other;
      const sent = direction === 'down' ? other : own;
      return {
        megabits: received.intervals.map((each) => each.sum.bits_per_second / 1e6),
        retransmits: sent.end.sum_sent?.retransmits ?? own.end.sum_sent?.retransmits ?? 0,
      };
    },
    /** Round-trip times from a host to the Internet in ms, five a second. */
    async ping(from: HostName, seconds: number): Promise<readonly number[]> {
      const running = start(
        lab.network.on(
          from,
          'ping',
          '-n',
          '-i',
          '0.2',
          '-w',
          String(seconds),
          '-W',
          '2',
          addresses.internet,
        ),
      );
      await running.exited;
      return running.lines.flatMap((line) => /time=([\d.]+)/.exec(line)?.[1] ?? []).map(Number);
    },
    stop() {
      for (const running of processes) running.kill('SIGKILL');
    },
  };
}

/** The mean of the seconds from `from` up to, but not including, `to`. */
export function meanOf(values: readonly number[], from = 0, to = values.length): number {
  const part = values.slice(from, to);
  return part.reduce((total, value) => total + value, 0) / Math.max(1, part.length);
}
