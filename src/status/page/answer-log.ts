import { TributaryError } from '../../errors/codes.ts';
import { createJsonAnswer, type StatusAnswer } from '../answers.ts';
import type { StatusSource } from '../source.ts';
import { createWallClock } from './clock.ts';

/** The log's last lines as texts, each with its time by the owner's clock. */
export function answerLog({ logLines, facts, control }: StatusSource): StatusAnswer {
  const clock = createWallClock(facts().timeZone);
  const lines = (logLines?.() ?? []).map(
    ({ at, text }) => `${clock.formatClockSeconds(at)} ${text}`,
  );
  return createJsonAnswer(200, { lines, canRestart: control.restart !== undefined });
}

/** Ends the agent once the answer is on its way. @throws not-allowed */
export function answerRestart({ control: { restart } }: StatusSource): StatusAnswer {
  if (restart === undefined)
    throw new TributaryError(
      'not-allowed',
      'nobody is known to start this agent again, so it stays as it is: restart it where it was started',
    );
  setTimeout(restart, answerFirstMs);
  return createJsonAnswer(200, { restarting: true });
}

const answerFirstMs = 200;
