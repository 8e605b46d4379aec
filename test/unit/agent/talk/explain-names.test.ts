import { describe, expect, test } from 'vitest';
import { explainNames } from '../../../../src/agent/talk/explain-names.ts';
import { messageOf, TributaryError } from '../../../../src/errors/codes.ts';

const lost = new TributaryError(
  'service-unreachable',
  'registering: no connection to service.example: no name server answers',
);

describe('a name that was not resolved', () => {
  test.each<[string, string | undefined, boolean]>([
    ['no name server', '', true],
    ['no file', undefined, true],
    ["the host's loopback alone", 'nameserver 127.0.0.53\nnameserver ::1\n', true],
    ['a name server', 'nameserver 192.168.1.1\n', false],
    ["Docker's own", 'nameserver 127.0.0.11\noptions ndots:0\n', false],
    ['one of IPv6, as in a container', 'nameserver fd00::10\n', false],
  ])('with %s', async (_, resolvConf, isCause) => {
    const shown = await explainNames(lost, async () => resolvConf);
    expect(shown).toMatchObject({ code: 'service-unreachable' });
    expect(messageOf(shown).includes('no name server can be reached')).toBe(isCause);
    expect(messageOf(shown)).toContain('no name server answers');
  });

  test('is the only failure for which the name servers are looked at', async () => {
    const read = async () => expect.fail('they were read');
    const refused = new TributaryError(
      'service-unreachable',
      'no connection: nothing listens there',
    );
    expect(await explainNames(refused, read)).toBe(refused);
    const other = new Error('no name server answers');
    expect(await explainNames(other, read)).toBe(other);
  });
});
