import type { Verdict } from '../doctor/check.ts';
import type { DoctorHost } from '../doctor/host.ts';
import type { renderReport, toDoctorDocument } from '../doctor/report.ts';
import { toPlainJson } from '../lib/plain-text.ts';
import { defineCommand } from './command.ts';
import type { CommandContext } from './context.ts';

const styles: Readonly<Record<Verdict, 'green' | 'yellow' | 'red'>> = { pass: 'green', skip: 'yellow', fail: 'red' };

/** `tributary doctor [--json] [--bundle [FILE]]`: exit code 0, or 1 where something has to be fixed. */
export const doctor = defineCommand({
  usage: 'doctor',
  description: 'diagnose problems and print the fix for each; read-only; exits 1 if any is found',
  options: {
    '--json': 'one JSON object: checks, failed',
    '--bundle [file]': 'write a support bundle with secrets removed, as .tar.gz',
  },
  examples: {
    'tributary doctor': 'what is wrong here, and the command that fixes it',
    'tributary doctor --json': 'for a script: failed is how many',
    'tributary doctor --bundle help.tar.gz': 'for a request for help',
  },
  async act({ options }, context) {
    const [{ checks }, { openHost }, { renderReport, toDoctorDocument }, { runChecks }] = await Promise.all([
      import('../doctor/checks.ts'),
      import('../doctor/host.ts'),
      import('../doctor/report.ts'),
      import('../doctor/run-checks.ts'),
    ]);
    const { config: configPath, stateDir: stateDirectory } = options;
    const host = openHost({ configPath, stateDirectory, environment: context.environment });
    // First, and alone: for moments of it root is the user whom the state directory belongs to.
    await host.state().catch(() => undefined);
    const results = await runChecks(checks, host);
    const document = toDoctorDocument(results);
    if (options.json === true) context.stdout.write(`${toPlainJson(document)}\n`);
    else print(renderReport(results, context.columns), context);
    if (options.bundle !== undefined) await writeSupportBundle({ document, host, file: options.bundle }, context);
    context.setExitCode(results.some(({ finding }) => finding.verdict === 'fail') ? 1 : 0);
  },
});

/** The word that each finding begins with is coloured. */
function print(lines: ReturnType<typeof renderReport>, { stdout, paint }: CommandContext): void {
  for (const { verdict, text } of lines) {
    const word = text.slice(0, 4);
    const isFirst = verdict !== undefined && word.trim() !== '';
    stdout.write(`${isFirst ? paint(styles[verdict], word) + text.slice(4) : text}\n`);
  }
}

interface Bundle {
  readonly document: ReturnType<typeof toDoctorDocument>;
  readonly host: DoctorHost;
  /** True where no file is named. */
  readonly file: string | true;
}

async function writeSupportBundle({ document, host, file }: Bundle, context: CommandContext) {
  const { collectBundle, writeBundle } = await import('../doctor/bundle.ts');
  const now = context.now();
  const stamp = now.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
  const path = typeof file === 'string' ? file : `tributary-doctor-${stamp}.tar.gz`;
  const members = await collectBundle({ host, document, environment: context.environment, version: context.version });
  await writeBundle(path, members, now);
  context.stderr.write(`tributary: wrote ${path}; read it through before you share it\n`);
}
