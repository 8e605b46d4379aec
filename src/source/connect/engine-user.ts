import { userInfo } from 'node:os';
import { attempt } from '../../lib/attempt.ts';
import { readFileIfThere } from '../../system/files.ts';

/**
 * Who runs the engine, and so who may attach to its device. A user of its own can read nothing of
 * the agent's; where the agent may not become another user, the engine runs as the agent's own, and
 * has no capability either way.
 */
export interface EngineUser {
  readonly uid: number;
  readonly gid: number;
  /** As `ip` may print it instead of the number; undefined where the system has no name for it. */
  readonly name: string | undefined;
  /** True where it is another user than the agent's. */
  readonly isOther: boolean;
}

/** The user that packages make for the engine. */
const ownUserName = 'tributary-connect';

/** What says which users this process may become. */
interface UserFacts {
  /** /proc/self/status */
  readonly status: string;
  /** /proc/self/uid_map and gid_map: users outside of them do not exist here. */
  readonly uidMap: string;
  readonly gidMap: string;
  /** /etc/passwd */
  readonly passwd: string;
  /** The agent's own. */
  readonly own: Omit<EngineUser, 'isOther'>;
}

export async function findEngineUser(): Promise<EngineUser> {
  const [status = '', uidMap = '', gidMap = '', passwd = ''] = await Promise.all(
    ['/proc/self/status', '/proc/self/uid_map', '/proc/self/gid_map', '/etc/passwd'].map((path) =>
      readFileIfThere(path),
    ),
  );
  const own = {
    uid: process.getuid?.() ?? 0,
    gid: process.getgid?.() ?? 0,
    name: attempt(() => userInfo().username),
  };
  return chooseEngineUser({ status, uidMap, gidMap, passwd, own });
}

/** Pure: the user of the engine's own, where there is one and this process may become it. */
export function chooseEngineUser(facts: UserFacts): EngineUser {
  const entry = facts.passwd.split('\n').find((line) => line.startsWith(`${ownUserName}:`));
  const [, , uid = Number.NaN, gid = Number.NaN] = (entry ?? '').split(':').map(Number);
  const mayChange = setIds.every((bit) => hasCapability(facts.status, bit));
  const exists = isMapped(facts.uidMap, uid) && isMapped(facts.gidMap, gid);
  return mayChange && exists && uid !== facts.own.uid
    ? { uid, gid, name: ownUserName, isOther: true }
    : { ...facts.own, isOther: false };
}

/** CAP_SETGID and CAP_SETUID. */
const setIds = [6n, 7n];

function hasCapability(status: string, bit: bigint): boolean {
  const hex = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0';
  return ((BigInt(`0x${hex}`) >> bit) & 1n) === 1n;
}

/** True where this namespace knows the id. A line: the first id inside, outside, and how many. */
function isMapped(map: string, id: number): boolean {
  return map.split('\n').some((line) => {
    const [first = 0, , count = 0] = line.trim().split(/\s+/).map(Number);
    return id >= first && id < first + count;
  });
}
