import type { Config } from '../../config/schema.ts';
import type { Loop } from '../run-loop.ts';
import type { OpenedState, Shared } from '../state.ts';
import { createLedgerLoop, type LedgerLoop } from './ledger-loop.ts';
import { createPhaseNotes, type PhaseNotes } from './phase-notes.ts';
import { createReport, createReportLoop, delayClock } from './report-loop.ts';

export interface TellParts
  extends Pick<
    Shared,
    'wakeups' | 'client' | 'profile' | 'facts' | 'log' | 'now' | 'random' | 'directory'
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
}

export function createTell(parts: TellParts): Tell {
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
  return {
    loops: [reportLoop, ...(ledger === undefined ? [] : [ledger])],
    phaseNotes: createPhaseNotes({ facts, log, now }),
    ledger,
  };
}
