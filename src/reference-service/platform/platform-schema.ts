/**
 * The tables of the platform. Times are in ms by the platform's own clock. A side of a contract is
 * its source or its destination: `…_state` is what it has reported so far, and `…_bytes` the sum of
 * it; `late_bytes` came after it was closed. `outcome` is null while it is open. What is in
 * `client_key` is in base64, and null where it was not published.
 */
export const platformSchema = `create table provide_key (
     client_id text not null references client (client_id), mode integer not null, secret text not null,
     primary key (client_id, mode)
   ) strict, without rowid;
   create table client_key (
     client_id text primary key references client (client_id), public_key text, certificates text, signature text
   ) strict, without rowid;
   create table contract (
     contract_id text primary key, source_id text not null references client (client_id),
     destination_id text not null references client (client_id),
     is_companion integer not null, mode integer not null, byte_count integer not null,
     payer_id text not null references network (network_id), payee_id text not null references network (network_id),
     created_ms integer not null, source_state text not null default 'unreported', source_bytes integer not null default 0,
     destination_state text not null default 'unreported', destination_bytes integer not null default 0,
     disputed_ms integer, closed_ms integer, outcome text, paid_bytes integer not null default 0,
     late_bytes integer not null default 0
   ) strict;
   create table reliability_block (
     client_id text not null references client (client_id), block_ms integer not null, connections integer not null,
     established integer not null, published integer not null, changes integer not null, messages integer not null,
     primary key (client_id, block_ms)
   ) strict, without rowid;
   create index reliability_block_age on reliability_block (block_ms);
   create table open_socket (
     number integer primary key autoincrement, client_id text not null references client (client_id),
     opened_ms integer not null, latency_ms integer, bytes_per_second integer
   ) strict;
   create table transfer_balance (
     network_id text primary key references network (network_id), bytes integer not null
   ) strict, without rowid;
   create index contract_pair on contract (source_id, destination_id, closed_ms);
   create index contract_open on contract (created_ms) where outcome is null;
   create index contract_dispute on contract (disputed_ms) where outcome is null and disputed_ms is not null;
   create index contract_payer on contract (payer_id) where outcome is null;
   create index contract_payee on contract (payee_id, closed_ms) where paid_bytes > 0;`;
