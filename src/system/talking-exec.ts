import {
  type Answer,
  type Dialect,
  findAnswer,
  isWholeJson,
  dialects as realDialects,
} from './dialects.ts';
import { SystemError } from './errors.ts';
import type { Exec, Talk } from './exec.ts';

/**
 * A kept program is replaced after this many lines: nft keeps every line it was given, and slows
 * down.
 */
const mostLines = 300;
const mostCharacters = 16 * 1024 * 1024;
const longestRestMs = 300_000;

export interface TalkingExec {
  readonly exec: Exec;
  /** Ends the kept programs. From now on every command is run as a program of its own. */
  close(): void;
}

/**
 * Runs programs, but asks a kept program where a command has lines for it. Where that program is
 * missing, stopped, of another version or without a line editor, the command is run as a program of
 * its own, so nothing depends on the conversation.
 * @param deadlineMs for each line
 */
export function createTalkingExec(
  exec: Exec,
  dialects: Record<Talk['to'], Dialect> = realDialects,
  deadlineMs = 2_500,
): TalkingExec {
  const partners = new Map(
    Object.entries(dialects).map(([to, dialect]) => [to, createPartner(dialect, deadlineMs)]),
  );
  return {
    async exec(command) {
      const { talk, program, doing } = command;
      // After such a command interfaces may have other numbers, which the kept programs would not
      // notice.
      if (talk === undefined && ['ip', 'wireguard-go'].includes(program)) {
        for (const to of ['ip', 'ip -6', 'tc']) partners.get(to)?.end();
      }
      const answer = talk && (await partners.get(talk.to)?.tell(talk));
      if (answer === undefined) return exec(command);
      if (answer.refusal === undefined) return answer.text;
      throw new SystemError(
        'command-failed',
        `${doing}: ${program} refused: ${answer.refusal.slice(0, 400)}`,
      );
    },
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
    // `kept` may be replaced while this waits, because another command can end it.
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
    // A first failure may be chance and makes no pause; later failures make growing pauses.
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
     * Tells the lines in order, after the lines of earlier calls, up to the first that is refused;
     * undefined where not all were answered, so that the command has to be done in another way.
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
 * Starts the program in a process group of its own, so that Ctrl-C leaves it alive for the
 * tear-down. It ends when its standard input closes, after our kill -9 too.
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
  // An error of the pipe means that the program has ended, which is handled below.
  child.stdin.on('error', () => undefined);
  void child.then(() => {
    isOver = true;
    listen();
  });
  return {
    isProven: false,
    isOver: () => isOver,
    lines: () => lines,
    /** Sends a line; undefined where the program ended, took too long or printed too much. */
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
          // What was printed earlier on the other stream is read in this round of events, so it is
          // looked at after it.
          setImmediate(() => finish(findAnswer(heard, marker, dialect)));
        };
        child.stdin.write(`${line}\n${marker}\n`);
      }),
    end: () => void child.kill('SIGKILL'),
  };
}
