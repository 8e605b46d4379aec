import { platformSchema } from './platform/platform-schema.ts';

/** A database of any other version is refused. */
export const schemaVersion = 13;

/**
 * Turns an empty database into one of this service. `offer` says to whom a connected client may be
 * given; the default mode counts as public here, and who is not listed is given to nobody. The
 * default place is the world's home. Triggers keep the counts by place, and days and a network's
 * hours are kept as totals, so that no question reads thousands of rows. In these tables `client`
 * is client.sequence, and `day` counts from 1970. What the platform keeps comes from a file of its
 * own.
 */
export const schema = `create table setting (name text primary key, value text not null) strict;
   create table network (
     network_id text primary key, network_name text not null, user_id text not null, created_ms integer not null,
     kind text not null default 'permanent', is_public integer not null default 0, payout_wallet_id text,
     provided_bytes integer not null default 0
   ) strict;
   create index network_by_name on network (network_name collate nocase);
   create index network_earner on network (provided_bytes desc) where kind = 'permanent' and provided_bytes > 0;
   create table code (
     code_hash text primary key, purpose text not null, network_id text not null references network,
     expires_ms integer not null, uses_left integer not null
   ) strict;
   create index code_network on code (network_id, purpose, expires_ms);
   create index code_expiry on code (expires_ms);
   create table login (
     user_auth text primary key, network_id text not null references network,
     password_hash text, is_verified integer not null
   ) strict;
   create index login_network on login (network_id);
   create table wallet (
     wallet_id text primary key, managed_wallet_id text, network_id text not null references network,
     wallet_type text not null, blockchain text not null, wallet_address text not null, active integer not null,
     default_token_type text not null, created_ms integer not null
   ) strict;
   create index wallet_network on wallet (network_id, created_ms);
   create table client (
     sequence integer primary key autoincrement, client_id text not null unique,
     network_id text not null references network,
     device_id text not null, source_client_id text, description text not null, device_spec text not null,
     device_name text,
     created_ms integer not null, authenticated_ms integer not null, provide_mode text not null,
     city_id text not null default '15df991c-044a-57ee-9def-f159d67048de',
     region_id text not null default 'f8721894-ada3-51b1-a197-643d4fc12be8',
     country_id text not null default 'dcd76238-6874-5f41-96a3-4fccadb00fe0',
     is_online integer not null default 0, is_simulated integer not null default 0,
     is_listed integer not null default 1,
     bytes_per_second integer not null default 0, quality real not null default 0,
     has_published integer not null default 0,
     offer text generated always as (
       case when is_online = 0 then null
            when provide_mode in ('default', 'public', 'stream') then iif(is_listed, 'public', 'unlisted')
            when provide_mode in ('network', 'friends') then iif(is_listed, 'network', 'unlisted') end) virtual
   ) strict;
   create index client_network on client (network_id, sequence);
   create index client_offer on client (offer, quality desc, sequence) where offer is not null;
   create index client_offer_city on client (city_id, offer, quality desc, sequence) where offer is not null;
   create index client_offer_network on client (network_id, offer, quality desc, sequence) where offer is not null;
   create index client_online on client (is_online) where is_simulated = 0;
   create table location_count (location_id text primary key, providers integer not null) strict, without rowid;
   create trigger client_offered after insert on client when new.offer = 'public' begin
     insert into location_count values (new.city_id, 1), (new.region_id, 1), (new.country_id, 1)
       on conflict do update set providers = providers + 1;
   end;
   create trigger client_offer_changed
     after update of is_online, is_listed, provide_mode, city_id, region_id, country_id on client begin
     update location_count set providers = providers - 1
       where old.offer is 'public' and location_id in (old.city_id, old.region_id, old.country_id);
     insert into location_count
       select place, 1 from (select new.city_id as place union all select new.region_id union all select new.country_id)
       where new.offer is 'public'
       on conflict do update set providers = providers + 1;
   end;
   create table proxy (
     client_id text primary key references client (client_id), instance_id text not null, auth_token text,
     is_url_issued integer not null default 0
   ) strict;
   create table tunnel (
     number integer primary key autoincrement, client_id text not null unique references client (client_id),
     private_key text not null, public_key text not null unique
   ) strict;
   create table connection (
     connection_id text primary key, client_id text not null references client (client_id),
     connected_ms integer not null, disconnected_ms integer
   ) strict;
   create index connection_open on connection (client_id) where disconnected_ms is null;
   create index connection_ended on connection (client_id, coalesce(disconnected_ms, 9007199254740991));
   create table usage_hour (
     client_id text not null references client (client_id), hour_ms integer not null,
     rx_bytes integer not null, tx_bytes integer not null, online_ms integer not null, sessions integer not null,
     searches integer not null default 0, primary key (client_id, hour_ms)
   ) strict, without rowid;
   create table usage_day (
     client integer not null references client (sequence), day integer not null,
     rx_bytes integer not null, tx_bytes integer not null, online_ms integer not null, sessions integer not null,
     searches integer not null, primary key (client, day)
   ) strict, without rowid;
   create table consumer_day (
     client integer not null references client (sequence), day integer not null, consumer_id text not null,
     bytes integer not null, sessions integer not null, last_ms integer not null, primary key (client, day, consumer_id)
   ) strict, without rowid;
   create table network_hour (
     network_id text not null references network, hour_ms integer not null,
     online_clients integer not null, online_ms integer not null, primary key (network_id, hour_ms)
   ) strict, without rowid;
   create table share (
     code text primary key, network_id text not null references network,
     client_id text not null references client (client_id), device_name text not null, created_ms integer not null,
     guest_network_id text references network, guest_client_id text references client (client_id), added_ms integer,
     confirmed_ms integer
   ) strict;
   create index share_owner on share (network_id, created_ms);
   create index share_guest on share (guest_network_id, added_ms) where guest_network_id is not null;
   create table pairing (
     code text primary key, secret_hash text not null, device_name text not null, device_spec text not null,
     expires_ms integer not null, network_id text references network
   ) strict;
   create index pairing_network on pairing (network_id, expires_ms) where network_id is not null;
   create index pairing_expiry on pairing (expires_ms);
   create table adopt_code (
     code text primary key, network_id text not null references network,
     client_id text not null references client (client_id), device_name text not null,
     duration_minutes real not null, expires_ms integer not null, adopted_ms integer
   ) strict;
   create index adopt_code_network on adopt_code (network_id, expires_ms);
   ${platformSchema}`;
