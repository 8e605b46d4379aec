import { describe, expect, it } from 'vitest';
import {
  type ClientRow,
  type DesiredClient,
  findOwnClient,
  listKnownClientIds,
} from '../../../src/identity/find-client.ts';
import { operations } from '../../../src/service/operations.ts';
import { fromWire } from '../../../src/service/wire-case.ts';

const installId = '00000000000000aa';
const otherMark = '[tributary:00000000000000bb]';
const mark = `[tributary:${installId}]`;
const identity = { installId, clientId: undefined, isUncertain: false };
const pending = {
  installId,
  description: 'shed',
  startedAt: '',
  knownClientIds: ['old'],
  isAccepted: false,
};
const fresh: DesiredClient = { identity, pending: undefined, description: 'shed', spec: 'pi' };

const parseRows = (...clients: object[]): readonly ClientRow[] =>
  fromWire(operations.clients.response.parse({ clients })).clients;

describe('our client among many', () => {
  it.each<[string, Partial<DesiredClient>, object[], object]>([
    ['nobody', {}, [], { kind: 'absent' }],
    [
      'a stranger',
      {},
      [{ client_id: 'x', description: 'shed', device_spec: 'pi' }],
      { kind: 'absent' },
    ],
    ['a row without an id', {}, [{ device_spec: mark }], { kind: 'absent' }],
    ['a row with an empty id', {}, [{ client_id: '', device_spec: mark }], { kind: 'absent' }],
    [
      'our id twice',
      { identity: { ...identity, clientId: 'ours' } },
      [{ client_id: 'ours' }, { client_id: 'ours' }],
      { kind: 'found', row: { clientId: 'ours' } },
    ],
    [
      'our marker twice at the same time',
      {},
      [
        { client_id: 'b', device_spec: mark, create_time: '2026-01-01T00:00:00Z' },
        { client_id: 'a', device_spec: mark, create_time: '2026-01-01T00:00:00Z' },
      ],
      { kind: 'found', row: { clientId: 'a' } },
    ],
    [
      'our marker at a time that is none, and later',
      {},
      [
        { client_id: 'a', device_spec: mark, create_time: 'yesterday' },
        { client_id: 'b', device_spec: mark, create_time: '2030-01-01T00:00:00Z' },
      ],
      { kind: 'found', row: { clientId: 'b' } },
    ],
    [
      'a row of another description, as ours was before a lost create',
      { pending },
      [{ client_id: 'new', description: 'barn' }],
      { kind: 'absent' },
    ],
    [
      'our marker under another description',
      {},
      [
        { client_id: 'x' },
        { client_id: 'ours', description: 'barn', device_spec: `old spec ${mark}` },
      ],
      { kind: 'found', row: { clientId: 'ours' } },
    ],
    [
      'our id, whatever the marker',
      { identity: { ...identity, clientId: 'ours' } },
      [{ client_id: 'y', device_spec: mark }, { client_id: 'ours' }],
      { kind: 'found', row: { clientId: 'ours' } },
    ],
    [
      'our marker on another client than the one we know',
      { identity: { ...identity, clientId: 'ours' } },
      [{ client_id: 'y', device_spec: mark }],
      { kind: 'absent' },
    ],
    [
      'our marker several times',
      {},
      [
        { client_id: 'undated', device_spec: mark },
        { client_id: 'b', device_spec: mark, create_time: '2026-01-02T00:00:00.000000002Z' },
        { client_id: 'a', device_spec: mark, create_time: '2026-01-01T00:00:00Z' },
      ],
      { kind: 'found', row: { clientId: 'a' } },
    ],
    [
      'our marker several times, without dates',
      {},
      [
        { client_id: 'b', device_spec: mark },
        { client_id: 'a', device_spec: mark },
      ],
      { kind: 'found', row: { clientId: 'a' } },
    ],
    [
      'a new unmarked row after a lost create',
      { pending },
      [
        { client_id: 'old', description: 'shed' },
        { client_id: 'marked', description: 'shed', device_spec: otherMark },
        { client_id: 'barn', description: 'barn' },
        { client_id: 'ours', description: 'shed' },
      ],
      { kind: 'found', row: { clientId: 'ours' } },
    ],
    [
      'two new unmarked rows after a lost create',
      { pending },
      [
        { client_id: 'a', description: 'shed' },
        { client_id: 'b', description: 'shed' },
      ],
      { kind: 'ambiguous', clientIds: ['a', 'b'] },
    ],
    [
      'one that looks like ours, for a broken identity',
      { identity: { ...identity, isUncertain: true } },
      [
        { client_id: 'spec', description: 'shed', device_spec: `other ${otherMark}` },
        { client_id: 'plain', description: 'shed', device_spec: 'pi' },
        { client_id: 'ours', description: 'shed', device_spec: `pi ${otherMark}` },
      ],
      { kind: 'found', row: { clientId: 'ours' } },
    ],
    [
      'one that looks like ours, for a whole identity',
      {},
      [{ client_id: 'twin', description: 'shed', device_spec: `pi ${otherMark}` }],
      { kind: 'absent' },
    ],
  ])('%s', (_, desired, rows, finding) => {
    expect(findOwnClient(parseRows(...rows), { ...fresh, ...desired })).toMatchObject(finding);
    // Whatever the order of the list, the same is found.
    const { clientIds, ...same } = finding as { readonly clientIds?: readonly string[] };
    const turned = clientIds === undefined ? same : { ...same, clientIds: clientIds.toReversed() };
    expect(findOwnClient(parseRows(...rows.toReversed()), { ...fresh, ...desired })).toMatchObject(
      turned,
    );
  });

  it('is told from clients of the same description that existed before', () => {
    const rows = parseRows(
      { client_id: 'a', description: 'shed' },
      { client_id: 'b', description: 'barn' },
      { description: 'shed' },
    );
    expect(listKnownClientIds(rows, 'shed')).toEqual(['a']);
  });
});
