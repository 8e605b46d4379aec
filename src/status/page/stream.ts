import type { ServerResponse } from 'node:http';
import { toPlainJson } from '../../lib/plain-text.ts';
import { createAnswer, type StatusAnswer } from '../answers.ts';

/** What an open page shows, by the ids of its elements; of a whole part only its tag. */
export type Frame = Readonly<Record<string, string>>;

/** Of more than these the oldest is closed. */
export const mostStreams = 32;
const everyMs = 5_000;
/** The browser then asks again; a reader that went away does not. */
const longestMs = 600_000;
const mostUnreadBytes = 64 * 1024;

/**
 * Server-sent events: the whole frame, then every few seconds what changed.
 * @param nowMs a monotonic clock in ms
 */
export function createStreams(look: () => Promise<Frame>, nowMs: () => number): () => StatusAnswer {
  const endsAtMs = new Map<ServerResponse, number>();
  let last: Frame = {};
  let timer: NodeJS.Timeout | undefined;

  // One look at the agent serves every stream; without one there is no look.
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
  // A look that fails is an event less; the page asks what is wrong.
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
    // A proxy in between hands each event on at once.
    headers: { 'X-Accel-Buffering': 'no' },
  });
}

function write(stream: ServerResponse, frame: Frame): void {
  stream.write(`data: ${toPlainJson(frame)}\n\n`);
}
