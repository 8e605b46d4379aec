import { type ESTree, Visitor } from 'rolldown/utils';

/**
 * Work of a file that nobody waits for, each by its first line: a call whose promise `void` throws
 * away, and a chain of `.then`, `.catch` or `.finally` that is a statement of its own. Without
 * types, a call that only fills a list or writes a line is known by its name. The line by which a
 * program starts itself, outside of every function, counts for nothing: the process waits for it.
 */
export function findDroppedWork(program: ESTree.Program, text: string): readonly string[] {
  const found: string[] = [];
  const starts = program.body.map(({ start }) => start);
  const add = ({ start, end }: { readonly start: number; readonly end: number }) => {
    if (starts.includes(start)) return;
    found.push(text.slice(start, end).split('\n')[0]?.slice(0, 100) ?? '');
  };
  new Visitor({
    UnaryExpression: (node) => {
      const { operator, argument } = node;
      if (operator !== 'void' || argument.type !== 'CallExpression') return;
      if (!synchronous.has(readName(argument.callee))) add(node);
    },
    ExpressionStatement: (node) => {
      const { expression } = node;
      if (expression.type === 'CallExpression' && chaining.has(readName(expression.callee)))
        add(node);
    },
  }).visit(program);
  return found;
}

/** Calls that are over when they return, whatever object they belong to. */
const synchronous = new Set([
  ...['push', 'add', 'write', 'end', 'pause', 'pipe', 'destroy', 'resetAndDestroy', 'kill'],
  'execFileSync',
  ...[
    'useFakeTimers',
    'useRealTimers',
    'stubEnv',
    'unstubAllEnvs',
    'restoreAllMocks',
    'mockRestore',
  ],
]);
const chaining = new Set(['then', 'catch', 'finally']);

/** `push` of `lines.push`, `start` of `start`; '' for anything else. */
function readName(callee: ESTree.Expression): string {
  if (callee.type === 'Identifier') return callee.name;
  if (callee.type !== 'MemberExpression' || callee.computed) return '';
  return callee.property.name;
}
