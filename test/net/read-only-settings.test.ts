import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { findAction } from '../../src/health/reasons.ts';
import { isInsideLab } from '../../tools/lab/network.ts';

/**
 * In a network of its own whose kernel settings can be written or not, as in a container: what
 * comes of this with the settings' module as `own`.
 */
function askWhere(
  settings: 'writable' | 'read-only',
  forwarding: 0 | 1,
  expression = 'own.mayForwardIpv6()',
): string {
  const script = `
    echo "$1" >/proc/sys/net/ipv6/conf/all/forwarding
    if [ "$2" = read-only ]; then
      mount --rbind /proc/sys /proc/sys
      mount -o remount,bind,ro /proc/sys
    fi
    exec "$3" -e "import('./src/system/sysctl.ts').then((own) => $4).catch(String).then(console.log)"
  `;
  const args = ['--net', '--mount', 'sh', '-euc', script, 'sh', String(forwarding), settings];
  const given = [...args, process.execPath, expression];
  return execFileSync('unshare', given, { encoding: 'utf8' }).trim();
}

// Namespaces are needed; test/global-setup.ts says aloud that this is left out.
describe.skipIf(!isInsideLab())('IPv6', () => {
  test.each([
    ['writable', 0, true],
    ['writable', 1, true],
    ['read-only', 1, true],
    ['read-only', 0, false],
  ] as const)(
    'where the settings are %s and forwarding is %i may be forwarded: %s',
    (settings, forwarding, expected) => {
      expect(askWhere(settings, forwarding)).toBe(String(expected));
    },
  );
});

describe.skipIf(!isInsideLab())('a setting that a container may not change', () => {
  test('is named with what the container has to be started with, and so is what to do', () => {
    const write = "own.writeSysctl('net/ipv4/ip_forward', '1')";
    expect(askWhere('writable', 0, write)).toBe('undefined');
    const said = askWhere('read-only', 0, write);
    expect(said).toMatch(/setting net\/ipv4\/ip_forward to 1: EROFS/);
    expect(said).toContain('--sysctl net.ipv4.ip_forward=1');
    expect(findAction('not-allowed')).toContain('In a container, start it with what the message');
  });
});
