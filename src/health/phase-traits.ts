import type { Phase } from './phase.ts';

/**
 * How a line is shown where there are colours. `bad`: the owner has to fix something. `warning`:
 * nothing is shared, but it may become so without the owner. `plain`: nothing is shared, as the
 * owner wants it.
 */
export type Tone = 'good' | 'warning' | 'bad' | 'plain';

/** What a phase means to those who only ask whether all is well. */
export interface PhaseTraits {
  /** A restart could improve nothing: the health check passes, and setup is content. */
  readonly isWell: boolean;
  /** Traffic passes, or would if the mode let it: `/readyz` answers 200. */
  readonly isReady: boolean;
  /** On the page and at the terminal. */
  readonly tone: Tone;
}

export const phaseTraits: Readonly<Record<Phase, PhaseTraits>> = {
  providing: { isWell: true, isReady: true, tone: 'good' },
  idle: { isWell: true, isReady: true, tone: 'plain' },
  paused: { isWell: true, isReady: false, tone: 'warning' },
  connecting: { isWell: false, isReady: false, tone: 'warning' },
  registering: { isWell: false, isReady: false, tone: 'warning' },
  stopping: { isWell: false, isReady: false, tone: 'warning' },
  'signed-out': { isWell: false, isReady: false, tone: 'bad' },
  blocked: { isWell: false, isReady: false, tone: 'bad' },
};

/** True where nothing is shared until the owner does something. */
export function isOwnersTurn(phase: Phase): boolean {
  return phaseTraits[phase].tone === 'bad';
}
