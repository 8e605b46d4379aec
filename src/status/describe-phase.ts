import { findChosenMode } from './chosen-mode.ts';
import type { StatusDocument } from './document.ts';

/**
 * The phase for people: an owner who pauses reads who did it and for how much longer, and not that
 * the device is idle. `timeLeft` is the words for the time until a moment.
 */
export function describePhase(
  { phase, provide, reasons }: StatusDocument,
  timeLeft: (time: string) => string,
): string {
  if (phase !== 'idle' || reasons.some(({ code }) => code === 'gateway-disabled')) return phase;
  const until = provide.override?.until;
  switch (findChosenMode(provide).chooser) {
    case 'override':
      return `paused by you${until ? `, for ${timeLeft(until)} more` : ''}`;
    case 'schedule':
      return 'paused by your schedule';
    default:
      return phase;
  }
}
