import { isDeepStrictEqual } from 'node:util';
import { TributaryError } from '../../errors/codes.ts';
import { sleep } from '../../lib/sleep.ts';
import { toSourceProblem } from './engine-problem.ts';
import type { EngineProcess, EngineProcessOptions } from './engine-process.ts';
import type {
  EngineCounters,
  FromEngine,
  KeepMessage,
  SeenMessage,
  StateMessage,
  ToEngine,
} from './protocol.ts';

/** Its first lines come within this time (ms), on a board that is busy starting too. */
const openWithinMs = 60_000;
/** It sends its last reports within five seconds; what takes longer (ms) hangs. */
const endWithinMs = 8_000;
/**
 * From `opened` on it says something every fifteen seconds; one that said nothing between so many
 * looks hangs. Looks are counted, and not the time: an agent that was held up itself has not read
 * yet what was said meanwhile.
 */
const lookEveryMs = 10_000;
const mostSilentLooks = 6;
/** Books are written at most so often (ms): SD cards wear out, and a faulty engine may not know. */
const leastMsBetweenWrites = 1_000;
const writeAgainMs = 5_000;
/** Of one that never opened its device, so many lines explain its end. */
const mostErrorLines = 2;
/** Said once in the life of an engine; `status` has how many there were. */
const reportRefused =
  'the service refused a report of what was carried, and took others: it is given up, and not paid';

export interface EngineLifeOptions {
  /** Starts the process. */
  readonly start: (
    told: Pick<EngineProcessOptions, 'onMessage' | 'onErrorLine' | 'onEnd'>,
  ) => EngineProcess;
  readonly first: ToEngine;
  /** @throws state-unwritable */
  readonly keep: (kept: KeepMessage) => Promise<void>;
  readonly onErrorLine: (line: string) => void;
  /** Told what shows how the network and consumers take to this device. */
  readonly onHeard: (message: SeenMessage | StateMessage) => void;
  /** Called whenever `report` may say something else. */
  readonly onChange: () => void;
}

/** What is known of one engine from its start to its end. */
export interface EngineLife {
  tell(message: ToEngine): void;
  /** Asks it to end, and ends it if it does not. `isFinal`: it does not come back soon. */
  stop(how: { readonly isFinal: boolean }): void;
  report(): LifeReport;
  /** How it ended, in words, and whether that was asked for. Resolves once. */
  readonly ended: Promise<{ readonly how: string; readonly wasAsked: boolean }>;
}

interface LifeReport {
  /** undefined before it said anything of the kind. */
  readonly state: StateMessage | undefined;
  /** What it counted, as it said last, also when it has ended. */
  readonly counters: EngineCounters | undefined;
  readonly problem: TributaryError | undefined;
  /** True while the platform refuses its token. */
  readonly isTokenRefused: boolean;
}

/**
 * Lives with one process of the engine: hears it, keeps its books, and ends it where it hangs. An
 * engine may be in a stranger's hand: whatever it says, it gets nothing but `kept`.
 */
