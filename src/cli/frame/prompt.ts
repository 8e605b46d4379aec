import { TributaryError } from '../../errors/codes.ts';
import { Secret } from '../../lib/secret.ts';

/**
 * Asks the person at the terminal, one question after the other. Questions go to standard error,
 * because standard output is for the result. Each throws usage-invalid when it is cancelled.
 */
export interface Prompt {
  /**
   * Asks for one line, with `offered` to edit; white space around it is removed. `explain` says
   * what is wrong with a line; undefined if it is accepted.
   */
  askText(
    question: string,
    offered: string,
    explain: (typed: string) => string | undefined,
  ): Promise<string>;
  /** Asks for one of the choices (value → meaning), beginning at `offered`. */
  choose<Value extends string>(
    question: string,
    offered: Value,
    choices: Readonly<Record<Value, string>>,
  ): Promise<Value>;
  /** False for a no and for an empty answer. */
  confirm(question: string): Promise<boolean>;
  /** Shows a text between two questions, each of its lines broken where the terminal ends. */
  tell(text: string): Promise<void>;
  /** Asks for a secret, which is not shown while it is typed and is never empty. */
  askSecret(question: string): Promise<Secret>;
}

/** undefined unless standard input and standard error are terminals. */
export function openPrompt(): Prompt | undefined {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return undefined;
  const streams = { input: process.stdin, output: process.stderr };
  return {
    async askText(question, offered, explain) {
      const { text } = await import('@clack/prompts');
      const validate = (typed: string | undefined) => explain(typed?.trim() ?? '');
      return (
        given(
          await text({ message: question, initialValue: offered, validate, ...streams }),
        )?.trim() ?? ''
      );
    },
    async choose<Value extends string>(
      question: string,
      offered: Value,
      choices: Readonly<Record<Value, string>>,
    ) {
      const { select } = await import('@clack/prompts');
      const entries = Object.entries<string>(choices);
      const options = entries.map(([value, meaning]) => ({ value, label: `${value}: ${meaning}` }));
      return given(
        await select({ message: question, initialValue: offered, options, ...streams }),
      ) as Value;
    },
    async confirm(question) {
      const { confirm } = await import('@clack/prompts');
      return given(await confirm({ message: question, initialValue: false, ...streams }));
    },
    async tell(told) {
      const { log } = await import('@clack/prompts');
      const { wrapText } = await import('../../status/wrap.ts');
      const width = Math.max(40, (process.stderr.columns ?? 80) - 4);
      const lines = told.split('\n').flatMap((line) => wrapText(line, { width, first: '' }));
      log.message(lines, { output: process.stderr });
    },
    async askSecret(question) {
      const { password } = await import('@clack/prompts');
      const validate = (typed: string | undefined) =>
        typed?.trim() ? undefined : 'Nothing was typed.';
      return new Secret(given(await password({ message: question, validate, ...streams })));
    },
  };
}

/** Ctrl-C is answered as a symbol. */
function given<Answer>(answer: Answer): Exclude<Answer, symbol> {
  if (typeof answer !== 'symbol') return answer as Exclude<Answer, symbol>;
  throw new TributaryError('usage-invalid', 'cancelled: nothing was changed', { action: '' });
}

/** Reads standard input to its end. @throws usage-invalid if it is longer than `limitBytes` */
export async function readStandardInput(limitBytes: number): Promise<string> {
  let text = '';
  for await (const part of process.stdin.setEncoding('utf8')) {
    text += part;
    if (text.length > limitBytes)
      throw new TributaryError('usage-invalid', 'reading standard input: it is too long');
  }
  return text;
}
