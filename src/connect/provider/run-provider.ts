import { setTimeout as sleep } from 'node:timers/promises';
import { createReportQueue } from '../control/report-queue.ts';
import { createLink, type LinkEffect } from '../socket/link.ts';
import { createTokenUse } from '../socket/token-use.ts';
import { openPlatformSocket, type PlatformSocket, type SocketEnd } from '../socket/web-socket.ts';
import { largestMessage } from '../wire/message-types.ts';
import type { ContractAsk } from './contract-ask.ts';
import type { KeyAsk } from './peer-keys.ts';
import type { RunProviderOptions } from './run-provider-options.ts';

/** More in front of the socket only makes acks and echoes late. */
const mostBuffered = 256 * 1024;
/** Without a socket nothing is urgent. */
const restWhileClosed = 50;
const longestRest = 1000;
/** Acks are collected for so long, too. */
const shortRest = 10;
/** So long before the end, the last reports are waited for. */
const farewell = 5000;
/** The platform's clock may be off: a move is at most so far away. */
const longestMove = 600_000;

/**
 * Runs an engine on the platform's socket, HTTP control and a device, until the signal is aborted:
 * then everything is ended, the last reports are sent, and the socket is closed. The secrets must
 * have been published before. It throws only for what is a fault of ours.
 */
export async function runProvider(options: RunProviderOptions, signal: AbortSignal): Promise<void> {
  const { engine, device, control } = options;
  // The time of a sending is written into its tag as a whole number, and is compared with it later.
  const now = (): number => Math.floor(options.now());
  const mayDial = (): boolean => options.token() !== undefined;
  const link = createLink({ ...options, hosts: options.urls.length, mayDial });
  const sockets = new Map<number, PlatformSocket & { readonly url: string }>();
  const reports = options.reports ?? createReportQueue();
  const last = new AbortController();
  const tokens = createTokenUse(options.token);
  let usedNetwork = options.networks?.() ?? 0;
  let timer: NodeJS.Timeout | undefined;
  let isScheduled = false;

  const schedule = (): void => {
    if (isScheduled || signal.aborted) return;
    isScheduled = true;
    setImmediate(turn);
  };

  const dial = (socket: number, host: number): void => {
    const told = (effects: readonly LinkEffect[], end?: { readonly as: SocketEnd }): void => {
      act(effects);
      if (end !== undefined) sockets.delete(socket);
      const inUse = link.inUse();
      const url = inUse === undefined ? undefined : sockets.get(inUse)?.url;
      options.onLine?.({ url, end: end?.as });
      schedule();
    };
    const url = options.urls[host] ?? '';
    const opened = openPlatformSocket({
      url,
      token: tokens.take() ?? '',
      instanceId: options.instanceId,
      appVersion: options.appVersion,
      authority: options.authority,
      meter: options.meter,
      onClockRate(rate) {
        engine.hasten(rate, now());
        link.hasten(rate, now());
        options.onClockRate?.(rate);
      },
      onOpen: () => told(link.opened(socket, now())),
      onMessage(bytes) {
        // What comes after the end is for the next life: it would be counted, and not delivered.
        if (signal.aborted) return;
        act(link.received(socket, bytes, now()));
        schedule();
      },
      onClose: (as) => told(link.closed(socket, now()), { as }),
    });
    sockets.set(socket, { ...opened, url });
  };

  const actOn = (effect: LinkEffect): void => {
    switch (effect.kind) {
      case 'frame':
        engine.frame(effect.bytes, now());
        return;
      case 'send':
        sockets.get(effect.socket)?.send(effect.bytes);
        return;
      case 'dial':
        dial(effect.socket, effect.host);
        return;
      case 'close':
        sockets.get(effect.socket)?.close();
        return;
      case 'seen':
        options.onSeen?.(effect.sighting);
        return;
      case 'check-token':
        options.onTokenSuspect();
        return;
      default:
        effect satisfies never;
    }
  };
  const act = (effects: readonly LinkEffect[]): void => {
    for (const effect of effects) actOn(effect);
  };

  const ask = async (of: ContractAsk): Promise<void> => {
    const { contracts, ...wanted } = of;
    const request = { ...wanted, usedContractIds: [], streamVersion: 1 };
    const answer = await control.createContract(request, signal);
    engine.answered(of, answer.kind === 'granted' ? answer.contract : undefined, now());
    schedule();
  };

  const askKey = async (of: KeyAsk): Promise<void> => {
    engine.keyFound(of, await options.findKey?.(of.peerId, signal));
    schedule();
  };

  const report = async (): Promise<void> => {
    const batch = reports.take(now());
    if (batch.length === 0) return;
    const books = { ...engine.save(), waiting: reports.save() };
    const isKept = await options.keep(books, last.signal).then(
      () => true,
      () => false,
    );
    const outcome = isKept ? await control.report(batch, last.signal) : notKept;
    reports.answered(outcome, now());
  };

  const countRoom = (): number => {
    let buffered = 0;
    for (const socket of sockets.values()) buffered += socket.bufferedBytes();
    return link.isOpen() ? Math.max(0, Math.floor((mostBuffered - buffered) / largestMessage)) : 0;
  };

  const followToken = (time: number): void => {
    if (link.isOpen() && tokens.isNewWanted(Date.now())) link.move(time);
    else if (!link.isOpen() && tokens.isNewThere()) link.hurry();
  };

  const followNetwork = (time: number): void => {
    const network = options.networks?.() ?? 0;
    if (network !== usedNetwork) link.doubt(time);
    usedNetwork = network;
  };

  const turn = (): void => {
    isScheduled = false;
    if (signal.aborted) return;
    clearTimeout(timer);
    const time = now();
    followToken(time);
    followNetwork(time);
    act(link.step(time));
    const step = engine.step(time, countRoom());
    for (const frame of step.frames) act(link.send(frame, time));
    device.write(step.packets);
    for (const one of step.asks) void ask(one);
    for (const one of step.keyAsks) void askKey(one);
    reports.add(step.reports);
    void report();
    if (step.moveAt !== undefined)
      link.move(time + Math.min(longestMove, Math.max(0, step.moveAt - Date.now())));
    const wakeAt = Math.min(link.wakeAt(), engine.wakeAt(time), time + longestRest);
    timer = setTimeout(turn, Math.max(link.isOpen() ? 1 : restWhileClosed, wakeAt - time));
  };

  /** What was delivered is acknowledged, or it comes again in the next life, and counts again. */
  const sayFarewell = (): void => {
    const step = engine.step(now() + shortRest, 0);
    for (const frame of step.frames) act(link.send(frame, now()));
    device.write(step.packets);
    reports.add([...step.reports, ...engine.end(now())]);
  };

  engine.onNews(schedule);
  device.start((packets) => {
    for (const packet of packets) engine.packet(packet, now());
    schedule();
  });
  schedule();
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  clearTimeout(timer);
  sayFarewell();
  const deadline = setTimeout(() => last.abort(), farewell);
  while (reports.waiting() > 0 && !last.signal.aborted) {
    await report();
    await sleep(shortRest);
  }
  clearTimeout(deadline);
  for (const socket of sockets.values()) socket.close();
}

const notKept = { kind: 'failed', reason: 'not-sent', message: 'the books were not kept' } as const;
