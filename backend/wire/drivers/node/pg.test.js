// node-postgres through the wire port.
import assert from "node:assert/strict";
import { once } from "node:events";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { after, before, test } from "node:test";
import pg from "pg";
import copy from "pg-copy-streams";
import Cursor from "pg-cursor";
import { holdBackends, onEach, untilAsleep } from "./backends.js";

const BIG = "4611686018427387905";
const NOON = new Date("2026-11-21T12:00:00.123Z");

async function connected(work, options = {}) {
  const client = new pg.Client(options);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const state = (code) => (error) => {
  assert.equal(error.code, code, error.message);
  return true;
};

before(() =>
  connected((client) =>
    client.query(`
      drop table if exists pg_rows, pg_copied, pg_balances;
      create table pg_rows (id int constraint pg_positive check (id > 0));
      create table pg_copied (id int8, filler text);
      create table pg_balances (id int primary key, balance int8 not null)`),
  ),
);
after(() => connected((client) => client.query("drop table pg_rows, pg_copied, pg_balances")));

for (const name of [undefined, "values"]) {
  test(`values come back as they went, ${name ? "named" : "unnamed"}`, () =>
    connected(async (client) => {
      const text = "select $1::int8 a, $2::text b, $3::bytea c, $4::timestamptz d, $5::int4[] e, $6::jsonb f, $7::text g, $8::bool h";
      const bytes = Buffer.from(Array.from({ length: 256 }, (_, n) => n));
      const values = [BIG, "grüß 'dich' \\ \n", bytes, NOON, [1, null, 3], { a: [1, null, "ü"] }, null, true];
      for (let n = 0; n < 3; n++) {
        const { rows } = await client.query({ text, name, values });
        assert.deepEqual(Object.values(rows[0]), values);
      }
      const much = Buffer.alloc(3_000_000, "x\0y");
      const echo = await client.query("select $1::bytea much", [much]);
      assert.ok(echo.rows[0].much.equals(much));
    }));
}

test("an error has its state and ends nothing else", () =>
  connected(async (client) => {
    for (const name of [undefined, "division"]) {
      await assert.rejects(client.query({ text: "select 1 / $1::int", name, values: [0] }), state("22012"));
      await assert.rejects(client.query("insert into pg_rows values (-1)"), (error) => error.constraint === "pg_positive");
      await assert.rejects(client.query({ text: "selekt $1", name: name && "bad", values: [0] }), state("42601"));
      const { rows } = await client.query({ text: "select 6 / $1::int as three", values: [2] });
      assert.equal(rows[0].three, 3);
    }
  }));

test("transactions and savepoints", () =>
  connected(async (client) => {
    await client.query("begin");
    await client.query("insert into pg_rows values ($1)", [1]);
    await client.query("savepoint s");
    await assert.rejects(client.query("select 1/0"), state("22012"));
    await assert.rejects(client.query("select 1"), state("25P02"));
    await client.query("rollback to s");
    await client.query("insert into pg_rows values ($1)", [2]);
    await client.query("commit");
    await client.query("begin");
    await client.query("insert into pg_rows values ($1)", [3]);
    await client.query("rollback");
    const { rows } = await client.query("select array_agg(id order by id) ids from pg_rows");
    assert.deepEqual(rows[0].ids, [1, 2]);
  }));

test("prepared statements follow to every connection", async () => {
  const backends = await holdBackends();
  try {
    await connected(async (client) => {
      for (let n = 0; n < 3; n++) {
        for (const pid of backends.pids) {
          await backends.only(pid, async () => {
            const named = { name: "next", text: "select pg_backend_pid() pid, $1::int + 1 as next", values: [n] };
            assert.deepEqual((await client.query(named)).rows, [{ pid, next: n + 1 }]);
          });
        }
      }
    });
  } finally {
    await backends.release();
  }
});

test("one name for two texts is the driver's error, on whichever connection", () =>
  connected(async (client) => {
    await client.query({ name: "same", text: "select 1" });
    await assert.rejects(client.query({ name: "same", text: "select 2" }), /unique/);
  }));

test("DEALLOCATE of one statement leaves the others", () =>
  connected(async (client) => {
    await client.query({ name: "kept", text: "select 1 as one" });
    await client.query({ name: "dropped", text: "select 2 as two" });
    assert.equal((await client.query("deallocate dropped")).command, "DEALLOCATE");
    assert.equal((await client.query({ name: "kept", text: "select 1 as one" })).rows[0].one, 1);
    await assert.rejects(client.query({ name: "dropped", text: "select 2 as two" }), state("26000"));
  }));

test("copies in and out", () =>
  connected(async (client) => {
    const lines = Array.from({ length: 50_000 }, (_, n) => `${n}\trow ${n}\n`);
    const into = client.query(copy.from("copy pg_copied from stdin"));
    await pipeline(Readable.from(lines), into);
    assert.equal(into.rowCount, lines.length);
    const chunks = [];
    for await (const chunk of client.query(copy.to("copy (select * from pg_copied order by id) to stdout"))) {
      chunks.push(chunk);
    }
    assert.ok(Buffer.concat(chunks).toString() === lines.join(""));

    const broken = client.query(copy.from("copy pg_copied from stdin"));
    await assert.rejects(pipeline(Readable.from(Array(20_000).fill("no number\n")), broken), state("22P02"));
    const given = client.query(copy.from("copy pg_copied from stdin"));
    const giving = async function* () {
      yield "1\tx\n";
      throw new Error("given up");
    };
    await assert.rejects(pipeline(Readable.from(giving()), given));
    assert.equal((await client.query("select count(*)::int from pg_copied")).rows[0].count, lines.length);
  }));

test("cancels what runs", () =>
  connected(async (client) => {
    const query = new pg.Query("select pg_sleep(60) /* pg cancels */");
    client.query(query);
    const ended = once(query, "end");
    await untilAsleep("pg cancels");
    new pg.Client().cancel(client, query);
    await assert.rejects(ended, state("57014"));
    assert.equal((await client.query("select 1 as one")).rows[0].one, 1);
  }));

test("a statement timeout ends the statement", () =>
  connected(
    async (client) => {
      await assert.rejects(client.query("select pg_sleep($1)", [60]), state("57014"));
      assert.equal((await client.query("show statement_timeout")).rows[0].statement_timeout, "50ms");
    },
    { statement_timeout: 50 },
  ));

test("queries that queue are answered in their order, errors among them", () =>
  connected(async (client) => {
    const queued = Array.from({ length: 300 }, (_, n) =>
      client.query(n % 3 ? { name: `by ${n % 5}`, text: `select 12 / ($1::int % 5) + ${n % 5} x`, values: [n] } : { text: "select $1::int x", values: [n] }),
    );
    const results = await Promise.allSettled(queued);
    results.forEach((result, n) => {
      if (n % 3 && n % 5 === 0) {
        assert.equal(result.reason?.code, "22012");
      } else {
        assert.equal(result.value.rows[0].x, n % 3 ? Math.floor(12 / (n % 5)) + (n % 5) : n);
      }
    });
  }));

test("several statements in one text", () =>
  connected(async (client) => {
    const results = await client.query("begin; select 1 as one; select 2 as two; commit");
    assert.deepEqual(
      results.map((result) => result.command),
      ["BEGIN", "SELECT", "SELECT", "COMMIT"],
    );
    assert.equal(results[2].rows[0].two, 2);
  }));

test("cursors", () =>
  connected(async (client) => {
    await client.query("begin");
    const cursor = client.query(new Cursor("select n from generate_series(1, $1::int) n", [1000]));
    const seen = [];
    for (let rows = await cursor.read(90); rows.length > 0; rows = await cursor.read(90)) {
      seen.push(...rows.map((row) => row.n));
    }
    assert.equal(seen.length, 1000);
    await cursor.close();
    const left = client.query(new Cursor("select n from generate_series(1, $1::int) n", [1000]));
    assert.equal((await left.read(1))[0].n, 1);
    await left.close();
    await client.query("commit");
    const alone = client.query(new Cursor("select n from generate_series(1, $1::int) n", [1000]));
    assert.equal((await alone.read(10)).length, 10);
    assert.equal((await alone.read(2000)).length, 990);
    await alone.close();
    assert.equal((await client.query("select 1 as one")).rows[0].one, 1);
  }));

test("settings follow the client and nobody else", () => {
  const names = ["application_name", "search_path", "TimeZone", "work_mem", "DateStyle"];
  const query = `select ${names.map((name) => `current_setting('${name}')`).join()}`;
  const seen = async (client) => (await client.query({ text: query, rowMode: "array" })).rows[0];
  return connected(
    (client) =>
      connected(async (other) => {
        const theirs = await seen(other);
        await client.query("set work_mem = '7MB'");
        await client.query("set datestyle to 'ISO, DMY'");
        await client.query({ text: "set time zone 'Asia/Tokyo'", values: [] });
        await onEach(async () => {
          assert.deepEqual(await seen(client), ["node's", "pg_catalog", "Asia/Tokyo", "7MB", "ISO, DMY"]);
          assert.deepEqual(await seen(other), theirs);
        });
      }),
    { application_name: "node's", options: "-c search_path=pg_catalog" },
  );
});

test("notifications reach who listens and is idle", () =>
  connected((listener) =>
    connected(async (speaker) => {
      await listener.query("listen pg_news");
      for (let n = 0; n < 3; n++) {
        const heard = once(listener, "notification");
        await speaker.query("select pg_notify('pg_news', $1)", [String(n)]);
        assert.equal((await heard)[0].payload, String(n));
      }
      assert.equal((await listener.query("select 1 as one")).rows[0].one, 1);
    }),
  ));

test("twenty clients share two connections", async () => {
  const pool = new pg.Pool({ max: 20 });
  const work = async (me) => {
    await pool.query("insert into pg_balances values ($1, 0)", [me]);
    for (let n = 0; n < 15; n++) {
      await pool.query({ name: "add", text: "update pg_balances set balance = balance + $1 where id = $2", values: [n, me] });
      const client = await pool.connect();
      try {
        await client.query("begin");
        await client.query("update pg_balances set balance = 0 where id = $1", [me]);
        await assert.rejects(client.query({ name: "fails", text: "select 1 / $1::int", values: [0] }), state("22012"));
        await client.query("rollback");
        const chunks = [];
        for await (const chunk of client.query(copy.to("copy (select generate_series(1, 100)) to stdout"))) {
          chunks.push(chunk);
        }
        assert.equal(Buffer.concat(chunks).toString().trim().split("\n").length, 100);
      } finally {
        client.release();
      }
    }
    const { rows } = await pool.query("select balance from pg_balances where id = $1", [me]);
    assert.equal(rows[0].balance, "105");
  };
  await Promise.all(Array.from({ length: 20 }, (_, me) => work(me)));
  assert.equal(pool.totalCount, 20);
  await pool.end();
});
