import type { Prompt } from '../../../src/cli/frame/prompt.ts';
import { Secret } from '../../../src/lib/secret.ts';

/** A person at the terminal, the questions that were asked, and what was told between them. */
export interface Typist extends Prompt {
  readonly asked: readonly string[];
  readonly told: readonly string[];
}

/** A person who says yes or no to every question, and types these secrets one after the other. */
export function createTypist(answer: 'yes' | 'no', ...secrets: readonly string[]): Typist {
  const asked: string[] = [];
  const told: string[] = [];
  const left = [...secrets];
  const unasked = () => Promise.reject(new Error('nobody types that here'));
  return {
    asked,
    askText: unasked,
    choose: unasked,
    told,
    async tell(text) {
      told.push(text);
    },
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
