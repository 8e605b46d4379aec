import { type CommandContext, createPaint, loadConfig, openOutput } from './cli/frame/context.ts';
import { printError, toExitCode } from './cli/frame/exit-code.ts';
import { openPrompt, readStandardInput } from './cli/frame/prompt.ts';
import { runPlainCommand } from './cli/plain-command.ts';
import { readConfigFile } from './config/config-file.ts';
import { findKnownPlaces } from './config/known-sockets.ts';
import { completeEnvironment, takeEnvironment } from './config/own-environment.ts';
import { resolvePlaces } from './config/places.ts';
import { leadsToJournal } from './config/supervision.ts';
import { messageOf, systemCodeOf, TributaryError, toFailure } from './errors/codes.ts';
import { version } from './version.ts';

/**
 * Turns the command line into a command, and an error into an exit code. What only some command
 * lines need is loaded late.
 */
export async function main(): Promise<void> {
  const argv = process.argv.slice(2);
  const taken = takeEnvironment(process.env);
  const fail = (error: unknown) => {
    const isForJournal = leadsToJournal(taken, 2);
    printError(error, { stderr: process.stderr, isJson: argv.includes('--json'), isForJournal });
    process.exitCode = toExitCode(error);
  };
  // A failed write here ends nothing: there is no other place to report it.
  process.stderr.on('error', () => undefined);
  // The agent writes its log past this stream, so that no reader and no disk ends it.
  process.stdout.on('error', (error) => {
    // A reader that has gone (`| head`) is no bug. The program ends like one that the kernel ends
    // for this, with 128 + SIGPIPE.
    if (systemCodeOf(error) === 'EPIPE') process.exit(141);
    fail(
      new TributaryError('output-failed', `writing to standard output: ${messageOf(error)}`, {
        cause: error,
      }),
    );
    process.exit();
  });
  try {
    const environment = completeEnvironment(taken);
    const context: CommandContext = {
      version,
      typed: argv,
      stdout: openOutput(process.stdout),
      screen: process.stdout,
      stderr: openOutput(process.stderr),
      columns: process.stdout.isTTY ? process.stdout.columns : undefined,
      get prompt() {
        return openPrompt();
      },
      readStandardInput,
      paint: createPaint(process.stdout),
      now: () => new Date(),
      environment,
      async resolvePlaces(options) {
        const places = {
          configPath: options.config,
          stateDirectory: options.stateDir,
          environment,
        };
        const known =
          (await findKnownPlaces(places)) ??
          (await loadConfig(options, { environment }).catch(toFailure()));
        if (!(known instanceof Error)) return known;
        // If a file that was named cannot be read, and nothing else names an agent, its agent is
        // unknown. It need not be the usual one.
        if (options.config && !options.stateDir && !(await readConfigFile(places)).tree)
          throw known;
        return { ...(await resolvePlaces(places)), problem: known };
      },
      setExitCode(code) {
        process.exitCode = code;
      },
    };
    if (await runPlainCommand(argv, context)) return;
    // Garbage is collected early, so that no answer of a service can fill the memory. `run` has
    // flags of its own.
    process.getBuiltinModule('node:v8').setFlagsFromString('--semi-space-growth-factor=1');
    const { createProgram, putHelpLast } = await import('./cli/program.ts');
    const program = await createProgram(argv, context);
    await program.parseAsync([...putHelpLast(argv)], { from: 'user' });
  } catch (error) {
    fail(error);
  }
}
