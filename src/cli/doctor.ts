import type { Result, Verdict } from '../doctor/check.ts';
import type { DoctorDoors } from '../doctor/doors.ts';
import type { LocalCommand } from './command.ts';
import type { CommandContext } from './context.ts';
import type { OptionValues } from './option-values.ts';

const flags = {
  '--json': 'one JSON object: checks, failed',
  '--bundle [file]': 'write a support bundle with secrets removed, as .tar.gz',
};
type Options = OptionValues<typeof flags>;

const styles: Readonly<Record<Verdict, 'green' | 'yellow' | 'red'>> = { pass: 'green', skip: 'yellow', fail: 'red' };

/** `tributary doctor [--json] [--bundle [FILE]]`: exit code 0, or 1 where something has to be fixed. */
export const doctor: LocalCommand<Options> = {
  usage: 'doctor',
  description: 'diagnose problems and print the fix for each; read-only; exits 1 if any is found',
  options: flags,
  examples: {
    'tributary doctor': 'what is wrong here, and the command that fixes it',
    'tributary doctor --json': 'for a script: failed is how many',
    'tributary doctor --bundle help.tar.gz': 'for a request for help',
  },
  async act({ options }, context) {
    const [{ checks }, { openDoors }, { runChecks }] = await Promise.all([
      import('../doctor/checks.ts'),
      import('../doctor/open-doors.ts'),
      import('../doctor/run-checks.ts'),
    ]);
    const { config: configPath, stateDir: stateDirectory } = options;
    const doors = openDoors({ configPath, stateDirectory, environment: context.environment });
    const results = await runChecks(checks, doors);
    await print(results, options, context);
    if (options.bundle !== undefined) await writeSupportBundle({ results, doors, file: options.bundle }, context);
    context.setExitCode(results.some(({ finding }) => finding.verdict === 'fail') ? 1 : 0);
  },
};

async function print(
  results: readonly Result[],
  options: { readonly json?: boolean },
  { stdout, paint, columns }: CommandContext,
) {
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

interface Bundle {
  readonly results: readonly Result[];
  readonly doors: DoctorDoors;
  /** True where no file is named. */
  readonly file: string | true;
}

async function writeSupportBundle({ results, doors, file }: Bundle, context: CommandContext) {
  const { collectBundle, writeBundle } = await import('../doctor/bundle.ts');
  const { toDoctorDocument } = await import('../doctor/report.ts');
  const { version } = await import('../version.ts');
  const now = context.now();
  const stamp = now.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
  const path = typeof file === 'string' ? file : `tributary-doctor-${stamp}.tar.gz`;
  const { environment } = context;
  const members = await collectBundle({ doors, document: toDoctorDocument(results), environment, version });
  await writeBundle(path, members, now);
  context.stderr.write(`tributary: wrote ${path}; read it through before you share it\n`);
}
