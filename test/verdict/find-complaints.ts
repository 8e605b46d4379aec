import { stripVTControlCharacters } from 'node:util';

/**
 * The lines of a part's output that a passing run does not print: warnings, and frames of a stack.
 * Names of tests may tell of warnings.
 */
export function findComplaints(output: string): readonly string[] {
  return stripVTControlCharacters(output)
    .split(/\r?\n/)
    .filter((line) => !/^\s*[✓↓✗×❯]/u.test(line))
    .filter((line) => warning.test(line) || frame.test(line))
    .map((line) => line.trim());
}

const warning = /warn(ing)?s?\b/i;
const frame = /^\s+at .*:\d+:\d+\)?$/;
