import { notSetUp, setUpAdvice } from '../../config/problems.ts';
import { findLoopbackWarnings } from '../../config/recipients.ts';
import { TributaryError, toFailure, toUndefined } from '../../errors/codes.ts';
import { findAction } from '../../health/reasons.ts';
import { hasMoved } from '../../identity/load.ts';
import { formatBytes } from '../../lib/units.ts';
import { explainLostState } from '../../system/container-state.ts';
import { type Finding, fail, pass, skip, toShellWord } from '../check.ts';
import type { DoctorHost } from '../host.ts';

/** The agent's own configuration, read as the agent would. */
export async function lookAtConfiguration(host: DoctorHost): Promise<Finding> {
  const loaded = await host.configuration().catch(toFailure('configuration-invalid'));
  if (loaded instanceof TributaryError) {
    if (loaded.action?.startsWith(setUpAdvice))
      return fail(notSetUp, loaded.action.slice(setUpAdvice.length));
    const [, first = loaded.message, ...others] = loaded.message.split('\n');
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
    return fail(`${first.trim()}${more}`, loaded.action ?? 'tributary config check');
  }
  const { file, config } = loaded;
  const isHost = (await host.place().catch(toUndefined()))?.kind === 'host';
  const warnings = [...loaded.warnings, ...(isHost ? findLoopbackWarnings(config) : [])];
  const count = warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`;
  const notes = warnings.length === 0 ? '' : `; ${count}: tributary config check`;
  return pass(
    `${file ?? 'no file, the environment alone'}, service ${config.service.base_url}${notes}`,
  );
}

/**
 * Whether an agent runs and answers. That none runs is no fault, since it may not have been started
 * yet.
 */
export async function lookAtAgent(host: DoctorHost): Promise<Finding> {
  const status = await host.status().catch(toFailure('not-running', 'command-failed'));
  if (!(status instanceof TributaryError)) return pass(`answers: it is ${status.phase}`);
  if (status.code === 'not-running')
    return skip('not running; start it: sudo systemctl start tributary');
  return fail(status.message, 'sudo systemctl restart tributary');
}

/** Whether the running agent can write its log. */
export const lookAtLog = (host: DoctorHost): Promise<Finding> =>
  lookForReason(host, 'log-unwritten', 'written');

/** Whether who is to be told by the running agent gets something. */
export async function lookAtReports(host: DoctorHost): Promise<Finding> {
  const { mqtt, webhook } = (await host.configuration()).config.report;
  if (mqtt === undefined && webhook === undefined) return pass('none are configured');
  return lookForReason(host, 'report-undelivered', 'delivered');
}

async function lookForReason(host: DoctorHost, code: string, otherwise: string): Promise<Finding> {
  const status = await host.status().catch(toUndefined('not-running', 'command-failed'));
  if (status === undefined) return skip('known while the agent runs');
  const found = status.reasons.find((reason) => reason.code === code);
  return found === undefined ? pass(otherwise) : fail(found.message, found.action);
}

/** Room for every state file and its successor many times over. */
const leastBytes = 4 * 1024 ** 2;
const leastFiles = 64;

export async function lookAtDisk(host: DoctorHost): Promise<Finding> {
  const { disk, stateDirectory } = host;
  if (!(await disk.isThere(stateDirectory)))
    return skip(`${stateDirectory} is not there yet; the agent makes it`);
  const blocked = await disk.tryWriting(stateDirectory);
  const remount = `sudo mount -o remount,rw "$(df --output=target ${stateDirectory} | tail -1)"`;
  if (blocked === 'EROFS') return fail(`${stateDirectory} is on a read-only disk`, remount);
  const space = await disk.space(stateDirectory);
  const room = `${formatBytes(space.freeBytes)} free`;
  if (space.freeBytes < leastBytes)
    return fail(`${stateDirectory}: ${room}`, `Make room: du -xh / | sort -h | tail`);
  if (space.files > 0 && space.freeFiles < leastFiles) {
    const few = `${stateDirectory}: room for ${space.freeFiles} more files`;
    return fail(few, 'Remove small files: df -i; journalctl --vacuum-files=2');
  }
  return (
    (await findWrongRights(host, blocked)) ??
    (await findWrongState(host)) ??
    (await findLostState(host)) ??
    pass(`${stateDirectory}, ${room}`)
  );
}

async function findLostState({ disk, stateDirectory }: DoctorHost): Promise<Finding | undefined> {
  const lost = await explainLostState(stateDirectory, disk);
  return lost === undefined
    ? undefined
    : fail(lost, `docker run --volume tributary:${stateDirectory} …`);
}

async function findWrongState({ machine, state }: DoctorHost): Promise<Finding | undefined> {
  const found = await state().catch(toFailure());
  if (found instanceof TributaryError) {
    // The agent sets a broken file aside and restores what was in it.
    return found.code === 'state-unreadable'
      ? fail(found.message, found.action ?? 'sudo systemctl restart tributary')
      : undefined;
  }
  if (found.identity === undefined || !hasMoved(found.identity, await machine())) return undefined;
  // This is a copied card, or the card was moved to another board. Only the owner can say which.
  return fail('this device was registered on another machine', findAction('identity-moved'));
}

async function findWrongRights(
  host: DoctorHost,
  blocked: string | undefined,
): Promise<Finding | undefined> {
  const { disk, stateDirectory, userId } = host;
  const [folder, ...files] = await disk.holdings(stateDirectory).catch(() => []);
  if (folder !== undefined && (folder.mode & 0o077) !== 0) {
    return fail(`${stateDirectory} is open to other users`, `sudo chmod 700 ${stateDirectory}`);
  }
  const foreign = files.filter((file) => file.ownerId !== folder?.ownerId);
  // Changing this file's owner would also change the owner of what it is under its other name.
  const doubled = foreign.find((file) => file.isDoubled);
  if (doubled !== undefined) {
    return fail(
      `${doubled.path} is a second name of another user's file`,
      `sudo rm ${toShellWord(doubled.path)}`,
    );
  }
  if (foreign[0] !== undefined) {
    const fix = `sudo chown -R --reference=${stateDirectory} ${stateDirectory}`;
    return fail(`${foreign[0].path} belongs to another user than its directory`, fix);
  }
  if (blocked === undefined) return undefined;
  if (userId !== 0)
    return skip(`${stateDirectory} belongs to another user: ask as that user, or with sudo`);
  // This is root without its usual power over files, as in a container.
  const fix = `sudo chown -R 0:0 ${stateDirectory} && sudo chmod 700 ${stateDirectory}`;
  return fail(`the agent's user may not write to ${stateDirectory}`, fix);
}