export function liveWithEngine(options: EngineLifeOptions): EngineLife {
  let state: StateMessage | undefined;
  let counters: EngineCounters | undefined;
  let problem: { readonly code: string; readonly error: TributaryError } | undefined;
  let diskProblem: TributaryError | undefined;
  let fault: string | undefined;
  let hasOpened = false;
  const firstErrorLines: string[] = [];
  let hasSaidEnd = false;
  let hasToldRefused = false;
  let isAsked = false;
  const over = new AbortController();
  let isKeeping = false;
  let wroteAtMs = Number.NEGATIVE_INFINITY;
  const { promise: ended, resolve } = Promise.withResolvers<Awaited<EngineLife['ended']>>();

  const end = (why: string): void => {
    fault ??= why;
    engine.kill();
  };
  const tooLate = setTimeout(
    () => end('was ended, because it never opened its device'),
    openWithinMs,
  );
  let hanging: NodeJS.Timeout | undefined;
  let looking: NodeJS.Timeout | undefined;
  let silentLooks = 0;
  const look = (): void => {
    if (silentLooks === mostSilentLooks) end('was ended, because it said nothing for a minute');
    silentLooks += 1;
  };

  const keep = async (message: KeepMessage): Promise<void> => {
    if (isKeeping) {
      end('was ended, because it did not wait for its books');
      return;
    }
    isKeeping = true;
    const restMs = wroteAtMs + leastMsBetweenWrites - performance.now();
    if (restMs > 0 && !isAsked) await sleep(restMs, over.signal);
    while (!over.signal.aborted && !(await write(message))) await sleep(writeAgainMs, over.signal);
    isKeeping = false;
    if (!over.signal.aborted) engine.tell({ type: 'kept', number: message.number });
  };
  const write = async (message: KeepMessage): Promise<boolean> => {
    wroteAtMs = performance.now();
    const before = diskProblem;
    diskProblem = await options.keep(message).then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof TributaryError) return error;
        throw error;
      },
    );
    if (diskProblem !== before) options.onChange();
    return diskProblem === undefined;
  };

  const tellRefused = ({ reportsRefused = 0 }: EngineCounters): void => {
    if (reportsRefused > 0 && !hasToldRefused) options.onErrorLine(reportRefused);
    hasToldRefused ||= reportsRefused > 0;
  };
  const takeState = (message: StateMessage): void => {
    tellRefused(message.counters);
    const isNews = problem !== undefined || !isSameButCounted(state, message);
    state = message;
    counters = message.counters;
    if (message.problem === null) problem = undefined;
    // It counts each second while consumers are there, and nobody has to do anything about that.
    if (isNews) options.onChange();
  };
  const take = (message: FromEngine): void => {
    silentLooks = 0;
    switch (message.type) {
      case 'opened':
        clearTimeout(tooLate);
        hasOpened = true;
        looking ??= setInterval(look, lookEveryMs);
        return;
      case 'keep':
        void keep(message);
        return;
      case 'state':
        takeState(message);
        options.onHeard(message);
        return;
      case 'seen':
        options.onHeard(message);
        return;
      case 'problem':
        problem = {
          code: message.code,
          error: toSourceProblem(message.code, message.message),
        };
        options.onChange();
        return;
      case 'ended':
        hasSaidEnd = true;
        return;
      default:
        message satisfies never;
    }
  };
  const engine = options.start({
    onMessage: take,
    onErrorLine(line) {
      if (!hasOpened && firstErrorLines.length < mostErrorLines) firstErrorLines.push(line);
      options.onErrorLine(line);
    },
    onEnd(how) {
      over.abort();
      state = undefined;
      clearTimeout(tooLate);
      clearTimeout(hanging);
      clearInterval(looking);
      // What has said that it ends may end its process by a signal.
      // What starts it says there why it could not.
      const ending = hasOpened ? how : [how, ...firstErrorLines].join(': ');
      resolve({ how: fault ?? (hasSaidEnd ? 'has ended' : ending), wasAsked: isAsked });
    },
  });
  engine.tell(options.first);
  return {
    ended,
    tell: engine.tell,
    stop({ isFinal }) {
      if (isAsked) return;
      isAsked = true;
      hanging = setTimeout(() => engine.kill(), endWithinMs);
      // Its input stays open: where that ends, an engine takes the agent for gone, and reports no
      // more.
      engine.tell({ type: 'stop', final: isFinal });
    },
    report: () => ({
      state,
      counters,
      problem: diskProblem ?? problem?.error,
      isTokenRefused: problem?.code === 'token-refused',
    }),
  };
}

function isSameButCounted(one: StateMessage | undefined, other: StateMessage): boolean {
  const counters = undefined;
  return isDeepStrictEqual({ ...one, counters }, { ...other, counters });
}
