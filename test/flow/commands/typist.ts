import type { Prompt } from '../../../src/cli/frame/prompt.ts';
import { Secret } from '../../../src/lib/secret.ts';

/** A person at the terminal, and the questions that were asked. */
export interface Typist extends Prompt {
  readonly asked: readonly string[];
}

/** A person who says yes or no to every question, and types these secrets one after the other. */
export function createTypist(answer: 'yes' | 'no', ...secrets: readonly string[]): Typist {
  const asked: string[] = [];
  const left = [...secrets];
  const unasked = () => Promise.reject(new Error('nobody types that here'));
  return {
    asked,
    askText: unasked,
    choose: unasked,
    tell: async () => undefined,
    async confirm(question) {
      asked.push(question);
      return answer === 'yes';
    },
    async askSecret(question) {
      asked.push(question);
      return new Secret(left.shift() ?? '');
    },
  };
}
