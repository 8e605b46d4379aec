import { describe, expect, test } from 'vitest';
import { health } from '../../../src/cli/health.ts';
import { provide, readProvideBody } from '../../../src/cli/provide.ts';
import { status } from '../../../src/cli/status.ts';
import { buildStatusDocument } from '../../../src/status/document.ts';
import { now, providingFacts } from '../health/sample-facts.ts';
import { createStatusFixture } from '../status/status-fixture.ts';
import { runCommand } from './run-command.ts';

async function startAgent() {
  const agent = await createStatusFixture('no-page');
  await agent.start();
  return agent;
}

describe('tributary status', () => {
  test('shows people the phase first, coloured by how bad it is', async () => {
    await using agent = await startAgent();
    const { stdout } = await runCommand(status, agent.socketPath, ['status']);
    expect(stdout.split('\n')[0]).toBe('<green>Tributary is providing</green>');
    expect(stdout).toContain('\nTunnel    tributary0 (kernel) to 198.51.100.1:51820');
  });

  test('gives scripts the document as it is', async () => {
    await using agent = await startAgent();
    const { stdout } = await runCommand(status, agent.socketPath, ['status', '--json']);
    expect(JSON.parse(stdout)).toEqual(buildStatusDocument(providingFacts, now));
  });

  test('says that the agent does not run', async () => {
    const shown = runCommand(status, '/nowhere/tributary.sock', ['status']);
    await expect(shown).rejects.toMatchObject({ code: 'not-running' });
  });
});

describe('tributary health', () => {
  test.each([
    { isHealthy: true, exitCode: 0, stdout: 'healthy: providing\n' },
    { isHealthy: false, exitCode: 1, stdout: 'unhealthy: connecting for 400 s\n' },
  ])('ends with $exitCode and one line', async ({ isHealthy, exitCode, stdout }) => {
    await using agent = await startAgent();
    agent.state.isHealthy = isHealthy;
    expect(await runCommand(health, agent.socketPath, ['health'])).toEqual({ exitCode, stdout });
  });

  test('ends with 1 where no agent runs', async () => {
    const result = await runCommand(health, '/nowhere/tributary.sock', ['health', '--json']);
    expect(result.exitCode).toBe(1);
    expect(JSON.parse(result.stdout)).toMatchObject({ healthy: false });
  });
});

describe('tributary provide', () => {
  test('shows the mode and changes nothing', async () => {
    await using agent = await startAgent();
    const { stdout } = await runCommand(provide, agent.socketPath, ['provide']);
    expect(stdout).toBe(
      'Mode: public (as configured), the service has public\nLimit: 20.0 Mbit/s each way (as configured), your household goes first\n',
    );
    expect(agent.state.commands).toEqual([]);
  });

  test('sets a mode for a while, then takes it back', async () => {
    await using agent = await startAgent();
    const set = await runCommand(provide, agent.socketPath, ['provide', 'none', '--for', '2h', '--json']);
    expect(JSON.parse(set.stdout)).toMatchObject({
      override: { mode: 'none', until: '2026-03-14T14:00:00.000Z' },
      effective: 'none',
    });
    await runCommand(provide, agent.socketPath, ['provide', 'public', '--limit', '10 Mbit', '--for', '8h']);
    await runCommand(provide, agent.socketPath, ['provide', 'public', '--limit', '1.5Mbit']);
    await runCommand(provide, agent.socketPath, ['provide', 'auto']);
    await runCommand(provide, agent.socketPath, ['provide', '--clear']);
    expect(agent.state.commands).toEqual([
      ['none', 7200],
      ['public', 28_800, 10_000_000],
      ['public', undefined, 1_500_000],
      ['cleared', undefined],
      ['cleared', undefined],
    ]);
  });

  test.each([
    { claim: 'an unknown mode', mode: 'open', options: {} },
    { claim: "a mode's number", mode: '4', options: {} },
    { claim: 'a time without a mode', mode: undefined, options: { for: '2h' } },
    { claim: 'a time with auto', mode: 'auto', options: { for: '2h' } },
    { claim: 'a mode and --clear', mode: 'public', options: { clear: true } },
    { claim: 'a time without a unit', mode: 'public', options: { for: '2' } },
    { claim: 'no time at all', mode: 'public', options: { for: '0s' } },
    { claim: 'a limit without a mode', mode: undefined, options: { limit: '10 Mbit' } },
    { claim: 'a limit with auto', mode: 'auto', options: { limit: '10 Mbit' } },
  ])('refuses $claim', async ({ mode, options }) => {
    await expect(readProvideBody(mode, options)).rejects.toMatchObject({ code: 'usage-invalid' });
  });

  test.each([
    ['10', 'a rate with its unit, such as "20 Mbit" or "500 kbit" (per second)'],
    ['fast', 'a rate with its unit, such as "20 Mbit" or "500 kbit" (per second)'],
    ['0 Mbit', 'a rate from "64 kbit" to "100 Gbit"'],
    ['200 Gbit', 'a rate from "64 kbit" to "100 Gbit"'],
  ])('refuses the limit %s, and says what it may be', async (limit, allowed) => {
    const refusal = { code: 'usage-invalid', message: `setting the mode: ${limit} is not ${allowed}` };
    await expect(readProvideBody('public', { limit })).rejects.toMatchObject(refusal);
  });
});
