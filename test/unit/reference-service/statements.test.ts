import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { insertInto, prepareOn, selectFields, sumOnConflict } from '../../../src/reference-service/statements.ts';

interface Row {
  readonly clientId: string;
  readonly rxBytes: number;
  readonly txBytes: number;
}

function open() {
  const database = new DatabaseSync(':memory:');
  database.exec('create table usage (client_id text primary key, rx_bytes integer, tx_bytes integer) strict');
  const { prepareList, ...others } = prepareOn(database);
  const list = prepareList<Row, []>(`select ${selectFields('clientId rxBytes txBytes')} from usage`);
  return { database, list, ...others };
}

test('fields name columns, also of a table that is named', () => {
  expect(selectFields('code share.clientId\n  isOnline')).toBe(
    'code as code, share.client_id as clientId, is_online as isOnline',
  );
});

test('a row is read as it was inserted, by one, by all and by number', () => {
  const { database, list, prepareFind, prepareNumber } = open();
  const insert = database.prepare(insertInto('usage', 'clientId rxBytes txBytes'));
  insert.run({ clientId: 'a', rxBytes: 1, txBytes: 2 });
  expect(list()).toEqual([{ clientId: 'a', rxBytes: 1, txBytes: 2 }]);
  const find = prepareFind<Row, [id: string]>(`select ${selectFields('rxBytes')} from usage where client_id = ?`);
  expect([find('a'), find('b')]).toEqual([{ rxBytes: 1 }, undefined]);
  const count = prepareNumber<[{ id: string }]>('select count(*) from usage where client_id = :id');
  expect([count({ id: 'a' }), count({ id: 'b' })]).toEqual([1, 0]);
});

test('an insertion that meets a row adds to the fields that are named', () => {
  const { database, list } = open();
  const add = database.prepare(`${insertInto('usage', 'clientId rxBytes txBytes')} ${sumOnConflict('rxBytes')}`);
  add.run({ clientId: 'a', rxBytes: 1, txBytes: 2 });
  add.run({ clientId: 'a', rxBytes: 10, txBytes: 20 });
  expect(list()).toEqual([{ clientId: 'a', rxBytes: 11, txBytes: 2 }]);
});

test('values go to the columns of their fields, in whatever order they come', () => {
  const { list, insert } = open();
  expect(insert('usage', { clientId: 'a', rxBytes: 1, txBytes: 2 })).toBe(1);
  expect(insert('usage', { txBytes: 4, rxBytes: 3, clientId: 'b' })).toBe(2);
  insert('usage', { clientId: 'c', txBytes: 6 });
  expect(list()).toEqual([
    { clientId: 'a', rxBytes: 1, txBytes: 2 },
    { clientId: 'b', rxBytes: 3, txBytes: 4 },
    { clientId: 'c', rxBytes: null, txBytes: 6 },
  ]);
});
