import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { isInsideLab } from '../../tools/lab/network.ts';

/** Far more than it takes; a command that waits for ever would otherwise end nothing here. */
const mostMs = 60_000;

/** Makes the agent's namespace where so many user namespaces may be made; what is there then. */
function makeWith(most: number): readonly string[] {
  const script = `
    mount -t tmpfs tmpfs /run
    echo "$1" >/proc/sys/user/max_user_namespaces
    "$2" -e "
      Promise.all([import('./src/system/exec.ts'), import('./src/namespace/owner.ts')]).then(
        ([{ exec }, { makeNamespace }]) => makeNamespace(exec),
      )"
    cd /run
    ls -d netns/tributary tributary-userns/user 2>/dev/null || true
  `;
  const own = ['--user', '--map-root-user', '--net', '--mount'];
  const args = [...own, 'sh', '-euc', script, 'sh', String(most), process.execPath];
  const said = execFileSync('unshare', args, { encoding: 'utf8', timeout: mostMs });
  return said.trim().split('\n');
}

// Namespaces are needed; test/global-setup.ts says aloud that this is left out.
describe.skipIf(!isInsideLab())("the agent's namespace", () => {
  test('belongs to a user namespace of its own', () => {
    expect(makeWith(16)).toEqual(['netns/tributary', 'tributary-userns/user']);
  });

  test('is made all the same, and at once, where user namespaces are switched off', () => {
    expect(makeWith(0)).toEqual(['netns/tributary']);
  });
});
