import { hasCode, TributaryError } from '../../../errors/codes.ts';
import { toPlainValue } from '../../../lib/plain-text.ts';
import type { StatusDocument } from '../../../status/document.ts';
import { renderStatus } from '../../../status/text.ts';
import { defineCommand } from '../../frame/command.ts';
import type { CommandContext } from '../../frame/context.ts';
import { joinLines } from '../../present/text.ts';

const styles = { plain: undefined, good: 'green', warning: 'yellow', bad: 'red' } as const;

const defaultWatchSeconds = '2';

/**
 * `tributary status [--watch [seconds]] [--json]`. @throws usage-invalid, not-running, not-allowed
 */
export const status = defineCommand({
  usage: 'status',
  description: 'what the agent is doing, why, and what you can do about it',
  options: {
    '--watch [seconds]': `repeat until Ctrl-C, every ${defaultWatchSeconds} seconds by default`,
    '--json': 'one JSON object (version 1); with --watch, one per line',
  },
  examples: { 'tributary status': 'now', 'tributary status --watch': 'until Ctrl-C' },
  async act({ options, show }, context) {
    const { askAgent } = await import('../../../status/socket-client.ts');
    const places = await context.resolvePlaces(options);
    let agentVersion: string | undefined;
    const onVersion = (version: string | undefined) => {
      agentVersion = version;
    };
    const question = { method: 'GET', path: '/status.json', onVersion } as const;
    const ask = () =>
      askAgent(places, question).catch(async (error: unknown) => {
        // The page is open to every user of this machine, its agent's socket to root alone.
        if (!hasCode(error, 'not-allowed') || places.onlyOf !== undefined) throw error;
        const { askOwnPage } = await import('./ask-own-page.ts');
        return await askOwnPage(question, options, context).catch(() => Promise.reject(error));
      });
    if (options.watch !== undefined)
      return watchStatus(ask, { ...options, watch: options.watch }, context);
    const answer = await ask();
    await show(answer, async (plain) => {
      // An agent of this version returns exactly the document that this command was compiled for.
      // Checking it would only take time.
      const document =
        agentVersion === context.version ? (plain as StatusDocument) : await parseStatus(plain);
      return joinLines(renderLines(document, context));
    });
  },
});

type WatchOptions = { readonly watch: string | true; readonly json?: boolean };

async function watchStatus(
  ask: () => Promise<unknown>,
  options: WatchOptions,
  context: CommandContext,
): Promise<void> {
  const { openWatch, watchJson, watchLines } = await import('../../present/watch.ts');
  const { watch, signal } = openWatch(
    options.watch === true ? defaultWatchSeconds : options.watch,
    context,
  );
  if (options.json === true) return watchJson(ask, watch, signal);
  const { createStatusLook } = await import('./status-watch.ts');
  const look = createStatusLook({
    async ask() {
      const document = await parseStatus(toPlainValue(await ask()));
      return { document, lines: renderLines(document, context) };
    },
    nowMs: () => performance.now(),
  });
  await watchLines(look, watch, signal);
}

export function renderLines(
  document: StatusDocument,
  { now, paint }: CommandContext,
): readonly string[] {
  return renderStatus(document, now()).map(({ text, tone }) =>
    styles[tone] ? paint(styles[tone], text) : text,
  );
}

/**
 * Checks the document of an agent of another version.
 * @throws command-failed if it has another form
 */
export async function parseStatus(answer: unknown): Promise<StatusDocument> {
  const { statusDocument } = await import('../../../status/document.ts');
  const parsed = statusDocument.safeParse(answer);
  if (parsed.success) return parsed.data;
  const message = `${parsed.error.issues[0]?.path.join('.')} is not as expected; is it another version?`;
  throw new TributaryError('command-failed', `reading the agent's status: ${message}`);
}
