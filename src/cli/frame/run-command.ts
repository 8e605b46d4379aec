import { toPlainValue } from '../../lib/plain-text.ts';
import { renderJson } from '../present/text.ts';
import type { AnyCommand, Show, Typed } from './command.ts';
import type { CommandContext } from './context.ts';

/**
 * Runs a command after its command line was read, and shows its result. Its errors say what to do
 * about them.
 */
export function runCommand(
  command: AnyCommand,
  typed: Typed,
  context: CommandContext,
): Promise<void> {
  return runAndShow(command, typed, context).catch(async (error: unknown) => {
    // Where the program's files were replaced meanwhile, there is no advice, and the error counts.
    const advice = await import('./advice.ts').catch(() => undefined);
    throw advice === undefined ? error : await advice.advise(error, typed, context);
  });
}

async function runAndShow(
  command: AnyCommand,
  typed: Typed,
  context: CommandContext,
): Promise<void> {
  const show: Show = async (result, render) => {
    const text =
      typed.options.json === true ? `${renderJson(result)}\n` : await render(toPlainValue(result));
    context.stdout.write(text);
  };
  const given = { ...typed, show };
  if ('act' in command) return command.act(given, context);
  const { openSession } = await import('./session.ts');
  await using session = await openSession(given.options, context);
  const run = () => command.run(session, given, context);
  if (command.tables !== undefined) {
    const { showTables } = await import('../present/show-tables.ts');
    return await showTables({ ...command, tables: command.tables, run }, given.options, context);
  }
  const view = await run();
  await given.show(view, (plain) =>
    command.render(plain, { ...context, tables: {} }, given.options),
  );
}
