import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createKeptNames, type KnownAddresses } from '../../../src/lib/kept-names.ts';
import { hourMs } from '../../../src/lib/units.ts';

const host = 'service.example';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const fail = (code: string) => Object.assign(new Error(`getaddrinfo ${code} ${host}`), { code });

/** Names whose name servers say what `servers.answer` says, after an earlier life. */
function createNames(before: KnownAddresses = {}) {
  const kept: KnownAddresses[] = [];
  const servers = { answer: async (): Promise<readonly string[]> => ['192.0.2.1', '192.0.2.2'] };
  const names = createKeptNames({
    before,
    keep: (known) => void kept.push(known),
    names: { lookUp: () => servers.answer() },
  });
  return { kept, servers, names };
}

describe('where the name servers answer', () => {
  test('their answer is used, whatever was good before', async () => {
    const { names } = createNames({ [host]: ['192.0.2.9'] });
    expect(await names.lookUp(host)).toEqual(['192.0.2.1', '192.0.2.2']);
  });

  test('the address that was good is kept first, and the others behind it', async () => {
    const { names, kept } = createNames();
    await names.lookUp(host);
    names.noteGood(host, '192.0.2.2');
    expect(kept).toEqual([{ [host]: ['192.0.2.2', '192.0.2.1'] }]);
  });

  test('what is known already is not written again, and a change at most once an hour', async () => {
    const { names, kept, servers } = createNames();
    await names.lookUp(host);
    names.noteGood(host, '192.0.2.1');
    names.noteGood(host, '192.0.2.2');
    expect(kept).toHaveLength(1);
    servers.answer = async () => ['192.0.2.7'];
    await names.lookUp(host);
    names.noteGood(host, '192.0.2.7');
    expect(kept).toHaveLength(1);
    vi.advanceTimersByTime(hourMs);
    names.noteGood(host, '192.0.2.7');
    expect(kept.at(-1)).toEqual({ [host]: ['192.0.2.7'] });
  });

  test('what was good before is named as well, until an address that they gave is good', async () => {
    const { names } = createNames({ [host]: ['192.0.2.9'] });
    await names.lookUp(host);
    expect(names.alsoGood(host)).toEqual(['192.0.2.9']);
    names.noteGood(host, '192.0.2.9');
    expect(names.alsoGood(host)).toContain('192.0.2.9');
    names.noteGood(host, '192.0.2.2');
    expect(names.alsoGood(host)).toEqual([]);
    expect(names.alsoGood('other.example')).toEqual([]);
  });

  test('an address that stands for itself is not kept', () => {
    const { names, kept } = createNames();
    names.noteGood('192.0.2.1', '192.0.2.1');
    expect(kept).toEqual([]);
  });
});

describe('where the name servers fail', () => {
  test.each(['EAI_AGAIN', 'ENOTFOUND'])(
    'by %s, what was good in an earlier life is used',
    async (code) => {
      const { names, servers } = createNames({ [host]: ['192.0.2.9'] });
      servers.answer = () => Promise.reject(fail(code));
      expect(await names.lookUp(host)).toEqual(['192.0.2.9']);
    },
  );

  test('it fails for a name that never had an address', async () => {
    const { names, servers } = createNames({ [host]: ['192.0.2.9'] });
    servers.answer = () => Promise.reject(fail('EAI_AGAIN'));
    await expect(names.lookUp('other.example')).rejects.toThrow('EAI_AGAIN');
  });

  test('an answer that is late is used by a later lookup, and is asked for once', async () => {
    const { names, servers } = createNames({ [host]: ['192.0.2.9'] });
    const late = Promise.withResolvers<readonly string[]>();
    let asked = 0;
    servers.answer = () => {
      asked += 1;
      return late.promise;
    };
    expect(await names.lookUp(host)).toEqual(['192.0.2.9']);
    late.resolve(['192.0.2.5']);
    expect(await names.lookUp(host)).toEqual(['192.0.2.5']);
    expect(asked).toBe(1);
    servers.answer = () => Promise.reject(fail('EAI_AGAIN'));
    expect(await names.lookUp(host)).toEqual(['192.0.2.5']);
  });

  test('a name that is denied for an hour is forgotten, and one that only fails is not', async () => {
    const { names, servers, kept } = createNames({ [host]: ['192.0.2.9'] });
    servers.answer = () => Promise.reject(fail('EAI_AGAIN'));
    await names.lookUp(host);
    vi.advanceTimersByTime(24 * hourMs);
    expect(await names.lookUp(host)).toEqual(['192.0.2.9']);
    servers.answer = () => Promise.reject(fail('ENOTFOUND'));
    expect(await names.lookUp(host)).toEqual(['192.0.2.9']);
    vi.advanceTimersByTime(hourMs);
    await expect(names.lookUp(host)).rejects.toThrow('ENOTFOUND');
    expect(kept).toEqual([{}]);
  });

  test('machines that refuse for an hour, at an address of before, are forgotten', async () => {
    const { names, servers } = createNames({ [host]: ['192.0.2.9'] });
    servers.answer = () => Promise.reject(fail('EAI_AGAIN'));
    await names.lookUp(host);
    names.noteRefused(host);
    vi.advanceTimersByTime(hourMs);
    names.noteRefused(host);
    await expect(names.lookUp(host)).rejects.toThrow('EAI_AGAIN');
  });

  test('machines that refuse where the name servers answer change nothing', async () => {
    const { names, servers, kept } = createNames({ [host]: ['192.0.2.9'] });
    await names.lookUp(host);
    names.noteRefused(host);
    vi.advanceTimersByTime(hourMs);
    names.noteRefused(host);
    servers.answer = () => Promise.reject(fail('EAI_AGAIN'));
    expect(await names.lookUp(host)).toEqual(['192.0.2.1', '192.0.2.2']);
    expect(kept).toEqual([]);
  });
});
