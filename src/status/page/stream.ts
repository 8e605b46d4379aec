import type { ServerResponse } from 'node:http';
import { toPlainJson } from '../../lib/plain-text.ts';
import { createAnswer, type StatusAnswer } from '../answers.ts';

/** What an open page shows, by the ids of its elements; for a whole part only its tag. */
export type Frame = Readonly<Record<string, string>>;

/** When more streams than this are open, the oldest is closed. */
export const mostStreams = 32;
const everyMs = 5_000;
/** A stream ends after this time (ms). A browser that is still there asks again. */
const longestMs = 600_000;
const mostUnreadBytes = 64 * 1024;

/**
 * Server-sent events: first the whole frame, then every few seconds what changed.
 * @param nowMs a monotonic clock in ms
 */
export function createStreams(look: () => Promise<Frame>, nowMs: () => number): () => StatusAnswer {
  const endsAtMs = new Map<ServerResponse, number>();
  let last: Frame = {};
  let timer: NodeJS.Timeout | undefined;

  // One look at the agent serves every stream. Without streams no look is made.
  const tick = async () => {
    const frame = await look();
    const changed = Object.entries(frame).filter(([id, value]) => last[id] !== value);
    last = frame;
    for (const [stream, endMs] of endsAtMs) {
      if (stream.writableLength > mostUnreadBytes) stream.destroy();
      else if (nowMs() >= endMs) stream.end();
      else write(stream, Object.fromEntries(changed));
    }
  };
  const schedule = () => {
    timer = endsAtMs.size === 0 ? undefined : setTimeout(goOn, everyMs).unref();
  };
  // After a failed look one event is missing, and the page then asks what is wrong.
  const goOn = () => void tick().then(schedule, schedule);

  const open = async (stream: ServerResponse) => {
    const [oldest] = endsAtMs.keys();
    if (endsAtMs.size >= mostStreams) oldest?.destroy();
    endsAtMs.set(stream, nowMs() + longestMs);
    stream.once('close', () => endsAtMs.delete(stream));
    stream.write('retry: 2000\n\n');
    write(stream, await look());
    if (timer === undefined) schedule();
  };

  return () => ({
    ...createAnswer('text/event-stream', ''),
    stream: (response) => void open(response).catch(() => response.destroy()),
    // The header tells a proxy to pass each event on at once.
    headers: { 'X-Accel-Buffering': 'no' },
  });
}

function write(stream: ServerResponse, frame: Frame): void {
  stream.write(`data: ${toPlainJson(frame)}\n\n`);
}
