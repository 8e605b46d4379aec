import { hasScapy } from './packet-process.ts';

/** Says aloud where the attack is left out; a run that has to be complete fails instead. */
export function setup(): void {
  if (hasScapy()) return;
  const message =
    "the attack with crafted packets (test/attack) is skipped: it needs scapy for /usr/bin/python3, Debian's package python3-scapy";
  if (process.env.CI === 'true') throw new Error(message);
  process.stderr.write(`\n  NOTE: ${message}\n\n`);
}
