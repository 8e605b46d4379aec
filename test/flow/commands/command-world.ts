import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type CommandContext, openOutput } from '../../../src/cli/frame/context.ts';
import { printError, toExitCode } from '../../../src/cli/frame/exit-code.ts';
import type { Patience } from '../../../src/cli/frame/patience.ts';
import type { Prompt } from '../../../src/cli/frame/prompt.ts';
import { createProgram, putHelpLast } from '../../../src/cli/program.ts';
import {
  createRegistrationFiles,
  emptyNetworkJwtState,
} from '../../../src/identity/registration-files.ts';
import { Secret } from '../../../src/lib/secret.ts';
import { openDatabase } from '../../../src/reference-service/database.ts';
import type { ProfileName } from '../../../src/service/profiles.ts';
import { call, claimsOf, logIn, makeDirectory, start } from '../reference-caller.ts';

const printed = join(import.meta.dirname, '../../../tools/docs/printed');

/** The moment at which golden files are taken. */
export const goldenNow = Date.UTC(2026, 2, 14, 15, 9, 26);

/** What one command line left behind. */
export interface CommandRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  /** Columns of the terminal; undefined for a pipe. */
  readonly columns?: number | undefined;
  readonly prompt?: Prompt;
  readonly standardInput?: string;
  /** Where the agent answers; nowhere by default. */
  readonly socketPath?: string;
  /** How long to wait for the service; by default as long as a person does. */
  readonly patience?: Patience;
}

/**
 * A reference service with a clock that only the test moves, and an owner who is signed in to it.
 */
export async function createCommandWorld(profile: ProfileName = 'documented') {
  const clock = { nowMs: goldenNow };
  const dataDirectory = makeDirectory();
  const service = await start({ directory: dataDirectory, profile, now: () => clock.nowMs });
  const owner = await createOwner(service.baseUrl, profile, await logIn(service), clock);
  return {
    ...owner,
    service,
    clock,
    dataDirectory,
    /**
     * Registers devices under names that this service takes from nobody, as another one may: their
     * client ids.
     */
    async registerNamed(names: readonly string[]): Promise<readonly string[]> {
      const ids: string[] = [];
      for (const _ of names) ids.push(await owner.register('device'));
      const { port } = new URL(service.baseUrl);
      await service.close();
      const database = openDatabase(dataDirectory);
      const rename = database.prepare('update client set description = ? where client_id = ?');
      for (const [index, name] of names.entries()) rename.run(name, ids[index] ?? '');
      database.close();
      const listen = { address: '127.0.0.1', port: Number(port) };
      await start({ directory: dataDirectory, profile, listen, now: () => clock.nowMs });
      return ids;
    },
    addOwner: (token: string) => createOwner(service.baseUrl, profile, token, clock),
  };
}

/** An owner with a state directory, signed in with this network's token. */
export async function createOwner(
  baseUrl: string,
  profile: ProfileName,
  token: string,
  clock: { readonly nowMs: number },
) {
  const directory = makeDirectory();
  const configPath = join(directory, 'tributary.yaml');
  const stateDirectory = join(directory, 'state');
  mkdirSync(stateDirectory, { mode: 0o700 });
  writeFileSync(configPath, `service:\n  base_url: ${baseUrl}\n  profile: ${profile}\n`);
  const store = createRegistrationFiles(stateDirectory, () => undefined).networkJwt;
  await store.write({ ...emptyNetworkJwtState, token: new Secret(token) });
  const post = async (path: string, body: unknown) =>
    (await call(baseUrl, path, { token, body })).body;
  const paths = ['--config', configPath, '--state-dir', stateDirectory];
  return {
    token,
    paths,
    stateDirectory,
    store,
    post,
    get: async (path: string) => (await call(baseUrl, path, { token })).body,
    /** Registers a device with a tunnel: its client id. */
    async register(description: string, countryCode = 'DE'): Promise<string> {
      const proxy_config = { enable_wg: true, initial_device_state: { country_code: countryCode } };
      const answer = await post('/network/auth-client', {
        description,
        device_spec: 'pi',
        proxy_config,
      });
      return String(claimsOf(answer.by_client_jwt).client_id);
    },
    /** Runs `tributary …` as this owner. */
    run: (argv: readonly string[], options: RunOptions = {}) =>
      runAs([...paths, ...argv], clock, options),
  };
}

/** Runs one command line, and catches what it wrote and how it ended. */
export async function runAs(
  argv: readonly string[],
  clock: { readonly nowMs: number },
  { columns, prompt, standardInput = '', patience, ...options }: RunOptions,
): Promise<CommandRun> {
  const { socketPath = '/nowhere/tributary.sock' } = options;
  const stdout: string[] = [];
  const stderr: string[] = [];
  let exitCode = 0;
  const context: CommandContext = {
    stdout: openOutput({ write: (text) => void stdout.push(text) }),
    screen: { write: (text) => void stdout.push(text) },
    stderr: openOutput({ write: (text) => void stderr.push(text) }),
    columns,
    paint: (_style, text) => text,
    now: () => new Date(clock.nowMs),
    prompt,
    version: '0.0.0',
    typed: argv,
    patience,
    readStandardInput: async () => standardInput,
    environment: {},
    resolvePlaces: async () => ({ socketPaths: [socketPath], onlyOf: undefined }),
    setExitCode: (code) => {
      exitCode = code;
    },
  };
  try {
    const program = await createProgram(argv, context);
    await program.parseAsync([...putHelpLast(argv)], { from: 'user' });
  } catch (error) {
    printError(error, { stderr: context.stderr, isJson: argv.includes('--json') });
    exitCode = toExitCode(error);
  }
  return { exitCode, stdout: stdout.join(''), stderr: stderr.join('') };
}

/**
 * The text with every id, whole or cut, and every code of chance replaced by one of the same length
 * that is always the same. `ids`: those that it may hold no more than the first eight letters of.
 */
export function maskChance(
  text: string,
  codes: readonly string[] = [],
  ids: readonly string[] = [],
): string {
  const id = /\b[0-9a-f]{8}(?:-[0-9a-f-]{0,27})?/g;
  const longer = [...text.matchAll(id)].map(([found]) => found).filter((found) => found.length > 8);
  const starts = [...new Set([...ids, ...longer].map((known) => known.slice(0, 8)))];
  const named = text.replace(id, (found) => {
    const number = starts.indexOf(found.slice(0, 8)) + 1;
    return number === 0
      ? found
      : `${number}`.padStart(8, '0').concat(found.slice(8).replace(/[0-9a-f]/g, '0'));
  });
  return codes.reduce((all, code) => all.replaceAll(code, 'X'.repeat(code.length)), named);
}

/**
 * Compares the text with tools/docs/printed/cli-NAME, which the pages show. `npm test -- -u`
 * rewrites that file.
 */
export async function expectGolden(name: string, text: string): Promise<void> {
  await expect(text).toMatchFileSnapshot(join(printed, `cli-${name}`));
}

/** `--json` output as indented JSON: one line of a golden file is then one field. */
export function indent(json: string): string {
  return `${JSON.stringify(JSON.parse(json), null, 2)}\n`;
}
