import { TributaryError } from '../../errors/codes.ts';
import { Secret } from '../../lib/secret.ts';

/**
 * Opens questions at this terminal; undefined unless standard input and error are terminals. Every
 * question throws usage-invalid when it is cancelled.
 */
export function openPrompt() {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return undefined;
  // Questions are written to standard error, because standard output is for the result.
  const streams = { input: process.stdin, output: process.stderr };
  return {
    /**
     * Asks for one line, with `offered` to edit. `explain` says what is wrong with a line;
     * undefined if it is accepted.
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
    /** Asks for one of the choices (value → meaning), beginning at `offered`. */
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
    /** False for a no and for an empty answer. */
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
