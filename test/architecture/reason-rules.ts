import { reasonCodes } from '../../src/health/reasons.ts';
import type { Module } from './module-graph.ts';
import type { Rule } from './rule.ts';

/** These files list codes, or say what to do about them. None of them makes a reason. */
const lists: readonly string[] = [
  'src/errors/codes.ts',
  'src/service/errors.ts',
  'src/system/errors.ts',
  'src/health/reasons.ts',
  'src/cli/frame/advice.ts',
];

export const reasonRules: readonly Rule[] = [
  {
    name: 'every code that status can name is made somewhere',
    reason: 'an owner would read in the troubleshooting page about what never happens',
    find: (modules) =>
      reasonCodes
        .filter((code) => !modules.some((module) => makes(module, code)))
        .map((code) => `nothing makes ${code}: a state is made in src/health/phase.ts`),
    broken: [{ 'src/health/reasons.ts': reasonCodes.map((code) => `'${code}';`).join('\n') }],
  },
];

function makes({ path, code: text }: Module, code: string): boolean {
  return (
    !lists.includes(path) &&
    !path.startsWith('src/reference-service/') &&
    text.includes(`'${code}'`)
  );
}
