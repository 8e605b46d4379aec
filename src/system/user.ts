export interface User {
  readonly uid: number;
  readonly gid: number;
}

/** With another user's rights, in one breath, so that nothing else runs with them; undefined: as this process. */
export function asUser<T>(user: User | undefined, act: () => T): T {
  if (user === undefined) return act();
  const { setgroups, setegid, seteuid, getgroups, getegid, geteuid } = process;
  if (!setgroups || !setegid || !seteuid || !getgroups || !getegid || !geteuid) throw new Error('there are no users');
  const own = { groups: getgroups(), gid: getegid(), uid: geteuid() };
  try {
    // Root's other groups open files too. The user last: after it nothing else may be changed.
    setgroups([]);
    setegid(user.gid);
    seteuid(user.uid);
    return act();
  } finally {
    seteuid(own.uid);
    setegid(own.gid);
    setgroups(own.groups);
  }
}

/** False in a user namespace that does not know the user, and for a root that was left without the right to become others. */
export function canBecome(user: User): boolean {
  try {
    return asUser(user, () => true);
  } catch {
    return false;
  }
}
