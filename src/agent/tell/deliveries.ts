import type { Facts } from '../../health/facts.ts';
import { minuteMs } from '../../lib/units.ts';
import type { Notifier, Outcome } from '../../report/notifier.ts';
import { isLoopback } from '../../service/url.ts';

/** A receiver that has taken nothing for a while; `sinceMs` is by `performance.now()`. */
export interface FailingReceiver extends Pick<Notifier<unknown>, 'name' | 'host'> {
  readonly reason: string;
  /** True where it refused the last message, which is not sent again. */
  readonly isRefusing: boolean;
  readonly since: Date;
  readonly sinceMs: number;
}

/** Called with the outcome of each try to deliver to a receiver. */
export type NoteDelivery = (
  receiver: Pick<Notifier<unknown>, 'name' | 'host'>,
  outcome: Outcome,
) => void;

/** Keeps in `section` which receivers take nothing. */
export function createNoteDelivery(
  section: { failing: readonly FailingReceiver[] },
  now: () => Date,
): NoteDelivery {
  return ({ name, host }, outcome) => {
    const before = section.failing.find((own) => own.name === name);
    const others = section.failing.filter((own) => own.name !== name);
    if (outcome.kind === 'delivered') {
      section.failing = others;
      return;
    }
    const { since, sinceMs } = before ?? { since: now(), sinceMs: performance.now() };
    const { reason, kind } = outcome;
    const isRefusing = kind === 'refused';
    section.failing = [...others, { name, host, reason, isRefusing, since, sinceMs }];
  };
}

/** A receiver that is started again, or a line that is gone for a moment, is not worth a note. */
const patienceMs = 5 * minuteMs;

/**
 * Why a receiver that the owner configured gets nothing; undefined where all is delivered, and for
 * the first minutes. One at loopback cannot be reached from a namespace of the agent's own, so that
 * is said at once.
 */
export function explainUndelivered(
  failing: readonly FailingReceiver[],
  { isInside, nowMs }: { readonly isInside: boolean; readonly nowMs: number },
): Facts['undelivered'] {
  const isNowhere = ({ host }: FailingReceiver) =>
    isInside && isLoopback(new URL(`http://${host}`).hostname);
  const lasting = failing.filter((own) => isNowhere(own) || nowMs - own.sinceMs >= patienceMs);
  const [first] = lasting;
  if (first === undefined) return undefined;
  const each = lasting.map((own) => {
    const why = isNowhere(own)
      ? "from the agent's own network that address leads nowhere; write this host's address in your network (ip -br address)"
      : own.reason;
    const receiver = `report.${own.name} (${own.host})`;
    return own.isRefusing
      ? `${receiver} did not take the last report: ${why}; the next one is tried again.`
      : `${receiver} gets nothing: ${why}.`;
  });
  const message = `${each.join(' ')} Sharing goes on.`;
  return { code: 'report-undelivered', message, since: first.since };
}
