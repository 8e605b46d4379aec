import type { ControlClient } from '../../connect/control/control-client.ts';
import { createReportQueue } from '../../connect/control/report-queue.ts';
import { createLink, type LinkEffect } from '../../connect/socket/link.ts';
import { openPlatformSocket, type PlatformSocket } from '../../connect/socket/web-socket.ts';
import type { Id } from '../../connect/wire/id.ts';
import { largestMessage } from '../../connect/wire/message-types.ts';
import { sleep } from '../../lib/sleep.ts';
import type { Consumer } from './consumer.ts';
import type { ConsumerAsk } from './up-lane.ts';

export interface RunConsumerOptions {
  readonly ownId: Id;
  readonly providerId: Id;
  readonly consumer: Consumer;
  /** The platform's WebSocket address. */
  readonly url: string;
  readonly token: string;
  /** A UUID of this process. */
  readonly instanceId: string;
  readonly control: ControlClient;
  /** Takes the packets that the provider sends. */
  readonly write: (packets: readonly Buffer[]) => void;
  /** Whole ms of a clock that never goes back. */
  readonly now: () => number;
  readonly random: () => number;
}

/** A consumer on its socket. */
export interface RunningConsumer {
  /** Packets to the Internet. */
  send(packets: readonly Buffer[]): void;
  isConnected(): boolean;
  /** Resolves when everything is ended and reported, after the signal was aborted. */
  readonly ended: Promise<void>;
}

/** More in front of the socket only makes acks late. */
const mostBuffered = 256 * 1024;
const longestRest = 1000;
/** So long, in ms, the last reports are waited for. */
const farewell = 3000;
const appVersion = '0.0.0-sandbox';

/** Runs a consumer on the platform's socket and control until the signal is aborted. */
export function runConsumer(options: RunConsumerOptions, signal: AbortSignal): RunningConsumer {
  const { consumer, control, now } = options;
  const link = createLink({ ...options, hosts: 1 });
  const sockets = new Map<number, PlatformSocket>();
  const reports = createReportQueue();
  let timer: NodeJS.Timeout | undefined;
  let isScheduled = false;

  const schedule = (): void => {
    if (isScheduled || signal.aborted) return;
    isScheduled = true;
    setImmediate(turn);
  };
  const told = (effects: readonly LinkEffect[]): void => {
    act(effects);
    schedule();
  };
  const dial = (socket: number): void => {
    const opened = openPlatformSocket({
      ...options,
      appVersion,
      onOpen: () => told(link.opened(socket, now())),
      onMessage: (bytes) => told(link.received(socket, bytes, now())),
      onClose() {
        sockets.delete(socket);
        told(link.closed(socket, now()));
      },
    });
    sockets.set(socket, opened);
  };
  const act = (effects: readonly LinkEffect[]): void => {
    for (const effect of effects) {
      if (effect.kind === 'frame') consumer.frame(effect.bytes, now());
      else if (effect.kind === 'send') sockets.get(effect.socket)?.send(effect.bytes);
      else if (effect.kind === 'dial') dial(effect.socket);
      else if (effect.kind === 'close') sockets.get(effect.socket)?.close();
    }
  };

  const ask = async (of: ConsumerAsk): Promise<void> => {
    const request = {
      destinationId: options.providerId,
      transferByteCount: of.byteCount,
      isCompanion: of.isCompanion,
      usedContractIds: [],
      forceStream: undefined,
      streamVersion: 1,
    };
    const answer = await control.createContract(request, signal);
    consumer.answered(of, answer.kind === 'granted' ? answer.contract : undefined, now());
    schedule();
  };
  const report = async (until: AbortSignal): Promise<void> => {
    const batch = reports.take(now());
    if (batch.length > 0) reports.answered(await control.report(batch, until), now());
  };
  const countRoom = (): number => {
    let buffered = 0;
    for (const socket of sockets.values()) buffered += socket.bufferedBytes();
    return link.isOpen() ? Math.max(0, Math.floor((mostBuffered - buffered) / largestMessage)) : 0;
  };
  const turn = (): void => {
    isScheduled = false;
    if (signal.aborted) return;
    clearTimeout(timer);
    const time = now();
    act(link.step(time));
    const step = consumer.step(time, countRoom());
    for (const frame of step.frames) act(link.send(frame, time));
    if (step.packets.length > 0) options.write(step.packets);
    for (const one of step.asks) void ask(one);
    reports.add(step.reports);
    void report(signal);
    const wakeAt = Math.min(link.wakeAt(), consumer.wakeAt(time), time + longestRest);
    timer = setTimeout(turn, Math.max(1, wakeAt - time));
  };

  async function run(): Promise<void> {
    await sleep(Number.POSITIVE_INFINITY, signal);
    clearTimeout(timer);
    reports.add(consumer.end());
    const until = AbortSignal.timeout(farewell);
    while (reports.waiting() > 0 && !until.aborted) {
      await report(until);
      await sleep(10, until);
    }
    for (const socket of sockets.values()) socket.close();
  }

  schedule();
  return {
    send(packets) {
      for (const packet of packets) consumer.packet(packet, now());
      schedule();
    },
    isConnected: link.isOpen,
    ended: run(),
  };
}
