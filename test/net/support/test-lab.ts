import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'vitest';
import { createKeyPair } from '../../../src/reference-service/proxies.ts';
import { createLab, type Lab, type LabOptions } from '../../../tools/lab/lab.ts';
import { type LabProcess, startProcess } from '../../../tools/lab/processes.ts';

const distDirectory = join(import.meta.dirname, '../../../dist');

/** A lab with the built program; `id` is unique among the test files, at most 6 letters. */
export function createTestLab(options: Omit<LabOptions, 'distDirectory'>): Promise<Lab> {
  return createLab({ ...options, distDirectory });
}

/** A command's end: exit code and everything that it said. */
export interface Ended {
  readonly exitCode: number | null;
  readonly text: string;
}

/** Runs a command of the program on the device to its end, whatever that is. */
export async function runOnDevice(
  lab: Lab,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const running = startProcess({ argv: lab.command(...args), env });
  const exitCode = await running.exited;
  return { exitCode, text: running.lines.join('\n') };
}

/**
 * Signs in without the agent, so that a start that is cut short cannot lose the single-use code.
 */
export async function signIn(lab: Lab): Promise<void> {
  const { exitCode, text } = await runOnDevice(lab, ['login'], {
    TRIBUTARY_AUTH_CODE: lab.authCode,
  });
  if (exitCode !== 0) throw new Error(`login exited with ${exitCode}: ${text}`);
}

/** Clients that the service lists for the network that the device is signed in to. */
export async function countClients(lab: Lab): Promise<number> {
  const { clients } = JSON.parse(await lab.runCommand('service', 'clients', '--json'));
  return clients.length;
}

/** Ends an agent as a crash does. */
export async function killAgent(agent: LabProcess): Promise<void> {
  agent.kill('SIGKILL');
  await agent.exited;
}

/** Ends an agent as its owner does: its exit code. */
export function stopAgent(agent: LabProcess): Promise<number | null> {
  agent.kill('SIGTERM');
  return agent.exited;
}

/** Shows what the agent said where a test has failed. */
export function showLogOnFailure(context: TestContext, agent: () => LabProcess | undefined): void {
  context.onTestFailed(() => {
    process.stderr.write(`${(agent()?.lines ?? []).slice(-25).join('\n')}\n`);
  });
}

/** The lab's configuration with these sections' keys changed, as the owner edits it. */
export async function changeConfig(
  lab: Lab,
  change: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
): Promise<void> {
  const path = join(lab.directory, 'tributary.yaml');
  const before = JSON.parse(await readFile(path, 'utf8')) as Record<
    string,
    Record<string, unknown>
  >;
  const sections = Object.entries(change).map(([name, keys]) => [
    name,
    { ...before[name], ...keys },
  ]);
  await writeFile(path, JSON.stringify({ ...before, ...Object.fromEntries(sections) }));
}

/**
 * The service and its end of the tunnel start again with another key, and no answer has brought it
 * to the device.
 */
export async function changeServiceKey(lab: Lab): Promise<void> {
  lab.service().kill('SIGTERM');
  await lab.service().exited;
  const { privateKey, publicKey } = createKeyPair();
  const database = new DatabaseSync(join(lab.directory, 'service', 'reference-service.sqlite'));
  database
    .prepare('update tunnel set private_key = ?, public_key = ?')
    .run(privateKey.reveal(), publicKey);
  database.close();
  await lab.restartService();
}

/** A table as nft lists it, without what its rules put into sets while packets pass. */
export function withoutFilledSets(listing: string): string {
  return listing.replace(
    /^\t(?:set (?!permit\b)|map )\w+ \{\n(?:\t\t.*\n)*?\t\tflags dynamic[\s\S]*?^\t\}\n/gm,
    '',
  );
}
