import type { Command } from 'commander';
import { TributaryError } from '../lib/errors.ts';
import { type StatusDocument, statusDocument } from '../status/document.ts';
import { askAgent } from '../status/socket-client.ts';
import { renderStatus, type Tone } from '../status/text.ts';
import type { CommandContext, PathOptions } from './context.ts';

const styles: Readonly<Record<Exclude<Tone, 'plain'>, 'green' | 'yellow' | 'red'>> = {
  good: 'green',
  warning: 'yellow',
  bad: 'red',
};

/** `tributary status [--json]`. @throws not-running, not-allowed */
export function registerStatus(program: Command, context: CommandContext): void {
  program
    .command('status')
    .description('what the agent is doing, why, and what you can do about it')
    .option('--json', 'one JSON object, version 1')
    .action(async (options: { json?: boolean }, command: Command) => {
      const socketPaths = await context.resolveSocketPaths(command.optsWithGlobals<PathOptions>());
      const answer = await askAgent(socketPaths, 'GET', '/status.json');
      context.stdout.write(options.json === true ? `${JSON.stringify(answer)}\n` : renderText(answer, context));
    });
}

function renderText(answer: unknown, { now, paint }: CommandContext): string {
  const lines = renderStatus(parseStatus(answer), now());
  return lines.map(({ text, tone }) => `${tone === 'plain' ? text : paint(styles[tone], text)}\n`).join('');
}

function parseStatus(answer: unknown): StatusDocument {
  const parsed = statusDocument.safeParse(answer);
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues[0]?.path.join('.');
  throw new TributaryError(
    'command-failed',
    `reading the agent's status: ${where} is not as expected; is it another version?`,
  );
}
