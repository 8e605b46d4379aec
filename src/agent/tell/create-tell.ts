import type { Config } from '../../config/schema.ts';
import { toUndefined } from '../../errors/codes.ts';
import { every, type Loop } from '../run-loop.ts';
import type { OpenedState, Shared } from '../state.ts';
import { openKeptEvents } from './kept-events.ts';
import { createLedgerLoop, type LedgerLoop } from './ledger-loop.ts';
import { createPhaseNotes, type PhaseNotes } from './phase-notes.ts';
import { createReport, createReportLoop, delayClock } from './report-loop.ts';

export interface TellParts
  extends Pick<
    Shared,
    | 'wakeups'
    | 'client'
    | 'profile'
    | 'facts'
    | 'log'
    | 'now'
    | 'random'
    | 'directory'
    | 'onSetAside'
  > {
  readonly config: Pick<Config, 'report' | 'provide'>;
  readonly opened: Pick<OpenedState, 'state' | 'sections' | 'confirmedMode'>;
}

/** Everything that tells the owner what happens, except the notifiers: log, reports and ledger. */
export interface Tell {
  readonly loops: readonly Loop[];
  readonly phaseNotes: PhaseNotes;
  /** undefined where no ledger is kept. */
  readonly ledger: LedgerLoop | undefined;
  /** Writes what the loops wrote last; called once, after they have ended. */
  close(): Promise<void>;
}

/** Events are written at most this often (ms), and at the end. */
const keepEventsMs = 60_000;

export async function createTell(parts: TellParts): Promise<Tell> {
  const { config, opened, wakeups, client, profile, facts, log, now, random, directory } = parts;
  const { state, sections, confirmedMode } = opened;
  const ledger = config.report.ledger
    ? createLedgerLoop({
        state,
        ledger: sections.ledger,
        client,
        profile,
        facts,
        log,
        now,
        random,
        directory,
      })
    : undefined;
  const report = createReport({
    state,
    figures: sections.figures,
    confirmedMode,
    history: ledger?.history,
    client,
    profile,
    facts,
    log,
    now,
    wakeups,
  });
  const reportLoop = createReportLoop({
    cron: config.report.cron,
    timeZone: config.provide.time_zone,
    report,
    facts,
    now: () => delayClock(now(), state.service.registration?.installId),
    random,
  });
  const { earlier, keep } = await openKeptEvents({ directory, onSetAside: parts.onSetAside });
  const phaseNotes = createPhaseNotes({ facts, log, now, earlier });
  // A disk that takes nothing is named by those whose writing matters.
  const keepEvents = () => keep(phaseNotes.recent.events()).catch(toUndefined('state-unwritable'));
  const events = every({
    name: 'events',
    isOptional: true,
    isOnBeat: true,
    firstAfterMs: keepEventsMs,
    waitMs: keepEventsMs,
    work: keepEvents,
  });
  return {
    loops: [reportLoop, ...(ledger === undefined ? [] : [ledger]), events],
    phaseNotes,
    ledger,
    async close() {
      await Promise.all([keepEvents(), ledger?.close()]);
    },
  };
}
