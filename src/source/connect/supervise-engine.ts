import { TributaryError, toFailure } from '../../errors/codes.ts';
import { computeBackoffMs } from '../../lib/backoff.ts';
import type { RunFigures } from '../source-report.ts';
import { addEngine, noFigures } from './consumer-figures.ts';
import type { EngineFiles } from './engine-files.ts';
import { type EngineLife, type EngineLifeOptions, liveWithEngine } from './engine-life.ts';
import { believeRate, type EngineOrder, planMessages, toStartMessage } from './engine-order.ts';
import type { MarketWatch } from './market-watch.ts';

/** Keeps the engine that is wanted running: at most one, whatever happens. */
export interface EngineSupervisor {
  /**
   * What is wanted from now on; undefined for no engine, for longer than a restart. It may be said
   * again as often as one likes.
   */
  want(order: EngineOrder | undefined): void;
  report(): EngineReport;
  /** Ends the engine for a restart of the agent, and resolves when it has ended. */
  close(): Promise<void>;
}

export interface EngineReport extends Omit<ReturnType<EngineLife['report']>, 'counters'> {
  /** Of every engine since the agent started. */
  readonly figures: RunFigures;
  /** How often an engine was started. */
  readonly starts: number;
}

export interface EngineSupervisorParts {
  readonly files: EngineFiles;
  readonly market: Pick<MarketWatch, 'open' | 'take'>;
  /** Resolves with what starts the next process. @throws engine-failed */
  readonly prepare: () => Promise<EngineLifeOptions['start']>;
  readonly appVersion: string;
  /** A new UUID for each process. */
  readonly newInstanceId: () => string;
  readonly random: () => number;
  /** For the log: what it writes to standard error, and how it ended. */
  readonly onSaid: (line: string) => void;
  /** Called whenever `report` may say something else. */
  readonly onChange: () => void;
}

/** The first wait after a failure is at least this long (ms). */
const leastRestMs = 500;
const again = { baseMs: 1_000, maxMs: 60_000 };
/** An engine that ran longer than this (ms) has ended for no lasting cause. */
const wellMs = 60_000;

interface Running {
  order: EngineOrder;
  readonly life: EngineLife;
}

export function superviseEngine(parts: EngineSupervisorParts): EngineSupervisor {
  let wanted: EngineOrder | undefined;
  let running: Running | undefined;
  let starting: Promise<void> | undefined;
  let resting: NodeJS.Timeout | undefined;
  let failure: TributaryError | undefined;
  let failures = 0;
  /** Of those that have ended. */
  let figures = noFigures;
  let starts = 0;
  let isClosed = false;

  /**
   * The next start is after a while, longer after each failure; but at once where the engine ran
   * well until then: consumers are in the middle of something.
   */
  const rest = (error: TributaryError, { ranWell } = { ranWell: false }): void => {
    failure = error;
    failures = ranWell ? 1 : failures + 1;
    const restMs = leastRestMs + computeBackoffMs(failures, again, parts.random);
    resting = setTimeout(
      () => {
        resting = undefined;
        advance();
      },
      ranWell ? 0 : restMs,
    );
    parts.onChange();
  };

  const start = async (order: EngineOrder): Promise<void> => {
    const { clientId } = order;
    const prepared = await Promise.all([
      parts.files.load(clientId),
      parts.prepare(),
      parts.market.open(clientId),
    ]).catch(toFailure());
    if (prepared instanceof TributaryError) {
      rest(prepared);
      return;
    }
    // What is wanted may have changed meanwhile.
    if (wanted === undefined || isClosed) return;
    const [heritage, startProcess] = prepared;
    const process = { instanceId: parts.newInstanceId(), appVersion: parts.appVersion };
    const startedAtMs = performance.now();
    starts += 1;
    const life = liveWithEngine({
      start: startProcess,
      first: toStartMessage(order, heritage, process),
      keep: (kept) => parts.files.keep(clientId, kept),
      onErrorLine: parts.onSaid,
      onHeard: (message) => parts.market.take(believeRate(message, order)),
      onChange() {
        if (life.report().state !== undefined) failure = undefined;
        parts.onChange();
      },
    });
    running = { order, life };
    void life.ended.then(({ how, wasAsked }) => {
      running = undefined;
      figures = addEngine(addEngine(figures, life.report().counters), undefined);
      parts.onSaid(`the engine ${how}`);
      const ranWell = performance.now() - startedAtMs > wellMs;
      if (wasAsked) advance();
      else rest(life.report().problem ?? explainEnd(how), { ranWell });
    });
  };

  const advance = (): void => {
    if (isClosed) return;
    if (running !== undefined) {
      adapt(running);
      return;
    }
    if (wanted === undefined || starting !== undefined || resting !== undefined) return;
    starting = start(wanted).finally(() => {
      starting = undefined;
      // What was wanted meanwhile is said to the one that runs now.
      advance();
    });
  };

  const adapt = (present: Running): void => {
    const messages = wanted && planMessages(present.order, wanted);
    if (wanted === undefined || messages === undefined) {
      present.life.stop({ isFinal: wanted === undefined });
      return;
    }
    for (const message of messages) present.life.tell(message);
    present.order = wanted;
  };

  return {
    want(order) {
      wanted = order;
      if (order === undefined) {
        clearTimeout(resting);
        [resting, failure, failures] = [undefined, undefined, 0];
      }
      advance();
    },
    report() {
      const { state, counters, problem, isTokenRefused = false } = running?.life.report() ?? {};
      return {
        state,
        figures: addEngine(figures, counters),
        problem: problem ?? failure,
        isTokenRefused,
        starts,
      };
    },
    async close() {
      isClosed = true;
      clearTimeout(resting);
      await starting;
      running?.life.stop({ isFinal: false });
      await running?.life.ended;
    },
  };
}

function explainEnd(how: string): TributaryError {
  const message = `the program that speaks the network's protocol ${how}; it is started again`;
  return new TributaryError('engine-failed', message);
}
