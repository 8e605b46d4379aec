import { TributaryError } from '../lib/errors.ts';
import {
  type Answer,
  type Dialect,
  findAnswer,
  isWholeJson,
  dialects as realDialects,
} from './dialects.ts';
import type { Exec, Talk } from './exec.ts';

/** nft keeps every line that it was given, and slows down. */
const mostLines = 300;
const mostCharacters = 16 * 1024 * 1024;
const longestRestMs = 300_000;

/**
 * Runs programs, but tells kept ones what a command has lines for. Where one cannot be talked with
 * (missing, stopped, without a line editor, of another version), the command is run as a program of
 * its own: nothing depends on the conversation.
 * @param deadlineMs for each line
 */
export function createTalkingExec(
  exec: Exec,
  dialects: Record<Talk['to'], Dialect> = realDialects,
  deadlineMs = 2_500,
) {
  const partners = new Map(
    Object.entries(dialects).map(([to, dialect]) => [to, createPartner(dialect, deadlineMs)]),
  );
  return {
    exec: (async (command) => {
      const { talk, program, doing } = command;
      // Interfaces may have other numbers after it, which kept ones would not notice.
      if (talk === undefined && ['ip', 'wireguard-go'].includes(program)) {
        for (const to of ['ip', 'ip -6', 'tc']) partners.get(to)?.end();
      }
      const answer = talk && (await partners.get(talk.to)?.tell(talk));
      if (answer === undefined) return exec(command);
      if (answer.refusal === undefined) return answer.text;
      throw new TributaryError(
        'command-failed',
        `${doing}: ${program} refused: ${answer.refusal.slice(0, 400)}`,
      );
    }) satisfies Exec,
    /** Ends the kept programs; from now on everything is run as a program of its own. */
    close() {
      for (const partner of partners.values()) partner.close();
    },
  };
}

function createPartner(dialect: Dialect, deadlineMs: number) {
  let kept: Kept | undefined;
  let failures = 0;
  let restUntilMs = Number.NEGATIVE_INFINITY;
  let turn: Promise<unknown> = Promise.resolve();
  const end = () => {
    kept?.end();
    kept = undefined;
  };
  const idle = setTimeout(end, dialect.idleMs).unref();
  const give = async (line: string, talk: Talk): Promise<Answer | undefined> => {
    const { isChange = false } = talk;
    if (performance.now() < restUntilMs) return undefined;
    if (kept === undefined || kept.isOver() || kept.lines() >= mostLines) {
      end();
      kept = await startKept(dialect, deadlineMs);
    }
    if (
      isChange &&
      !kept.isProven &&
      (await give(dialect.test, { ...talk, isChange: false })) === undefined
    )
      return undefined;
    // Another command may end it meanwhile.
    const asked = kept;
    const answer = await asked?.give(line);
    if (
      answer !== undefined &&
      (isChange || answer.refusal !== undefined || dialect.isPlain || isWholeJson(answer.text))
    ) {
      failures = 0;
      if (asked !== undefined) asked.isProven = true;
      return answer;
    }
    end();
    failures += 1;
    // Not after the first: it may have been ended by chance.
    restUntilMs = performance.now() + Math.min(longestRestMs, 1_000 * (4 ** failures - 4));
    return undefined;
  };
  const tell = async (talk: Talk) => {
    let text = '';
    for (const line of talk.lines) {
      const answer = await give(line, talk);
      if (answer === undefined || answer.refusal !== undefined) return answer;
      text += answer.text;
    }
    return { text };
  };
  return {
    end,
    /**
     * In turn, up to the first line that is refused; undefined: not all of it was answered, so it
     * has to be done another way.
     */
    tell(talk: Talk): Promise<Answer | undefined> {
      idle.refresh();
      const told = turn.then(() => tell(talk));
      turn = told;
      return told;
    },
    close() {
      restUntilMs = Number.POSITIVE_INFINITY;
      end();
    },
  };
}

type Kept = Awaited<ReturnType<typeof startKept>>;

/**
 * In a group of its own, so that Ctrl-C leaves it to the tear-down. It ends with its standard
 * input, at our kill -9 too.
 */
async function startKept(dialect: Dialect, deadlineMs: number) {
  const { execa } = await import('execa');
  const [program, ...args] = dialect.argv;
  const child = execa(program, args, {
    // nft would keep a history in the home, or at / without one. The two settings of malloc give
    // back the memory that an answer took.
    env: { LC_ALL: 'C', HOME: '/dev/null', MALLOC_TRIM_THRESHOLD_: '0', MALLOC_TOP_PAD_: '0' },
    stdin: 'pipe',
    buffer: false,
    reject: false,
    detached: true,
  });
  const heard = { out: '', err: '' };
  let [isOver, lines, listen] = [false, 0, (): void => undefined];
  for (const [stream, name] of [[child.stdout, 'out'] as const, [child.stderr, 'err'] as const]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      heard[name] += text;
      listen();
    });
  }
  // Its end is noticed below.
  child.stdin.on('error', () => undefined);
  void child.then(() => {
    isOver = true;
    listen();
  });
  return {
    isProven: false,
    isOver: () => isOver,
    lines: () => lines,
    /** undefined: it ended, took too long or said too much. */
    give: (line: string) =>
      new Promise<Answer | undefined>((resolve) => {
        lines += 1;
        const marker = `marker-${lines}`;
        Object.assign(heard, { out: '', err: '' });
        const finish = (answer?: Answer) => {
          clearTimeout(timer);
          listen = () => undefined;
          resolve(answer);
        };
        const timer = setTimeout(finish, deadlineMs);
        listen = () => {
          if (isOver || heard.out.length + heard.err.length > mostCharacters) return finish();
          if (findAnswer(heard, marker, dialect) === undefined) return;
          listen = () => undefined;
          // What was said before it on the other stream is read in the same round.
          setImmediate(() => finish(findAnswer(heard, marker, dialect)));
        };
        child.stdin.write(`${line}\n${marker}\n`);
      }),
    end: () => void child.kill('SIGKILL'),
  };
}
