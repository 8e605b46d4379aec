import type { ProblemCode, ProblemMessage } from './messages.ts';
import { type Problem, tokenRefused } from './name-problem.ts';

/** What is in the way now, told once each time that it is something else. */
export interface Problems {
  /** What is in the way in this place, or undefined where nothing is any more. */
  set(place: ProblemPlace, problem: Problem | undefined): void;
  current(): ProblemCode | null;
}

/** From the one that explains most: without a device or a token, all else is of no importance. */
const places = ['device', 'token', 'socket', 'control'] as const;
type ProblemPlace = (typeof places)[number];

export function createProblems(options: {
  readonly tell: (message: ProblemMessage) => void;
  /** Something else is in the way, or nothing any more. */
  readonly onChange: () => void;
}): Problems {
  const known = new Map<ProblemPlace, Problem>();
  let told: Problem | undefined;
  const find = (): Problem | undefined =>
    places.map((place) => known.get(place)).find((one) => one !== undefined);
  return {
    set(place, problem) {
      // A refused token has a place of its own, which a renewed one clears.
      if (problem === tokenRefused && place !== 'token') return;
      if (problem === undefined) known.delete(place);
      else known.set(place, problem);
      const now = find();
      if (now?.code === told?.code) return;
      if (now !== undefined) options.tell({ type: 'problem', ...now });
      options.onChange();
      told = now;
    },
    current: () => find()?.code ?? null,
  };
}
