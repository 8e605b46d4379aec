import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { isInsideLab } from '../../tools/lab/network.ts';

/** In a network of its own whose kernel settings can be written or not, as in a container. */
function askWhere(settings: 'writable' | 'read-only', forwarding: 0 | 1): string {
  const script = `
    echo "$1" >/proc/sys/net/ipv6/conf/all/forwarding
    if [ "$2" = read-only ]; then
      mount --rbind /proc/sys /proc/sys
      mount -o remount,bind,ro /proc/sys
    fi
    exec "$3" -e "import('./src/system/sysctl.ts').then((own) => own.mayForwardIpv6()).then(console.log)"
  `;
  const args = ['--net', '--mount', 'sh', '-euc', script, 'sh', String(forwarding), settings];
  return execFileSync('unshare', [...args, process.execPath], { encoding: 'utf8' }).trim();
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
