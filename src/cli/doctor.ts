import type { Command } from 'commander';
import type { Verdict } from '../doctor/check.ts';
import type { DoctorHost } from '../doctor/host.ts';
import type { Result } from '../doctor/run-checks.ts';
import type { CommandContext, PathOptions } from './context.ts';

interface DoctorOptions extends PathOptions {
  readonly json?: boolean;
  /** True where no file is named. */
  readonly bundle?: string | boolean;
}

const styles: Readonly<Record<Verdict, 'green' | 'yellow' | 'red'>> = { pass: 'green', skip: 'yellow', fail: 'red' };

/** `tributary doctor [--json] [--bundle [FILE]]`: exit code 0, or 1 where something has to be mended. */
export function registerDoctor(program: Command, context: CommandContext): void {
  program
    .command('doctor')
    .description('look for what is wrong and say what mends it; changes nothing; exit code 1 when there is something')
    .option('--json', 'one JSON object: checks, failed')
    .option('--bundle [file]', 'write what somebody who helps has to see, without secrets, as .tar.gz')
    .addHelpText('after', examples)
    .action(async (_options: DoctorOptions, command: Command) => {
      const options = command.optsWithGlobals<DoctorOptions>();
      const [{ checks }, { openHost }, { runChecks }] = await Promise.all([
        import('../doctor/checks.ts'),
        import('../doctor/host.ts'),
        import('../doctor/run-checks.ts'),
      ]);
      const { config: configPath, stateDir: stateDirectory } = options;
      const host = openHost({ configPath, stateDirectory, environment: context.environment });
      const results = await runChecks(checks, host);
      await print(results, options, context);
      if (options.bundle !== undefined && options.bundle !== false) await bundle(results, host, options, context);
      context.setExitCode(results.some(({ finding }) => finding.verdict === 'fail') ? 1 : 0);
    });
}

async function print(results: readonly Result[], options: DoctorOptions, { stdout, paint, columns }: CommandContext) {
  const { renderReport, toDoctorDocument } = await import('../doctor/report.ts');
  if (options.json === true) {
    stdout.write(`${JSON.stringify(toDoctorDocument(results))}\n`);
    return;
  }
  for (const { verdict, text } of renderReport(results, columns)) {
    const word = text.slice(0, 4);
    const isFirst = verdict !== undefined && word.trim() !== '';
    stdout.write(`${isFirst ? paint(styles[verdict], word) + text.slice(4) : text}\n`);
  }
}

async function bundle(results: readonly Result[], host: DoctorHost, options: DoctorOptions, context: CommandContext) {
  const { collectBundle, writeBundle } = await import('../doctor/bundle.ts');
  const { toDoctorDocument } = await import('../doctor/report.ts');
  const { version } = await import('../version.ts');
  const now = context.now();
  const stamp = now.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
  const path = typeof options.bundle === 'string' ? options.bundle : `tributary-doctor-${stamp}.tar.gz`;
  const { environment } = context;
  const members = await collectBundle({ host, document: toDoctorDocument(results), environment, version });
  await writeBundle(path, members, now);
  context.stderr.write(`tributary: wrote ${path}; look through it before you hand it on\n`);
}

const examples = `
Examples:
  tributary doctor                       what is wrong here, and the command that mends it
  tributary doctor --json                for a script: failed is how many
  tributary doctor --bundle help.tar.gz  for whoever helps you
`;
