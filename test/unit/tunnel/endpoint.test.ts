import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { resolveEndpoint } from '../../../src/tunnel/endpoint.ts';

describe('an endpoint', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7:51820'],
    ['2001:db8::7', '[2001:db8::7]:51820'],
  ])('that is an address (%s) is taken as it is', async (host, expected) => {
    expect(await resolveEndpoint({ host, port: 51820 }, { isServiceOnLoopback: false })).toBe(expected);
  });

  test('whose name leads to this device is refused', async () => {
    await expect(
      resolveEndpoint({ host: 'localhost', port: 51820 }, { isServiceOnLoopback: false }),
    ).rejects.toMatchObject({
      code: 'tunnel-failed',
      message: expect.stringContaining('this device itself'),
    });
  });

  test('whose name leads to this device is taken where the service is on it too', async () => {
    expect(await resolveEndpoint({ host: 'localhost', port: 51820 }, { isServiceOnLoopback: true })).toMatch(
      /^(127\.0\.0\.1|\[::1\]):51820$/,
    );
  });

  test('whose name nobody knows is a failure that names it', async () => {
    await expect(
      resolveEndpoint({ host: 'nobody.invalid', port: 51820 }, { isServiceOnLoopback: false }),
    ).rejects.toMatchObject({
      code: 'tunnel-failed',
      message: expect.stringContaining('nobody.invalid'),
      cause: expect.any(Error),
    });
  });

  test('whose name server says nothing is given up after five seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const given = resolveEndpoint({ host: 'nobody.invalid', port: 51820 }, { isServiceOnLoopback: false });
    vi.advanceTimersByTime(5000);
    await expect(given).rejects.toMatchObject({
      code: 'tunnel-failed',
      message: "resolving the tunnel's endpoint nobody.invalid: no answer within 5 s",
    });
  });

  test('whose name is known leaves no timer behind', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    await resolveEndpoint({ host: 'localhost', port: 51820 }, { isServiceOnLoopback: true });
    expect(vi.getTimerCount()).toBe(0);
  });
});
