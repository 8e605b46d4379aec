/**
 * Measures a client's line: how quickly it echoes, and how fast. `heard` is told each message of
 * the client that is not empty, `step` gives what to send, and is called after `heard` too.
 */
export interface LineTest {
  heard(message: Buffer, at: LineTime): void;
  /** Bytes of frames that were sent to the client: they show a fast line, too. */
  noteSent(bytes: number, at: LineTime): void;
  step(at: LineTime): readonly Buffer[];
  result(): LineResult;
}

/** Both clocks, in ms: ours measures, and the platform's says when. */
export interface LineTime {
  readonly now: number;
  readonly platformNow: number;
}

export interface LineResult {
  /** The smallest time from a probe to its echo, in whole ms; undefined before the first. */
  readonly latencyMs: number | undefined;
  /** The mean of up to four measurements; undefined before the first. */
  readonly bytesPerSecond: number | undefined;
  readonly speedTests: SpeedCounters;
}

interface SpeedCounters {
  readonly counted: number;
  /** Something else was among the echoes: no further test runs on this connection. */
  readonly spoiled: number;
  readonly unanswered: number;
}

export interface LineTestOptions {
  readonly openedAt: LineTime;
  /** The client's first connection is probed more often. */
  readonly isFirst: boolean;
  readonly randomBytes: (length: number) => Buffer;
}

const probeLength = 16;
const controlLength = 5;
const [starts, stops] = [1, 2];
const firstProbes = 16;
const laterProbes = 2;
/** When it begins, by the platform's clock. */
const probesAfter = 5000;
const speedAfter = 60_000;
/** A test that is not answered for so long is repeated. */
const longestTest = 30_000;
const chunkLength = 1024;
const chunks = 512;
const testBytes = chunks * chunkLength;
/** A round has a warm-up and a test; the better one counts. */
const testsInRound = 2;
const mostSamples = 4;
/** Traffic is as good a measurement, where a window of it has so many bytes. */
const windowMs = 5000;
const leastPassive = 512 * 1024;
/** A line that traffic showed to be so fast is not tested. */
const fastEnough = 4 * 1024 * 1024;

interface Running {
  readonly id: number;
  readonly sentAt: LineTime;
  startedAt: number | undefined;
  bytes: number;
}

export function createLineTest(options: LineTestOptions): LineTest {
  const { openedAt, randomBytes } = options;
  let probesLeft = options.isFirst ? firstProbes : laterProbes;
  let probe: { readonly id: Buffer; readonly sentAt: number } | undefined;
  let latencyMs: number | undefined;
  let running: Running | undefined;
  let round: number[] = [];
  let isOver = false;
  let samples: number[] = [];
  const count = { counted: 0, spoiled: 0, unanswered: 0 };
  const passive = { up: createWindows(openedAt.now), down: createWindows(openedAt.now) };

  const note = (bytesPerSecond: number): void => {
    samples = [...samples, bytesPerSecond].slice(-mostSamples);
  };

  const finish = (of: Running, now: number): void => {
    running = undefined;
    if (of.startedAt === undefined || of.bytes !== testBytes) {
      count.spoiled++;
      isOver = true;
      return;
    }
    count.counted++;
    round.push(testBytes / (Math.max(1, now - of.startedAt) / 1000));
    if (round.length < testsInRound) return;
    note(Math.max(...round));
    round = [];
    isOver = true;
  };

  const heardControl = (message: Buffer, now: number): void => {
    if (running === undefined || message.readUInt32BE(1) !== running.id) return;
    if (message[0] === starts) running.startedAt ??= now;
    else if (message[0] === stops) finish(running, now);
  };

  const startTest = (at: LineTime): readonly Buffer[] => {
    const id = randomBytes(4).readUInt32BE();
    running = { id, sentAt: at, startedAt: undefined, bytes: 0 };
    const data = Array.from({ length: chunks }, () => randomBytes(chunkLength));
    return [toControl(starts, id), ...data, toControl(stops, id)];
  };

  const stepSpeed = (at: LineTime): readonly Buffer[] => {
    if (isOver || at.platformNow - openedAt.platformNow < speedAfter) return [];
    const best = Math.max(passive.up.best(), passive.down.best());
    if (best >= fastEnough && running === undefined) {
      note(best);
      isOver = true;
      return [];
    }
    if (running !== undefined) {
      if (at.now - running.sentAt.now < longestTest) return [];
      count.unanswered++;
    }
    return startTest(at);
  };

  const stepProbes = (at: LineTime): readonly Buffer[] => {
    if (probe !== undefined || probesLeft === 0) return [];
    if (at.platformNow - openedAt.platformNow < probesAfter) return [];
    probesLeft--;
    probe = { id: randomBytes(probeLength), sentAt: at.now };
    return [probe.id];
  };

  return {
    heard(message, { now }) {
      if (message.length > probeLength) {
        passive.up.add(message.length, now);
        if (running?.startedAt !== undefined) running.bytes += message.length;
      } else if (message.length === controlLength) heardControl(message, now);
      else if (probe !== undefined && message.equals(probe.id)) {
        latencyMs = Math.min(latencyMs ?? Number.POSITIVE_INFINITY, Math.round(now - probe.sentAt));
        probe = undefined;
      }
    },
    noteSent: (bytes, { now }) => passive.down.add(bytes, now),
    step: (at) => [...stepProbes(at), ...stepSpeed(at)],
    result: () => ({
      latencyMs,
      bytesPerSecond:
        samples.length === 0
          ? undefined
          : Math.round(samples.reduce((sum, one) => sum + one, 0) / samples.length),
      speedTests: { ...count },
    }),
  };
}

function toControl(kind: number, id: number): Buffer {
  const message = Buffer.alloc(controlLength);
  message[0] = kind;
  message.writeUInt32BE(id, 1);
  return message;
}

/** The fastest window of traffic so far, in bytes a second. */
function createWindows(openedAt: number) {
  let startedAt = openedAt;
  let bytes = 0;
  let best = 0;
  return {
    add(length: number, now: number): void {
      if (now - startedAt >= windowMs) {
        if (bytes >= leastPassive) best = Math.max(best, bytes / ((now - startedAt) / 1000));
        startedAt = now;
        bytes = 0;
      }
      bytes += length;
    },
    best: () => best,
  };
}
