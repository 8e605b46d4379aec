import { TributaryError } from '../../errors/codes.ts';
import { Secret } from '../../lib/secret.ts';

/**
 * Questions here; undefined unless standard input and error are terminals. All throw usage-invalid
 * when cancelled.
 */
export function openPrompt() {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return undefined;
  // Questions go to standard error: standard output is for the result.
  const streams = { input: process.stdin, output: process.stderr };
  return {
    /**
     * One line, with `offered` to change; `explain` says what is wrong with it, undefined where it
     * may be taken.
     */
    async askText(
      question: string,
      offered: string,
      explain: (typed: string) => string | undefined,
    ) {
      const { text } = await import('@clack/prompts');
      const validate = (typed: string | undefined) => explain(typed?.trim() ?? '');
      return (
        given(
          await text({ message: question, initialValue: offered, validate, ...streams }),
        )?.trim() ?? ''
      );
    },
    /** One of the choices (value → what it means), beginning at `offered`. */
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
    /** False for no, and for an empty answer. */
    async confirm(question: string) {
      const { confirm } = await import('@clack/prompts');
      return given(await confirm({ message: question, initialValue: false, ...streams }));
    },
    async askSecret(question: string) {
      const { password } = await import('@clack/prompts');
      const validate = (typed: string | undefined) =>
        typed?.trim() ? undefined : 'Nothing was typed.';
      return new Secret(given(await password({ message: question, validate, ...streams })));
    },
  };
}

/** Ctrl-C comes as a symbol. */
function given<Answer>(answer: Answer): Exclude<Answer, symbol> {
  if (typeof answer !== 'symbol') return answer as Exclude<Answer, symbol>;
  throw new TributaryError('usage-invalid', 'cancelled: nothing was changed', { action: '' });
}

/** Standard input to its end. @throws usage-invalid where it is longer than `limitBytes` */
export async function readStandardInput(limitBytes: number): Promise<string> {
  let text = '';
  for await (const part of process.stdin.setEncoding('utf8')) {
    text += part;
    if (text.length > limitBytes)
      throw new TributaryError('usage-invalid', 'reading standard input: it is too long');
  }
  return text;
}
