import { defineCommand } from '../../frame/command.ts';
import { joinLines } from '../../present/text.ts';

const styles = { PASS: 'green', SKIP: 'yellow', WARN: 'yellow', FAIL: 'red' } as const;

export const doctor = defineCommand({
  usage: 'doctor',
  description:
    'diagnose problems and print the fix for each; read-only; exits 1 if any is found, not for a warning',
  options: {
    '--json': 'one JSON object: checks, failed',
    '--bundle [file]':
      'write a support bundle with secrets removed (default: tributary-doctor-TIME.tar.gz)',
  },
  examples: {
    'tributary doctor': 'what is wrong here, and the command that fixes it',
    'tributary doctor --json': 'for a script: failed is the number of failures',
    'tributary doctor --bundle help.tar.gz': 'to attach when you ask for help',
  },
  async act({ options, show }, context) {
    const { environment, paint, version } = context;
    const { checks } = await import('../../../doctor/checks.ts');
    const { openHost } = await import('../../../doctor/open-host.ts');
    const { renderReport, toDoctorDocument } = await import('../../../doctor/report.ts');
    const { runChecks } = await import('../../../doctor/run-checks.ts');
    const { config: configPath, stateDir: stateDirectory } = options;
    const host = openHost({ configPath, stateDirectory, environment });
    // This is done first and alone, because for moments root acts as the owner of the state
    // directory.
    await host.state().catch(() => undefined);
    const results = await runChecks(checks, host);
    const document = toDoctorDocument(results);
    const paintVerdict = (word: string) => paint(styles[word as keyof typeof styles], word);
    const lines = renderReport(results, context.columns);
    await show(document, () =>
      joinLines(lines.map((line) => line.replace(/^(PASS|SKIP|WARN|FAIL)/, paintVerdict))),
    );
    if (options.bundle !== undefined) {
      const { collectBundle, findAsker, writeBundle } = await import('../../../doctor/bundle.ts');
      const now = context.now();
      const stamp = now.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
      const path = options.bundle === true ? `tributary-doctor-${stamp}.tar.gz` : options.bundle;
      const members = await collectBundle({ host, document, environment, version });
      await writeBundle(path, members, { at: now, owner: findAsker(environment) });
      context.stderr.write(`tributary: wrote ${path}; read it through before you share it\n`);
    }
    context.setExitCode(results.some(({ finding }) => finding.verdict === 'fail') ? 1 : 0);
  },
});
