// postgres.js through the wire port.
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { after, before, test } from "node:test";
import postgres from "postgres";
import { holdBackends, onEach, untilAsleep } from "./backends.js";

const BIG = 4611686018427387905n;
const NOON = new Date("2026-11-21T12:00:00.123Z");

async function connected(work, options = {}) {
  const sql = postgres({ max: 1, onnotice: () => {}, ...options });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

const state = (code) => (error) => {
  assert.equal(error.code, code, error.message);
  return true;
};

before(() =>
  connected(async (sql) => {
    await sql`drop table if exists postgres_rows, postgres_copied, postgres_balances, postgres_changing`;
    await sql`create table postgres_rows (id int constraint postgres_positive check (id > 0))`;
    await sql`create table postgres_copied (id int8, filler text)`;
    await sql`create table postgres_balances (id int primary key, balance int8 not null)`;
    await sql`create table postgres_changing (id int)`;
  }),
);
after(() => connected((sql) => sql`drop table postgres_rows, postgres_copied, postgres_balances, postgres_changing`));

for (const prepare of [true, false]) {
  test(`values come back as they went, ${prepare ? "named" : "unnamed"}`, () =>
    connected(
      async (sql) => {
        const bytes = Buffer.from(Array.from({ length: 256 }, (_, n) => n));
        const text = "grüß 'dich' \\ \n";
        const json = { a: [1, null, "ü"] };
        for (let n = 0; n < 3; n++) {
          const [row] = await sql`select ${BIG}::int8 a, ${text}::text b, ${bytes}::bytea c, ${NOON}::timestamptz d,
            ${[1, 2, 3]}::int4[] e, ${["a", 'q"uote,']}::text[] f, ${sql.json(json)}::jsonb g,
            ${null}::text h, ${true}::bool i`;
          assert.deepEqual(Object.values(row), [BIG, text, bytes, NOON, [1, 2, 3], ["a", 'q"uote,'], json, null, true]);
        }
        const much = Buffer.alloc(3_000_000, "x\0y");
        assert.ok((await sql`select ${much}::bytea much`)[0].much.equals(much));
      },
      { prepare, types: { bigint: postgres.BigInt } },
    ));
}

test("an error has its state and ends nothing else", () =>
  connected(async (sql) => {
    for (let n = 0; n < 2; n++) {
      await assert.rejects(sql`select 1 / ${0}::int`, state("22012"));
      await assert.rejects(sql`insert into postgres_rows values (${-1})`, (error) => error.constraint_name === "postgres_positive");
      await assert.rejects(sql`selekt ${1}`, state("42601"));
      await assert.rejects(sql`select * from postgres_nowhere where id = ${1}`, state("42P01"));
      assert.equal((await sql`select 6 / ${2}::int as three`)[0].three, 3);
    }
  }));

test("transactions and savepoints", () =>
  connected(async (sql) => {
    await sql.begin("isolation level serializable", async (sql) => {
      await sql`insert into postgres_rows values (${1})`;
      await assert.rejects(
        sql.savepoint(async (sql) => {
          await sql`insert into postgres_rows values (${2})`;
          await sql`select 1 / ${0}::int`;
        }),
        state("22012"),
      );
      await sql`insert into postgres_rows values (${3})`;
    });
    await assert.rejects(
      sql.begin(async (sql) => {
        await sql`insert into postgres_rows values (${4})`;
        throw new Error("given up");
      }),
      /given up/,
    );
    assert.deepEqual(await sql`select array_agg(id order by id) ids from postgres_rows`.then(([row]) => row.ids), [1, 3]);
  }));

test("prepared statements follow to every connection", async () => {
  const backends = await holdBackends();
  try {
    await connected(async (sql) => {
      for (let n = 0; n < 3; n++) {
        for (const pid of backends.pids) {
          await backends.only(pid, async () => {
            assert.deepEqual([...(await sql`select pg_backend_pid() pid, ${n}::int + 1 as next`)], [{ pid, next: n + 1 }]);
          });
        }
      }
    });
  } finally {
    await backends.release();
  }
});

test("copies in and out", () =>
  connected(async (sql) => {
    const lines = Array.from({ length: 50_000 }, (_, n) => `${n}\trow ${n}\n`);
    await pipeline(Readable.from(lines), await sql`copy postgres_copied from stdin`.writable());
    const chunks = [];
    for await (const chunk of await sql`copy (select * from postgres_copied order by id) to stdout`.readable()) {
      chunks.push(chunk);
    }
    assert.ok(Buffer.concat(chunks).toString() === lines.join(""));
    await connected(async (other) => {
      assert.equal((await other`select count(*)::int from postgres_copied`)[0].count, lines.length);
    });
  }));

test("cancels what runs", () =>
  connected(async (sql) => {
    const query = sql`select pg_sleep(60), ${"postgres.js cancels"}::text /* postgres.js cancels */`;
    const rejected = assert.rejects(query.execute(), state("57014"));
    await untilAsleep("postgres.js cancels");
    query.cancel();
    await rejected;
    assert.equal((await sql`select 1 as one`)[0].one, 1);
  }));

test("pipelines by itself, errors among it", () =>
  connected(async (sql) => {
    const results = await Promise.allSettled(
      Array.from({ length: 500 }, (_, n) => sql`select 12 / (${n}::int % 5) + ${n}::int x, repeat('x', 1000)`),
    );
    results.forEach((result, n) => {
      if (n % 5 === 0) {
        assert.equal(result.reason?.code, "22012");
      } else {
        assert.equal(result.value[0].x, Math.floor(12 / (n % 5)) + n);
      }
    });
  }));

test("a SET behind an error in the same packet counts", async () => {
  const backends = await holdBackends();
  try {
    await connected((sql) =>
      connected(async (stranger) => {
        const [one] = backends.pids;
        await backends.only(one, async () => {
          const settled = await Promise.allSettled([
            sql`select 1 as warm`.simple(),
            sql`select 1/0`.simple(),
            sql`set work_mem = '7MB'`.simple(),
            sql`set maintenance_work_mem = 'nonsense'`.simple(),
          ]);
          assert.deepEqual(
            settled.map((each) => each.reason?.code),
            [undefined, "22012", undefined, "22023"],
          );
        });
        for (const pid of backends.pids) {
          await backends.only(pid, async () => {
            assert.equal((await sql`show work_mem`)[0].work_mem, "7MB");
            assert.equal((await stranger`show work_mem`)[0].work_mem, "4MB");
          });
        }
      }),
    );
  } finally {
    await backends.release();
  }
});

test("a SET that is prepared counts whenever it is executed", async () => {
  const backends = await holdBackends();
  try {
    await connected((sql) =>
      connected(async (stranger) => {
        for (let n = 0; n < 2; n++) {
          for (const size of ["7MB", "8MB"]) {
            await backends.only(backends.pids[0], () => (size === "7MB" ? sql`set work_mem = '7MB'` : sql`set work_mem = '8MB'`));
            for (const pid of backends.pids) {
              await backends.only(pid, async () => {
                assert.equal((await sql`show work_mem`)[0].work_mem, size);
                assert.equal((await stranger`show work_mem`)[0].work_mem, "4MB");
              });
            }
          }
        }
      }),
    );
  } finally {
    await backends.release();
  }
});

test("a table that changes is prepared for anew", () =>
  connected((sql) =>
    connected(async (other) => {
      const query = (by) => by`select * from postgres_changing where ${null}::int is null`;
      await query(sql);
      await other`insert into postgres_changing values (1)`;
      await other`alter table postgres_changing add column name text default 'new'`;
      // a client that has not asked before must not be told that what it asks for has changed
      await connected(async (third) => {
        assert.deepEqual([...(await query(third))], [{ id: 1, name: "new" }]);
        assert.deepEqual([...(await query(third))], [{ id: 1, name: "new" }]);
      });
    }),
  ));

test("cursors, and one that is left early", () =>
  connected(async (sql) => {
    const seen = [];
    await sql`select n from generate_series(1, ${1000}::int) n`.cursor(90, (rows) => {
      seen.push(...rows.map((row) => row.n));
    });
    assert.equal(seen.length, 1000);
    for await (const [row] of sql`select n from generate_series(1, ${1000}::int) n`.cursor()) {
      assert.equal(row.n, 1);
      break;
    }
    assert.equal((await sql`select ${1}::int as one`)[0].one, 1);
  }));

test("settings follow the client and nobody else", () => {
  const names = ["application_name", "search_path", "TimeZone", "work_mem", "DateStyle"];
  const query = `select ${names.map((name) => `current_setting('${name}')`).join()}`;
  const seen = async (sql) => (await sql.unsafe(query).values())[0];
  const connection = { application_name: "postgres's", search_path: "pg_catalog", timezone: "Asia/Tokyo" };
  return connected(
    (sql) =>
      connected(async (other) => {
        const theirs = await seen(other);
        await sql`set work_mem = '7MB'`;
        await sql`set datestyle to 'ISO, DMY'`;
        await onEach(async () => {
          assert.deepEqual(await seen(sql), ["postgres's", "pg_catalog", "Asia/Tokyo", "7MB", "ISO, DMY"]);
          assert.deepEqual(await seen(other), theirs);
        });
      }),
    { connection },
  );
});

test("notifications reach who listens and is idle", () =>
  connected(async (sql) => {
    const heard = [];
    let next = deferred();
    const { unlisten } = await sql.listen("postgres_news", (payload) => next.resolve(payload));
    for (let n = 0; n < 3; n++) {
      await sql.notify("postgres_news", String(n));
      heard.push(await next.promise);
      next = deferred();
    }
    assert.deepEqual(heard, ["0", "1", "2"]);
    await unlisten();
  }));

function deferred() {
  const made = {};
  made.promise = new Promise((resolve) => {
    made.resolve = resolve;
  });
  return made;
}

test("twenty clients share two connections", () =>
  connected(
    async (sql) => {
      const work = async (me) => {
        await sql`insert into postgres_balances values (${me}, 0)`;
        for (let n = 0; n < 15; n++) {
          await sql`update postgres_balances set balance = balance + ${n} where id = ${me}`;
          await assert.rejects(
            sql.begin(async (sql) => {
              await sql`update postgres_balances set balance = 0 where id = ${me}`;
              await sql`select 1 / ${0}::int`;
            }),
            state("22012"),
          );
          const sums = await Promise.all([1, 2, 3].map((k) => sql`select ${me}::int + ${k}::int as sum`));
          assert.deepEqual(
            sums.map(([row]) => row.sum),
            [me + 1, me + 2, me + 3],
          );
        }
        assert.equal((await sql`select balance from postgres_balances where id = ${me}`)[0].balance, "105");
      };
      await Promise.all(Array.from({ length: 20 }, (_, me) => work(me)));
    },
    { max: 20 },
  ));
