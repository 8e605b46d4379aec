import type { Output } from '../print-error.ts';

export const pageRows = 200;

/** What came so far, `pageRows` at a time; where the list breaks off, first what came before that. */
export async function* splitPages<Row>(rows: AsyncIterable<Row>): AsyncGenerator<readonly Row[]> {
  let page: Row[] = [];
  try {
    for await (const row of rows) {
      page.push(row);
      if (page.length < pageRows) continue;
      yield page;
      page = [];
    }
  } catch (error) {
    if (page.length > 0) yield page;
    throw error;
  }
  if (page.length > 0) yield page;
}

/** Writes, and waits for a reader that is behind: what waits to be read fills memory. */
export async function writeAll(output: Output, text: string): Promise<void> {
  if (output.write(text) !== false || output.once === undefined) return;
  await new Promise<void>((resolve) => output.once?.('drain', resolve));
}
