import { toPlainText, toPlainValue } from '../../lib/plain-text.ts';
import { refuse, type Shown } from '../frame/command.ts';
import type { CommandContext } from '../frame/context.ts';
import { choose, listColumnNames, readChoice, renderCsv, renderTables } from './listing.ts';
import type { ListOptions, Tables } from './tables.ts';
import { renderJson } from './text.ts';
import { openWatch, watchJson, watchLines } from './watch.ts';

interface Listing<View> {
  run(): Promise<View>;
  tables(view: View, options: ListOptions): Tables | Promise<Tables>;
  render(view: View, shown: Shown, options: ListOptions): string | Promise<string>;
}

/** Shows a command's tables as the list options say, once or until Ctrl-C. @throws usage-invalid */
export async function showTables<View>(
  { run, tables, render }: Listing<View>,
  options: ListOptions,
  context: CommandContext,
): Promise<void> {
  const choice = readChoice(options, context);
  const { csv, json, filter, watch } = options;
  const read = async (view: View) => {
    return { view, chosen: choose(await tables(view, options), choice, context.now()) };
  };
  const readJson = async () => {
    const { view, chosen } = await read(await run());
    const isOwn = ([name, value]: [string, unknown]) => chosen[name]?.all === value;
    const own = Object.entries(view ?? {}).filter(isOwn);
    if (choice.isNarrowed && own.length === 0)
      throw refuse('--json prints all of this: choose from it with jq');
    return { ...view, ...Object.fromEntries(own.map(([name]) => [name, chosen[name]?.rows])) };
  };
  const readText = async () => {
    const { view, chosen } = await read(toPlainValue(await run()));
    if (csv === true) return renderCsv(chosen);
    const found = Object.values(chosen);
    const isEmpty =
      found.every(({ rows }) => rows.length === 0) && found.some(({ all }) => all.length > 0);
    if (isEmpty) return `No row contains ${toPlainText(filter ?? '')}.\n`;
    const rowsOf = Object.entries(chosen).map(([name, { rows }]) => [name, rows] as const);
    const namesOf = Object.entries(chosen).map(
      ([name, { columns }]) => [name, listColumnNames(columns)] as const,
    );
    const shown = {
      ...context,
      tables: renderTables(chosen, context),
      chosen: choice.isNarrowed ? Object.fromEntries(rowsOf) : undefined,
      columnNames: Object.fromEntries(namesOf),
    };
    return render(view, shown, options);
  };
  if (watch === undefined) {
    context.stdout.write(json === true ? `${renderJson(await readJson())}\n` : await readText());
    return;
  }
  const { signal, ...parts } = openWatch(watch, context);
  if (json === true) return watchJson(readJson, parts.watch, signal);
  await watchLines(async () => (await readText()).trimEnd().split('\n'), parts.watch, signal);
}
