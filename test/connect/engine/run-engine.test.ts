import { describe, expect, test } from 'vitest';
import { startEngine, startEngineWorld } from '../support/engine-world.ts';
import { connectConsumer } from '../support/socket-consumer.ts';

describe('the engine as a process sees it', () => {
  test('carries a consumer, has the books kept before each report, and ends when it is told to', async () => {
    const world = await startEngineWorld();
    const { platform, ids, ownId } = world;
    const engine = startEngine(world.start);
    await engine.waitFor('state', { isConnected: true, isPublished: true, problem: null });
    expect(engine.messages[0]).toEqual({ type: 'opened' });
    expect(engine.state()).toMatchObject({ url: platform.url, connectedSince: expect.any(Number) });
    const { exchange, settle, consumer, close } = await connectConsumer({
      platform,
      ids,
      providerId: ownId,
    });
    await exchange(500);
    await settle();
    engine.tell({ type: 'stop', final: false });
    await engine.ended;
    close();
    expect(engine.messages.at(-1)).toEqual({ type: 'ended', reportsLeft: 0 });
    for (const [contractId, bytes] of consumer.got)
      expect(platform.reported.get(contractId)).toBe(bytes);
    expect(platform.reported.size).toBeGreaterThan(1);
    expect(engine.kept()?.largestId).toMatch(/^[0-9a-f-]{36}$/);
    // A restart: what was published stays.
    expect(platform.publications.get(ownId)).toBe(1);
  });
});
