import { Secret } from '../lib/secret.ts';
import type { Prompt } from './context.ts';
import { refuse } from './refuse.ts';

const cancelled = 'cancelled: nothing was changed';

/** The prompt at this terminal; undefined where standard input or standard error is no terminal. */
export function openPrompt(): Prompt | undefined {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return undefined;
  // Questions go to standard error: standard output is for the result.
  const streams = { input: process.stdin, output: process.stderr };
  return {
    async askText(question, offered, explain) {
      const { isCancel, text } = await import('@clack/prompts');
      const validate = (typed: string | undefined) => explain(typed?.trim() ?? '');
      const answer = await text({ message: question, initialValue: offered, validate, ...streams });
      if (isCancel(answer)) throw refuse(cancelled);
      return answer?.trim() ?? '';
    },
    async choose<Value extends string>(question: string, offered: Value, choices: Readonly<Record<Value, string>>) {
      const { isCancel, select } = await import('@clack/prompts');
      const entries = Object.entries<string>(choices);
      const options = entries.map(([value, meaning]) => ({ value, label: `${value}: ${meaning}` }));
      const answer = await select({ message: question, initialValue: offered, options, ...streams });
      if (isCancel(answer)) throw refuse(cancelled);
      return answer as Value;
    },
    async confirm(question) {
      const { confirm, isCancel } = await import('@clack/prompts');
      const answer = await confirm({ message: question, initialValue: false, ...streams });
      if (isCancel(answer)) throw refuse(cancelled);
      return answer;
    },
    async askSecret(question) {
      const { isCancel, password } = await import('@clack/prompts');
      const validate = (typed: string | undefined) => (typed?.trim() ? undefined : 'Nothing was typed.');
      const answer = await password({ message: question, validate, ...streams });
      if (isCancel(answer)) throw refuse(cancelled);
      return new Secret(answer);
    },
  };
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
