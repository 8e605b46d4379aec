import { join } from 'node:path';
import {
  appendToFile,
  listFolder,
  readOwnFile,
  removeFile,
  writeFileAtomic,
} from '../system/files.ts';
import { type LedgerLine, parseLine, renderLine, splitLines, sumByDay } from './ledger-line.ts';

const folder = 'ledger';
const startsAt = '{"start":"'.length;
/** These keep more than 400 days of hours, and 20 years of days. */
const mostMonths = 15;
const mostYears = 20;
/**
 * A file that grows longer is rewritten with one line for each hour. With an agent at rest no file
 * becomes that long.
 */
const mostFileBytes = 512 * 1024;
/** The most that the ledger ever takes on the disk. */
export const ledgerBytes = (mostMonths + mostYears) * mostFileBytes;

type Lines = ReadonlyMap<string, LedgerLine>;

/**
 * Lines from `first` to `last`, both included: lines of hours for two hours, lines of days for two
 * days.
 * @throws state-unreadable
 */
export async function readLines(
  directory: string,
  { first, last }: Readonly<Record<'first' | 'last', string>>,
): Promise<Lines> {
  const lines = new Map<string, LedgerLine>();
  for (const name of await listNames(directory)) {
    const isAsked = first.slice(0, name.length) <= name && name <= last.slice(0, name.length);
    if (!isAsked || (isYear(name) && first.length > 10)) continue;
    const texts = await readTexts(directory, name);
    // Starts are compared as text, because most lines of a month are not asked for and need not be
    // parsed.
    const startOf = (text: string) => text.slice(startsAt, startsAt + first.length);
    const asked = texts.filter((text) => startOf(text) >= first && startOf(text) <= last);
    addLines(lines, asked);
  }
  return lines;
}

/** The line that was last written of what this device counted. @throws state-unreadable */
export async function findNewestLine(directory: string): Promise<LedgerLine | undefined> {
  let newest: LedgerLine | undefined;
  for (const name of (await listNames(directory)).filter((own) => !isYear(own))) {
    const lines = (await readTexts(directory, name)).toReversed().values().map(parseLine);
    const line = lines.find((own) => own?.sequence !== undefined);
    if ((line?.sequence ?? 0) > (newest?.sequence ?? 0)) newest = line;
  }
  return newest;
}

/**
 * Adds lines to the files of their months; a later line replaces an earlier one with the same
 * start. Resolves when they are on the disk.
 * @throws state-unreadable, state-unwritable
 */
export async function appendLines(directory: string, lines: readonly LedgerLine[]): Promise<void> {
  for (const [month, own] of Map.groupBy(lines, ({ start }) => start.slice(0, 7)))
    await append(directory, month, own);
}

/**
 * Makes room: the oldest months are reduced to their days, and the oldest years are removed.
 * @throws state-unreadable, state-unwritable
 */
export async function dropOldest(directory: string, currentMonth: string): Promise<void> {
  const months = new Set((await listNames(directory)).filter((name) => !isYear(name))).add(
    currentMonth,
  );
  for (const month of findSurplus([...months], currentMonth, mostMonths)) {
    const days = sumByDay(addLines(new Map(), await readTexts(directory, month)));
    await append(directory, month.slice(0, 4), [...days.values()]);
    await removeFile(pathOf(directory, month));
  }
  const years = (await listNames(directory)).filter(isYear);
  for (const year of findSurplus(years, currentMonth.slice(0, 4), mostYears))
    await removeFile(pathOf(directory, year));
}

/**
 * The names to remove: first those after the current month or year, left behind by a clock that ran
 * ahead, then the oldest.
 */
function findSurplus(names: readonly string[], current: string, most: number): readonly string[] {
  const inOrder = [
    ...names.filter((name) => name > current),
    ...names.filter((name) => name <= current),
  ];
  return inOrder.slice(0, Math.max(0, names.length - most));
}

async function append(
  directory: string,
  name: string,
  lines: readonly LedgerLine[],
): Promise<void> {
  const path = pathOf(directory, name);
  const bytes = await appendToFile(path, lines.map(renderLine).join(''));
  if (bytes <= mostFileBytes) return;
  const kept = [...addLines(new Map(), await readTexts(directory, name)).values()];
  // Lines are sorted by sequence, so that the line with the newest count stays the last one in the
  // file.
  const inOrder = kept.toSorted((one, other) => (one.sequence ?? 0) - (other.sequence ?? 0));
  await writeFileAtomic(path, inOrder.map(renderLine).join(''));
}

function addLines(lines: Map<string, LedgerLine>, texts: readonly string[]): Lines {
  for (const line of texts.map(parseLine)) {
    if (line !== undefined) lines.set(line.start, { ...lines.get(line.start), ...line });
  }
  return lines;
}

async function readTexts(directory: string, name: string): Promise<readonly string[]> {
  return splitLines((await readOwnFile(pathOf(directory, name))) ?? '');
}

/** Months (`2026-05`) and years (`2026`), the oldest first. */
async function listNames(directory: string): Promise<readonly string[]> {
  const files = await listFolder(join(directory, folder));
  return files.flatMap((file) => /^(\d{4}(?:-\d{2})?)\.jsonl$/.exec(file)?.[1] ?? []).toSorted();
}

function isYear(name: string): boolean {
  return name.length === 4;
}

function pathOf(directory: string, name: string): string {
  return join(directory, folder, `${name}.jsonl`);
}
