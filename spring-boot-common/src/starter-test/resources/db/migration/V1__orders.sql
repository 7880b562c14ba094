create table orders (id bigint generated always as identity primary key, item text not null);
