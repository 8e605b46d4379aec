import { toPlainJson } from '../../../lib/plain-text.ts';
import { defineCommand } from '../../frame/command.ts';
import { renderTable } from '../../present/text.ts';

/** Separates fields in one text: no command line can contain it. */
const separator = '\0';

export const call = defineCommand({
  usage: 'call [operation...]',
  description:
    'send any request to the service and print the answer; without one, list the operations',
  arguments: {
    operation:
      'a name of the list, such as findProviders2, whose fields are checked; or a path, such as /account/points, with a method before it if you like',
  },
  options: {
    '--field <key=value>': [
      'set a request field, repeatable; true, false, null and numbers keep their type, "1" is text; a.b=1 nests, a[]=1 appends, a=@file reads a file',
      (own) => own.default('', 'none').argParser((text, before) => `${before}${separator}${text}`),
    ],
    '--input <file>': 'the request as JSON from this file; - is standard input',
  },
  examples: {
    'tributary service call': 'every operation',
    'tributary service call find-providers2 --field count=3 --field specs[].best_available=true':
      'the three best providers',
    'tributary service call auth-client --input client.json': 'a request from a file',
    'tributary service call GET /account/points':
      'a request that is not in the list, sent as it is typed',
    'tributary service call POST /device/set-name --field device_name=attic': 'with a body',
  },
  async run(session, { words, options }, context) {
    const { callOperation, listOperations } = await import('./call-operation.ts');
    const fields = options.field.split(separator).slice(1);
    return words.length === 0
      ? listOperations()
      : callOperation(session, { ...options, words, fields }, context);
  },
  render: (answer, terminal) =>
    isList(answer)
      ? renderTable(answer, terminal, [
          { title: 'Operation', read: ({ name }) => name },
          { title: 'Method', read: ({ method }) => method },
          { title: 'Path', read: ({ path }) => path },
          { title: 'Summary', read: ({ summary }) => summary, dropOrder: 1 },
        ])
      : `${toPlainJson(answer, 2)}\n`,
});

type Listed = Readonly<Record<'name' | 'method' | 'path' | 'summary', string>>;

/** True for the list of operations. No answer of a service holds these fields. */
function isList(answer: unknown): answer is readonly Listed[] {
  return Array.isArray(answer) && answer.length > 0 && 'summary' in Object(answer[0]);
}
