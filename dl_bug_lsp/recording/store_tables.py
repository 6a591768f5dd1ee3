"""The tables of the spectrum's file (their meaning: `store`), and how they are made or extended."""

from __future__ import annotations

import sqlite3

SCHEMA = "2"
OLDER = "1"
"""The schema that is still read, and extended by the next writer."""
TABLES = {
    "about": "key value",
    "session": "id started command branch",
    "body": "digest text",
    "source": "id session file digest imported",
    "test": "id session name outcome failed_in seconds text weight part_of",
    "hit": "test phase source lines",
    "arc": "test phase source first last",
    "signature": "test file line function argument text call_file call_line passing failing",
}
_TABLES = """
create table about (key text primary key, value text);
create table session (id integer primary key, started text, command text, branch integer);
create table body (digest text primary key, text blob);
create table source (id integer primary key, session integer, file text, digest text,
                     imported blob, unique (session, file));
create table test (id integer primary key, session integer, name text unique, outcome text,
                   failed_in text, seconds real, text text);
create table hit (test integer, phase text, source integer, lines blob);
create index hit_test on hit (test);
create table arc (test integer, phase text, source integer, first integer, last integer);
create index arc_test on arc (test);
"""
_SINCE_2 = """
alter table test add column weight integer default 1;
alter table test add column part_of text default '';
create table signature (test integer, file text, line integer, function text, argument text,
                        text text, call_file text, call_line integer, passing integer,
                        failing integer);
create index signature_test on signature (test);
"""


def make_tables(db: sqlite3.Connection) -> None:
    """Make what is missing: all tables, or what a file of the older schema lacks."""
    missing = "" if has(db, "about") else _TABLES
    missing += "" if has(db, "signature") else _SINCE_2
    for statement in filter(str.strip, missing.split(";")):
        db.execute(statement)
    db.execute("insert or replace into about values ('schema', ?)", (SCHEMA,))


def has(db: sqlite3.Connection, table: str) -> bool:
    """Say whether a file has a table."""
    named = db.execute("select 1 from sqlite_master where name = ?", (table,))
    return named.fetchone() is not None
