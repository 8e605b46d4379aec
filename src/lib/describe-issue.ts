import type * as z from 'zod';

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a group of fields',
  record: 'a group of fields',
};

/** What is wrong with a value, in the words of a person who filled in a form. */
export function describeIssue(issue: z.core.$ZodIssue | undefined): string {
  if (issue === undefined) return 'it has another form';
  if (issue.code === 'invalid_value')
    return `it must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code !== 'invalid_type') return issue.message.replace(/^Invalid input: /, '');
  if (issue.message.endsWith('received undefined')) return 'it is missing';
  return `it must be ${kinds[issue.expected] ?? issue.expected}`;
}
