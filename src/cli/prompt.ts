import { Secret } from '../lib/secret.ts';
import type { Prompt } from './context.ts';
import { refuse } from './refuse.ts';

/** The prompt at this terminal; undefined where standard input or standard error is no terminal. */
export function openPrompt(): Prompt | undefined {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return undefined;
  // Questions go to standard error: standard output is for the result.
  const streams = { input: process.stdin, output: process.stderr };
  return {
    async askText(question, offered, explain) {
      const { text } = await import('@clack/prompts');
      const validate = (typed: string | undefined) => explain(typed?.trim() ?? '');
      return given(await text({ message: question, initialValue: offered, validate, ...streams }))?.trim() ?? '';
    },
    async choose<Value extends string>(question: string, offered: Value, choices: Readonly<Record<Value, string>>) {
      const { select } = await import('@clack/prompts');
      const entries = Object.entries<string>(choices);
      const options = entries.map(([value, meaning]) => ({ value, label: `${value}: ${meaning}` }));
      return given(await select({ message: question, initialValue: offered, options, ...streams })) as Value;
    },
    async confirm(question) {
      const { confirm } = await import('@clack/prompts');
      return given(await confirm({ message: question, initialValue: false, ...streams }));
    },
    async askSecret(question) {
      const { password } = await import('@clack/prompts');
      const validate = (typed: string | undefined) => (typed?.trim() ? undefined : 'Nothing was typed.');
      return new Secret(given(await password({ message: question, validate, ...streams })));
    },
  };
}

/** A symbol stands for Ctrl-C. */
function given<Answer>(answer: Answer): Exclude<Answer, symbol> {
  if (typeof answer === 'symbol') throw refuse('cancelled: nothing was changed');
  return answer as Exclude<Answer, symbol>;
}

/** Standard input to its end. @throws usage-invalid where it is longer than `limitBytes` */
export async function readStandardInput(limitBytes: number): Promise<string> {
  let text = '';
  for await (const part of process.stdin.setEncoding('utf8')) {
    text += part;
    if (text.length > limitBytes) throw refuse('reading standard input: it is too long');
  }
  return text;
}
