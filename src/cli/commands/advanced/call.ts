import { toPlainJson } from '../../../lib/plain-text.ts';
import { defineCommand } from '../../frame/command.ts';
import { renderTable } from '../../present/text.ts';

/** Separates fields in one text: no command line can contain it. */
const separator = '\0';

export const call = defineCommand({
  usage: 'call [operation]',
  description:
    'send any request to the service and print the answer; without an operation, list them all',
  arguments: { operation: 'its name, such as findProviders2, or its path' },
  options: {
    '--field <key=value>': [
      'set a request field, repeatable; true, false, null and numbers keep their type, "1" is text; a.b=1 nests, a[]=1 appends, a=@file reads a file',
      (own) => own.default('', 'none').argParser((text, before) => `${before}${separator}${text}`),
    ],
    '--input <file>': 'the request as JSON from this file; - is standard input',
  },
  examples: {
    'tributary call': 'every operation',
    'tributary call find-providers2 --field count=3 --field specs[].best_available=true':
      'the three best providers',
    'tributary call auth-client --input client.json': 'a request from a file',
  },
  async run(session, { words: [text], options }, context) {
    const { callOperation, listOperations } = await import('./call-operation.ts');
    const fields = options.field.split(separator).slice(1);
    return text === undefined
      ? listOperations()
      : callOperation(session, { ...options, text, fields }, context);
  },
  render: (answer, terminal) =>
    Array.isArray(answer)
      ? renderTable(answer, terminal, [
          { title: 'Operation', read: ({ name }) => name },
          { title: 'Method', read: ({ method }) => method },
          { title: 'Path', read: ({ path }) => path },
          { title: 'Summary', read: ({ summary }) => summary, dropOrder: 1 },
        ])
      : `${toPlainJson(answer, 2)}\n`,
});
