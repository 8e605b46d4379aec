import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import {
  queryOn,
  selectFields,
  sql,
  sumOnConflict,
} from '../../src/reference-service/statements.ts';

interface Row {
  readonly clientId: string;
  readonly rxBytes: number;
  readonly txBytes: number;
}

function open() {
  const database = new DatabaseSync(':memory:');
  database.exec(
    'create table usage (client_id text primary key, rx_bytes integer, tx_bytes integer) strict',
  );
  const queries = queryOn(database);
  const list = () =>
    queries.listRows<Row>`select ${selectFields('clientId rxBytes txBytes')} from usage`;
  return { database, list, ...queries };
}

test('fields name columns, also of a table that is named', () => {
  expect(selectFields('code share.clientId\n  isOnline')).toEqual({
    text: 'code as code, share.client_id as clientId, is_online as isOnline',
    values: [],
  });
});

test('a value never becomes text, also within a piece; a piece brings its own', () => {
  const hostile = "'; drop table usage; --";
  const ours = sql`client_id = ${hostile} or rx_bytes > ${7}`;
  expect(sql`select ${'a'} where ${ours} and tx_bytes is ${null}`).toEqual({
    text: 'select ? where client_id = ? or rx_bytes > ? and tx_bytes is ?',
    values: ['a', hostile, 7, null],
  });
});

test('a row is read as it was inserted, by one, by all, one by one and by number', () => {
  const { list, insert, run, findRow, readRows, readNumber } = open();
  const row = { clientId: 'a', rxBytes: 1, txBytes: 2 };
  insert('usage', row);
  expect(list()).toEqual([row]);
  const find = (id: string) =>
    findRow<Row>`select ${selectFields('rxBytes')} from usage where client_id = ${id}`;
  expect([find('a'), find('b')]).toEqual([{ rxBytes: 1 }, undefined]);
  const count = (id: string) => readNumber`select count(*) from usage where client_id = ${id}`;
  expect([count('a'), count('b')]).toEqual([1, 0]);
  expect([...readRows`select client_id from usage where rx_bytes = ${1}`]).toEqual([
    { client_id: 'a' },
  ]);
  run`delete from usage where client_id = ${'a'}`;
  expect(list()).toEqual([]);
});

test('an insertion that meets a row adds to the fields that are named', () => {
  const { list, insert } = open();
  insert('usage', { clientId: 'a', rxBytes: 1, txBytes: 2 }, sumOnConflict('rxBytes'));
  insert('usage', { clientId: 'a', rxBytes: 10, txBytes: 20 }, sumOnConflict('rxBytes'));
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
